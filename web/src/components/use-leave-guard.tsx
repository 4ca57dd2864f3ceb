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
  useLayoutEffect(() => (dirty ? installGuard((next) => setGo(() => next)) : undefined), [dirty]);
  return (
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
