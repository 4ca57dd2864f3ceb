import { useEffect, useState } from 'react';
import { NOTICE_DETACH_MS, noticeDuration, type NoticeText } from './notices.ts';

/**
 * Closes a notice after its reading time, but not while it has the pointer or the focus. Calls `onGone` after the
 * closing animation. Spread `props` over the element around the notice.
 */
export function useTimedNotice(notice: NoticeText, onGone: () => void) {
  const [held, setHeld] = useState(false);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    if (held || leaving) return undefined;
    const timer = setTimeout(() => setLeaving(true), noticeDuration(notice));
    return () => clearTimeout(timer);
  }, [notice, held, leaving]);
  useEffect(() => {
    if (!leaving) return undefined;
    const timer = setTimeout(onGone, NOTICE_DETACH_MS);
    return () => clearTimeout(timer);
  }, [leaving, onGone]);
  const props = {
    'data-leaving': leaving || undefined,
    onMouseEnter: () => setHeld(true),
    onMouseLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  };
  return { props, leave: () => setLeaving(true) };
}
