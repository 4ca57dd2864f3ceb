import { useAtomValue } from 'jotai';
import { dateAndTime, duration, shownDateTime } from '../format.ts';
import { serverTimeOf } from '../state/clock.ts';
import { liveAtom, staleSinceAtom } from '../state/live.ts';
import { unreadAtom } from '../state/unread.ts';
import { useNow } from '../state/use-now.ts';
import { viewsBehindAtom } from '../state/views-age.ts';
import { Icon } from '../ui/Icon.tsx';

/**
 * Warns that the page may be out of date, and since when. While it is shown nothing is green (tokens.css). Its place is always
 * there: screen readers say what comes into a status, and may miss a status that comes with its words.
 */
export function StaleBanner() {
  const { state } = useAtomValue(liveAtom);
  const since = useAtomValue(staleSinceAtom);
  const unreadSince = useAtomValue(unreadAtom);
  const behind = useAtomValue(viewsBehindAtom);
  const isShown = since !== null || unreadSince !== null || behind !== null;
  const isLost = state !== 'live' && since !== null;
  return (
    <div className="stale-place" role="status">
      {isShown && (
        <div className="stale-banner">
          <Icon name="unplugged" size={16} />
          {behind === null ? (
            <Words {...{ isLost, since, unreadSince }} />
          ) : (
            <ViewsWords {...{ behind, isLost, isUnread: unreadSince !== null }} />
          )}
        </div>
      )}
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
        Connection lost. Shown as of <TimeOf at={serverTimeOf(since)} />; reconnecting.
      </span>
    );
  if (unreadSince !== null)
    return (
      <span>
        Parts of this page may be out of date: they could not be read again at{' '}
        <TimeOf at={serverTimeOf(unreadSince)} />. Trying again.
      </span>
    );
  return (
    <span>
      Shown as of <TimeOf at={serverTimeOf(since ?? 0)} />; reading again.
    </span>
  );
}

interface ViewsWordsProps {
  behind: { state: string; asOf: number | null };
  isLost: boolean;
  isUnread: boolean;
}

/** Says that the server's own views are old, which a connection that is there does not show. */
function ViewsWords({ behind: { state, asOf }, isLost, isUnread }: ViewsWordsProps) {
  return (
    <span>
      {state === 'BEHIND' ? <Behind asOf={asOf} /> : <Unknown asOf={asOf} />}
      {isLost && ' Connection lost; reconnecting.'}
      {!isLost && isUnread && ' Parts of this page could not be read again. Trying again.'}
    </span>
  );
}

function Behind({ asOf }: { asOf: number | null }) {
  const now = useNow();
  if (asOf === null)
    return 'What you see is out of date, and nobody knows since when: the server has not worked through what came before it started.';
  return (
    <>
      What you see is as of {/* It goes on all the time: said once, it is not said again with each minute. */}
      <span aria-live="off">
        <TimeOf at={asOf} />; {duration(Math.max(0, now - asOf) / 1_000)} behind
      </span>
      . The server has not worked through what came since.
    </>
  );
}

function Unknown({ asOf }: { asOf: number | null }) {
  if (asOf === null)
    return 'Nobody knows how old this is: the server cannot read its log, where everything that happens comes first.';
  return (
    <>
      What you see is as of <TimeOf at={asOf} />. Nobody knows how far behind that is: the server cannot read
      its log.
    </>
  );
}

/** Shows a time of the server's clock; with its date unless it is of today. */
function TimeOf({ at }: { at: number }) {
  const timestamp = new Date(at).toISOString();
  const today = dateAndTime(new Date(useNow()).toISOString());
  const { date, time } = dateAndTime(timestamp);
  return <time dateTime={timestamp}>{date === today.date ? time : shownDateTime(timestamp)}</time>;
}
