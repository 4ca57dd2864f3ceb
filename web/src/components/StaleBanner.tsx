import { useAtomValue } from 'jotai';
import { dateAndTime } from '../format.ts';
import { liveAtom } from '../state/live.ts';
import { unreadAtom } from '../state/unread.ts';
import { Icon } from '../ui/Icon.tsx';

/** Warns that the page may be out of date, and since when. */
export function StaleBanner() {
  const { state, since } = useAtomValue(liveAtom);
  const unreadSince = useAtomValue(unreadAtom);
  const timeOf = (at: number): string => dateAndTime(new Date(at).toISOString()).time;
  const isLost = state === 'stale' && since !== null;
  if (!isLost && unreadSince === null) return null;
  return (
    <div className="stale-banner" role="status">
      <Icon name="unplugged" size={16} />
      <span>
        {isLost
          ? `Connection lost. Shown as of ${timeOf(since)}; reconnecting.`
          : `Parts of this page may be out of date: they could not be read again at ${timeOf(unreadSince ?? 0)}. Trying again.`}
      </span>
    </div>
  );
}
