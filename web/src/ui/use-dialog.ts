import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { enterDialog } from './open-dialogs.ts';

/** A closing dialog stays this long, for its animation. */
export const MODAL_CLOSE_MS = 150;

const FIRST_FIELD = 'form :is(input, textarea, select)';

const CloseContext = createContext<() => void>(() => undefined);
export const DialogClose = CloseContext.Provider;

/** Closes the dialog around, with its animation. */
export const useCloseDialog = (): (() => void) => useContext(CloseContext);

/**
 * Drives a native modal dialog that is open while it is mounted: the browser keeps the focus inside, Escape and a
 * click beside it close it, and the focus goes back to where it was.
 */
export function useDialog(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  const [closing, setClosing] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  const close = useCallback(() => {
    setClosing(true);
    timer.current ??= setTimeout(() => latest.current(), MODAL_CLOSE_MS);
  }, []);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // The browser goes to the first control, the cross, where a typed space would close the dialog. A panel takes keys itself.
      if (!('shortcuts' in dialog.dataset)) dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    const leave = dialog === null ? undefined : enterDialog(dialog);
    return () => {
      leave?.();
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
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
    // Without a recent press of a key or button the browser closes it on Escape without asking.
    onClose: (event: React.SyntheticEvent) => {
      if (event.target === ref.current) close();
    },
    onMouseDown: (event: React.MouseEvent) => {
      if (event.target === ref.current) close();
    },
  };
  return { dialogProps, close };
}
