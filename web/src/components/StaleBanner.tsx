import { useAtomValue } from 'jotai';
import { dateAndTime, shownDateTime } from '../format.ts';
import { serverTimeOf } from '../state/clock.ts';
import { liveAtom } from '../state/live.ts';
import { unreadAtom } from '../state/unread.ts';
import { useNow } from '../state/use-now.ts';
import { Icon } from '../ui/Icon.tsx';

/** Warns that the page may be out of date, and since when. While it is shown nothing is green (tokens.css). */
export function StaleBanner() {
  const { state, since } = useAtomValue(liveAtom);
  const unreadSince = useAtomValue(unreadAtom);
  const isLost = state === 'stale' && since !== null;
  if (!isLost && unreadSince === null) return null;
  return (
    <div className="stale-banner" role="status">
      <Icon name="unplugged" size={16} />
      {isLost ? (
        <span>
          Connection lost. Shown as of <TimeOf at={since} />; reconnecting.
        </span>
      ) : (
        <span>
          Parts of this page may be out of date: they could not be read again at{' '}
          <TimeOf at={unreadSince ?? 0} />. Trying again.
        </span>
      )}
    </div>
  );
}

/** Shows a time of the browser's clock as the server's; with its date unless it is of today. */
function TimeOf({ at }: { at: number }) {
  const timestamp = new Date(serverTimeOf(at)).toISOString();
  const today = dateAndTime(new Date(useNow()).toISOString());
  const { date, time } = dateAndTime(timestamp);
  return <time dateTime={timestamp}>{date === today.date ? time : shownDateTime(timestamp)}</time>;
}
