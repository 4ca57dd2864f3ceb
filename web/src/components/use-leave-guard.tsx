import { useLayoutEffect, useState } from 'react';
import { installGuard } from '../state/guard.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

/**
 * Asks before leaving, as a form with unsaved changes. Returns the dialog to render.
 * @param onYes called before the person leaves
 */
export function useLeaveGuard(
  dirty: boolean,
  title: string,
  text = 'The data you entered will be lost.',
  onYes?: () => void,
) {
  const [go, setGo] = useState<(() => void) | null>(null);
  // A layout effect ends before a redirect that takes the form's place: nobody could answer any more.
  useLayoutEffect(() => {
    if (!dirty) return undefined;
    const remove = installGuard((next) => setGo(() => next));
    return () => {
      remove();
      setGo(null);
    };
  }, [dirty]);
  // Nothing is lost any more when the answer came while the question was there.
  return (
    dirty &&
    go !== null && (
      <ConfirmDialog
        title={title}
        text={text}
        tone="danger"
        onYes={() => {
          setGo(null);
          onYes?.();
          go();
        }}
        onClose={() => setGo(null)}
      />
    )
  );
}
