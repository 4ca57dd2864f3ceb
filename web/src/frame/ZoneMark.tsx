import { useAtomValue } from 'jotai';
import { useNow } from '../state/use-now.ts';
import { zoneAtom } from '../state/zone.ts';
import { zoneAt, zoneName } from '../time-zone.ts';

/** Shows the time zone of all times on the page, in the header; phones have `ZoneFoot` instead. */
export function ZoneMark() {
  const zone = useAtomValue(zoneAtom);
  const name = zoneName();
  return (
    <span
      className="zone-mark num"
      title={`Times are ${zone === 'utc' ? 'in UTC' : `local, ${name}`}. Change it in the user menu.`}
    >
      {zoneAt(useNow())}
    </span>
  );
}

/** Shows the time zone at the foot of the page on phones, whose header has no room for it: times in sentences and charts do not name it. */
export function ZoneFoot() {
  return <footer className="zone-foot muted">All times are in {zoneAt(useNow())}.</footer>;
}
