import { useAtomValue } from 'jotai';
import { dateAndTime, shownDateTime } from '../format.ts';
import { serverTimeOf } from '../state/clock.ts';
import { liveAtom, staleSinceAtom } from '../state/live.ts';
import { unreadAtom } from '../state/unread.ts';
import { useNow } from '../state/use-now.ts';
import { Icon } from '../ui/Icon.tsx';

/** Warns that the page may be out of date, and since when. While it is shown nothing is green (tokens.css). */
export function StaleBanner() {
  const { state } = useAtomValue(liveAtom);
  const since = useAtomValue(staleSinceAtom);
  const unreadSince = useAtomValue(unreadAtom);
  if (since === null && unreadSince === null) return null;
  return (
    <div className="stale-banner" role="status">
      <Icon name="unplugged" size={16} />
      <Words isLost={state !== 'live'} since={since} unreadSince={unreadSince} />
    </div>
  );
}

interface WordsProps {
  isLost: boolean;
  since: number | null;
  unreadSince: number | null;
}

function Words({ isLost, since, unreadSince }: WordsProps) {
  if (isLost && since !== null)
    return (
      <span>
        Connection lost. Shown as of <TimeOf at={since} />; reconnecting.
      </span>
    );
  if (unreadSince !== null)
    return (
      <span>
        Parts of this page may be out of date: they could not be read again at <TimeOf at={unreadSince} />.
        Trying again.
      </span>
    );
  return (
    <span>
      Shown as of <TimeOf at={since ?? 0} />; reading again.
    </span>
  );
}

/** Shows a time of the browser's clock as the server's; with its date unless it is of today. */
function TimeOf({ at }: { at: number }) {
  const timestamp = new Date(serverTimeOf(at)).toISOString();
  const today = dateAndTime(new Date(useNow()).toISOString());
  const { date, time } = dateAndTime(timestamp);
  return <time dateTime={timestamp}>{date === today.date ? time : shownDateTime(timestamp)}</time>;
}
