import { useLayoutEffect, useRef } from 'react';

const CONTROLS = 'a[href], button, input, select, textarea';

/**
 * Returns the props of an element whose controls may go while they have the focus, as a button goes that removes its item from a list.
 * The focus then moves to the next control of the element, or to the one before: without it, Tab would begin at the top.
 */
export function useFocusInside<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  /** Where the focus may go when its control is gone, best first. */
  const around = useRef<readonly HTMLElement[]>([]);
  const look = (): void => {
    const controls = [...(ref.current?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];
    const at = controls.findIndex((control) => control === document.activeElement);
    around.current = at === -1 ? [] : [...controls.slice(at + 1), ...controls.slice(0, at).toReversed()];
  };
  useLayoutEffect(() => {
    if (document.activeElement === document.body)
      around.current.find(({ isConnected }) => isConnected)?.focus();
    look();
  });
  const onBlur = (): void => {
    around.current = [];
  };
  return { ref, onFocus: look, onBlur };
}
