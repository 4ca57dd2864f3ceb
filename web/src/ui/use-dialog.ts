import { createContext, useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { focusPage } from './focus-on.ts';
import { enterDialog } from './open-dialogs.ts';

/** Time of a dialog's closing animation, in ms. */
export const MODAL_CLOSE_MS = 150;

const FIRST_FIELD = 'form :is(input, textarea, select)';
/** The title of a panel: screen readers begin there, and no key presses a button by accident. */
const TITLE = 'h2';

const CloseContext = createContext<() => void>(() => undefined);
export const DialogClose = CloseContext.Provider;

/** Returns the function that closes the surrounding dialog, with its animation. */
export const useCloseDialog = (): (() => void) => useContext(CloseContext);

/**
 * Controls a native modal dialog that is open while mounted: the browser keeps the focus inside, Escape and a click
 * outside close the dialog, and the focus then returns.
 * @param stays whether the dialog goes on after `onClose`, which then only stops its work
 */
export function useDialog(onClose: () => void, stays = false) {
  const ref = useRef<HTMLDialogElement>(null);
  const [closing, setClosing] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  const close = useCallback(() => {
    if (stays) return latest.current();
    setClosing(true);
    timer.current ??= setTimeout(() => latest.current(), MODAL_CLOSE_MS);
  }, [stays]);
  // A layout effect ends as the dialog goes: keys that are pressed right after are the page's.
  useLayoutEffect(() => (ref.current === null ? undefined : enterDialog(ref.current)), []);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    const outer = before?.closest('dialog');
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // The browser focuses the first button, where a space would print or close. A panel handles keys, so no field has the focus.
      const first = 'shortcuts' in dialog.dataset ? TITLE : FIRST_FIELD;
      dialog.querySelector<HTMLElement>(first)?.focus();
    }
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
      dialog?.close();
      // The dialog in its place may have the focus already.
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (!isFree || !(before instanceof HTMLElement)) return;
      // A button goes when what it asked for is done.
      if (before.isConnected) before.focus();
      else if (outer?.isConnected === true) outer.querySelector<HTMLElement>(TITLE)?.focus();
      else focusPage();
    };
  }, []);
  const dialogProps = {
    ref,
    'data-closing': closing || undefined,
    onCancel: (event: React.SyntheticEvent) => {
      event.preventDefault();
      event.stopPropagation();
      close();
    },
    // Without a recent user action the browser closes the dialog on Escape without a cancel event.
    onClose: (event: React.SyntheticEvent) => {
      if (event.target !== ref.current) return;
      if (stays) ref.current?.showModal();
      close();
    },
    onMouseDown: (event: React.MouseEvent) => {
      if (event.target === ref.current) close();
    },
  };
  return { dialogProps, close };
}
