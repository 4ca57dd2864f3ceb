import { EventSchema } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { onLiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Notice } from '../ui/Notice.tsx';

/** The form, which had the focus, is gone. */
const focusOn = (section: HTMLElement | null): void => section?.focus();

/** Devices that are named; a token may make thousands. */
const NAMED = 10;

interface Enrolled {
  id: string;
  name: string;
}

/** A token that was just made, as the command to run and by itself, and the devices that enrol meanwhile. */
export function EnrolmentMade({ token }: { token: string }) {
  const command = `sentinel agent enrol --server ${window.location.origin} --token ${token}`;
  const enrolled = useEnrolled();
  return (
    <section className="card form" aria-label="The token" tabIndex={-1} ref={focusOn}>
      <Notice tone="warning" title="The token is shown only now.">
        Copy it before you leave this page. Whoever has it can make devices of your organisation until it
        ends.
      </Notice>
      <DescriptionList
        items={[
          ['Command for each machine', <Hash full value={command} label="command" />],
          ['Token', <Hash full value={token} label="token" />],
          ['Enrolled since then', <EnrolledDevices enrolled={enrolled} />],
        ]}
      />
      <footer className="form-foot">
        <ButtonLink to={paths.enrolments} tone="primary">
          Done
        </ButtonLink>
      </footer>
    </section>
  );
}

function EnrolledDevices({ enrolled }: { enrolled: Enrolled[] }) {
  const rest = enrolled.length - NAMED;
  return (
    <div role="status">
      {enrolled.length === 0 && <span className="muted">None yet. Devices appear here as they enrol.</span>}
      <ul>
        {enrolled.slice(0, NAMED).map(({ id, name }) => (
          <li key={id}>
            <Link href={paths.device(id)} className="inline-link">
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {rest > 0 && <span className="muted">And {rest.toLocaleString('en-US')} before them</span>}
    </div>
  );
}

/** Devices that enrolled while the page is open, by this token or another, newest first. */
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
