import type { Event } from '@sentinel-node/contracts';
import { useState } from 'react';
import { eventName, shownDateTime } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { SideModal } from '../ui/SideModal.tsx';
import { LinkChain } from './LinkChain.tsx';

interface EventPanelProps {
  orgId: string;
  event: Event;
  onClose: () => void;
}

export function EventPanel({ orgId, event, onClose }: EventPanelProps) {
  const { alertId, deviceId, fileId } = event;
  const openAlert = (): void => navigate(paths.alerts, { state: { alertId, deviceId } });
  return (
    <SideModal
      title={eventName(event.type)}
      over="Event"
      onClose={onClose}
      footer={
        alertId !== null && (
          <Button tone="primary" icon="alert" onClick={openAlert}>
            Open alert
          </Button>
        )
      }
    >
      <DescriptionList
        items={[
          ['Event type', eventName(event.type)],
          ['Device name', event.deviceName],
          ['File name', event.fileName],
          ['Creation date', <time dateTime={event.timestamp}>{shownDateTime(event.timestamp)}</time>],
          ['Note', <EventNote event={event} />],
        ]}
      />
      {deviceId !== null && fileId !== null && (
        <section aria-labelledby="event-chain">
          <h3 id="event-chain">Link chain</h3>
          <LinkChain orgId={orgId} deviceId={deviceId} fileId={fileId} hashId={event.hashId} />
        </section>
      )}
    </SideModal>
  );
}

/** Characters of a note that are shown at first. */
const NOTE_SHORT = 140;

function EventNote({ event }: { event: Event }) {
  const [open, setOpen] = useState(false);
  const text = noteText(event);
  if (text === '') return '-';
  if (text.length <= NOTE_SHORT) return <span className="preserve">{text}</span>;
  return (
    <>
      <span className="preserve">{open ? text : `${text.slice(0, NOTE_SHORT)}…`}</span>{' '}
      <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Show Less' : 'Show More'}
      </button>
    </>
  );
}

/** The note is JSON, except for a changed device, where it is text. */
function noteText(event: Event): string {
  if (event.type === 'MODIFY_DEVICE') return event.note;
  try {
    return lines(JSON.parse(event.note) as unknown);
  } catch {
    return event.note;
  }
}

function lines(note: unknown): string {
  if (typeof note !== 'object' || note === null) return String(note ?? '');
  return Object.entries(note)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join('\n');
}
