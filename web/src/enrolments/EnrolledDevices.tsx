import { EventSchema, visible } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { liveAtom, onLiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';

/** Most devices listed; a token may enrol thousands. */
const NAMED = 10;

interface Enrolled {
  id: string;
  name: string;
}

/** Lists devices that enrol while the page is open. */
export function EnrolledDevices() {
  const enrolled = useEnrolled();
  const isInterrupted = useIsInterrupted();
  const rest = enrolled.length - NAMED;
  return (
    <div role="status">
      {enrolled.length === 0 && !isInterrupted && (
        <span className="muted">None yet. Devices appear here as they enrol.</span>
      )}
      <ul>
        {enrolled.slice(0, NAMED).map(({ id, name }) => (
          <li key={id}>
            <Link href={paths.device(id)} className="inline-link">
              {visible(name)}
            </Link>
          </li>
        ))}
      </ul>
      {rest > 0 && <span className="muted">And {rest.toLocaleString('en-US')} before them</span>}
      {isInterrupted && (
        <span className="muted">
          Live updates were interrupted. Devices that enrolled meanwhile are among{' '}
          <Link href={paths.devices} className="inline-link">
            all devices
          </Link>{' '}
          only.
        </span>
      )}
    </div>
  );
}

/** Returns whether frames may have been missed since the component is shown: everything was to be read again. */
function useIsInterrupted(): boolean {
  const { generation } = useAtomValue(liveAtom);
  const [began] = useState(generation);
  return generation !== began;
}

/** Returns devices that enrolled while the page is open, by any token, newest first. */
function useEnrolled(): Enrolled[] {
  const [enrolled, setEnrolled] = useState<Enrolled[]>([]);
  useEffect(
    () =>
      onLiveItem((item) => {
        const event = item.kind === 'event' ? liveObject(EventSchema, item) : null;
        if (event?.type !== 'ENROL_DEVICE' || event.deviceId === null) return;
        const { deviceId: id, deviceName } = event;
        setEnrolled((old) =>
          old.some((held) => held.id === id) ? old : [{ id, name: deviceName ?? id }, ...old],
        );
      }),
    [],
  );
  return enrolled;
}
