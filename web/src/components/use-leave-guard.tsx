import { useLayoutEffect, useState } from 'react';
import { installGuard } from '../state/guard.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

/** Asks before leaving a form with unsaved changes. Returns the dialog to render. */
export function useLeaveGuard(dirty: boolean, title: string) {
  const [go, setGo] = useState<(() => void) | null>(null);
  // A layout effect ends before a redirect that takes the form's place: nobody could answer any more.
  useLayoutEffect(() => (dirty ? installGuard((next) => setGo(() => next)) : undefined), [dirty]);
  return (
    go !== null && (
      <ConfirmDialog
        title={title}
        text="The data you entered will be lost."
        tone="danger"
        onYes={() => {
          setGo(null);
          go();
        }}
        onClose={() => setGo(null)}
      />
    )
  );
}
