import { useAtomValue } from 'jotai';
import { useEffect, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import {
  dismissNotice,
  NOTICE_DETACH_MS,
  noticeDuration,
  noticesAtom,
  type ShownNotice,
} from '../state/notices.ts';
import { Notice } from '../ui/Notice.tsx';
import { openDialogsAtom } from '../ui/open-dialogs.ts';

export function Notices() {
  const notices = useAtomValue(noticesAtom);
  return createPortal(
    notices.map((notice) => <TimedNotice key={notice.id} notice={notice} />),
    useHost(),
  );
}

/** An open modal dialog hides and disables all that is not in it, so the notices move into the innermost one. */
function useHost(): HTMLElement {
  const dialog = useAtomValue(openDialogsAtom).at(-1);
  const [host] = useState(newHost);
  useLayoutEffect(() => {
    (dialog ?? document.body).append(host);
  }, [dialog, host]);
  useEffect(() => () => host.remove(), [host]);
  return host;
}

function newHost(): HTMLElement {
  const host = document.createElement('div');
  host.className = 'notices';
  host.setAttribute('aria-live', 'polite');
  return host;
}

/** Closes by itself after its reading time, but not while it is pointed at or holds the focus. */
function TimedNotice({ notice }: { notice: ShownNotice }) {
  const [held, setHeld] = useState(false);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    if (held || leaving) return undefined;
    const timer = setTimeout(() => setLeaving(true), noticeDuration(notice));
    return () => clearTimeout(timer);
  }, [notice, held, leaving]);
  useEffect(() => {
    if (!leaving) return undefined;
    const timer = setTimeout(() => dismissNotice(notice.id), NOTICE_DETACH_MS);
    return () => clearTimeout(timer);
  }, [notice.id, leaving]);
  const { action } = notice;
  return (
    <div
      data-leaving={leaving || undefined}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Notice
        tone={notice.tone}
        title={notice.title}
        onClose={() => setLeaving(true)}
        action={
          action && {
            label: action.label,
            run: () => {
              setLeaving(true);
              action.run();
            },
          }
        }
      >
        {notice.text}
      </Notice>
    </div>
  );
}
