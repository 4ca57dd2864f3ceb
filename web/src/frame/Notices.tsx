import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { dismissNotice, noticesAtom, noticesPlaceAtom, type ShownNotice } from '../state/notices.ts';
import { useTimedNotice } from '../state/use-timed-notice.ts';
import { Notice } from '../ui/Notice.tsx';
import { openDialogsAtom } from '../ui/open-dialogs.ts';

export function Notices() {
  const notices = useAtomValue(noticesAtom);
  return createPortal(
    notices.map((notice) => <TimedNotice key={notice.id} notice={notice} />),
    useHost(),
  );
}

/**
 * Returns the notices' container and moves it into the innermost modal dialog, which disables everything outside, or to
 * the element that they must not cover.
 */
function useHost(): HTMLElement {
  const dialog = useAtomValue(openDialogsAtom).at(-1);
  const place = useAtomValue(noticesPlaceAtom);
  const [host] = useState(newHost);
  useLayoutEffect(() => {
    (dialog ?? place ?? document.body).append(host);
  }, [dialog, place, host]);
  useEffect(() => () => host.remove(), [host]);
  return host;
}

function newHost(): HTMLElement {
  const host = document.createElement('div');
  host.className = 'notices';
  host.setAttribute('aria-live', 'polite');
  return host;
}

function TimedNotice({ notice }: { notice: ShownNotice }) {
  const { id, action } = notice;
  const { props, leave } = useTimedNotice(
    notice,
    useCallback(() => dismissNotice(id), [id]),
  );
  return (
    <div {...props}>
      <Notice
        tone={notice.tone}
        title={notice.title}
        reason={notice.reason}
        onClose={leave}
        action={
          action && {
            label: action.label,
            run: () => {
              leave();
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
