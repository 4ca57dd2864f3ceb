import { useAtomValue } from 'jotai';
import { liveAtom, staleSinceAtom } from '../state/live.ts';
import { unreadAtom } from '../state/unread.ts';
import { viewsBehindAtom } from '../state/views-age.ts';
import { MOBILE, useMediaQuery } from '../state/use-media-query.ts';

const words = { connecting: 'Connecting', live: 'Live', stale: 'Offline', unread: 'Outdated' } as const;

/** Shows whether the page receives live updates; on a narrow screen by the form of the dot alone while it does. */
export function LiveMark() {
  const { state } = useAtomValue(liveAtom);
  const isUnread = useAtomValue(unreadAtom) !== null;
  const isStale = useAtomValue(staleSinceAtom) !== null;
  const isBehind = useAtomValue(viewsBehindAtom) !== null;
  const isMobile = useMediaQuery(MOBILE);
  const shown = state === 'live' && (isUnread || isStale || isBehind) ? 'unread' : state;
  const isWarning = shown === 'stale' || shown === 'unread';
  return (
    <span className="live-mark" data-state={shown} role="status" title="Live updates">
      <span className="live-dot" aria-hidden="true" />
      <span className={isMobile && !isWarning ? 'live-word visually-hidden' : 'live-word'}>
        {words[shown]}
      </span>
    </span>
  );
}
