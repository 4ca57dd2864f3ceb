import { useState } from 'react';
import { tellElsewhere } from './guard.ts';
import type { NoticeText } from './notices.ts';
import { useIsShown } from './use-is-shown.ts';

/** Why the work of a form failed: shown in the form, or told elsewhere once the person has left it. */
export function useFailure() {
  const isShown = useIsShown();
  const [failure, setFailure] = useState<NoticeText | null>(null);
  return {
    failure,
    isShown,
    fail: (notice: NoticeText): void => (isShown() ? setFailure(notice) : tellElsewhere(notice)),
    clear: (): void => setFailure(null),
  };
}
