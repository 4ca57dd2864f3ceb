import { useAtomValue } from 'jotai';
import { duration } from '../format.ts';
import { clockOffsetAtom } from '../state/clock.ts';
import { Icon } from '../ui/Icon.tsx';

/** Says that the clock of the browser's machine differs from the server's, which ages and ranges follow. */
export function ClockBanner() {
  const offset = useAtomValue(clockOffsetAtom);
  if (offset === 0) return null;
  const by = duration(Math.round(Math.abs(offset) / 60_000) * 60);
  return (
    <div className="clock-banner" role="status">
      <Icon name="info" size={16} />
      <span>
        The clock of this computer is {by} {offset < 0 ? 'ahead of' : 'behind'} the server’s. Ages and ranges
        of time follow the server’s clock.
      </span>
    </div>
  );
}
