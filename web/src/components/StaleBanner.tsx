import { useAtomValue } from 'jotai';
import { dateAndTime } from '../format.ts';
import { liveAtom } from '../state/live.ts';
import { Icon } from '../ui/Icon.tsx';

/** Warns that the page may be out of date, and since when. */
export function StaleBanner() {
  const { state, since } = useAtomValue(liveAtom);
  if (state !== 'stale' || since === null) return null;
  return (
    <div className="stale-banner" role="status">
      <Icon name="unplugged" size={16} />
      <span>
        Connection lost. Shown as of {dateAndTime(new Date(since).toISOString()).time}; reconnecting.
      </span>
    </div>
  );
}
