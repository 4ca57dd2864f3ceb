import { visible } from '@sentinel-node/contracts';
import type { Event } from '../answers.ts';
import { useState } from 'react';
import { eventName } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { withAlert } from './event-alert.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList, type Description } from '../ui/DescriptionList.tsx';
import { useTitle } from '../ui/use-title.ts';
import { AlertStatus } from '../components/AlertStatus.tsx';
import { eventTitle, noteText } from './event-note.ts';
import { LinkChain } from '../chain/LinkChain.tsx';
import { Moment } from '../components/Moment.tsx';
import { PanelLoading } from '../components/PanelLoading.tsx';
import { Panel } from '../components/Panel.tsx';
import { useResource } from '../state/use-resource.ts';

interface EventPanelProps {
  orgId: string;
  id: string;
  deviceId: string;
  /** The list's version of the event; undefined reads the event. */
  listed: Event | undefined;
  onClose: () => void;
}

/** Shows the event that the URL names. */
export function EventPanel({ orgId, id, deviceId, listed, onClose }: EventPanelProps) {
  const read = useResource<Event>({
    key: listed === undefined ? id : null,
    load: (signal) => api().getEvent(orgId, deviceId, id, signal),
    apply: (event, item) => withAlert([event], item)[0] ?? event,
  });
  const event = listed ?? read.data;
  if (event === undefined) return <PanelLoading what="event" resource={read} onClose={onClose} />;
  return <EventFacts orgId={orgId} event={event} onClose={onClose} />;
}

function EventFacts({ orgId, event, onClose }: { orgId: string; event: Event; onClose: () => void }) {
  const { alertId, deviceId, fileId } = event;
  const title = eventTitle(event, eventName(event.type));
  useTitle(event.fileName === null ? title : `${title} on ${event.fileName}`);
  const facts: Description[] = [
    ['Event type', eventName(event.type)],
    ['Device name', event.deviceName],
    ['File name', event.fileName],
    ['Creation date', <Moment at={event.timestamp} />],
    ['Note', <EventNote event={event} />],
  ];
  if (event.alert !== undefined) facts.splice(1, 0, ['Alert', <AlertStatus status={event.alert.status} />]);
  return (
    <Panel
      title={title}
      over="Event"
      onClose={onClose}
      footer={
        alertId !== null && (
          <ButtonLink to={paths.alert(alertId, deviceId)} tone="primary" icon="alert">
            Open alert
          </ButtonLink>
        )
      }
    >
      <DescriptionList items={facts} />
      {deviceId !== null && fileId !== null && (
        <section aria-labelledby="event-chain">
          <h3 id="event-chain">Link chain</h3>
          <LinkChain orgId={orgId} deviceId={deviceId} fileId={fileId} hashId={event.hashId} />
        </section>
      )}
    </Panel>
  );
}

/** Characters of a note shown at first. */
const NOTE_SHORT = 140;

/** Returns the first characters of a note, without half of one that takes two. */
const beginningOf = (text: string): string => text.slice(0, NOTE_SHORT).replace(/[\ud800-\udbff]$/, '');

function EventNote({ event }: { event: Event }) {
  const [open, setOpen] = useState(false);
  const text = visible(noteText(event));
  if (text === '') return '-';
  if (text.length <= NOTE_SHORT) return <span className="preserve">{text}</span>;
  return (
    <>
      <span className="preserve screen-only">{open ? text : `${beginningOf(text)}…`}</span>
      <div className="preserve print-only">{text}</div>{' '}
      <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Show Less' : 'Show More'}
      </button>
    </>
  );
}
