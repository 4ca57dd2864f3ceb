import type { AlertStatus as Status } from '@sentinel-node/contracts';
import type { Event } from '../answers.ts';
import { dateAndTime, eventName, entryOf } from '../format.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { AlertStatus } from '../components/AlertStatus.tsx';
import { eventTitle } from './event-note.ts';
import { PhoneZone, useMoment } from '../components/Moment.tsx';

interface Look {
  icon: IconName;
  tone: string;
}

const icons: Partial<Record<Event['type'], Look>> = {
  ALERT: { icon: 'alert', tone: 'neutral' },
  AGENT_ERROR: { icon: 'alert', tone: 'warning' },
  MALFORMED_DATA: { icon: 'alert', tone: 'warning' },
  FILE_DECREASED: { icon: 'minus', tone: 'warning' },
  ROLLING: { icon: 'reset', tone: 'neutral' },
  CREATE_DEVICE: { icon: 'device', tone: 'neutral' },
  ENROL_DEVICE: { icon: 'device', tone: 'neutral' },
  REFUSE_ENROLMENT: { icon: 'alert', tone: 'warning' },
  CREATE_FILE: { icon: 'file', tone: 'neutral' },
  DELETE_FILE: { icon: 'trash', tone: 'neutral' },
  ASSIGN_ALERT: { icon: 'users', tone: 'neutral' },
  COMMENT_ALERT: { icon: 'edit', tone: 'neutral' },
  ENABLE_DEVICE: { icon: 'pulse', tone: 'success' },
};

/** Looks of an alert event by the alert's current status. */
const alertLooks: Record<Status, Look> = {
  ACTIVE: { icon: 'alert', tone: 'danger' },
  RESOLVED: { icon: 'checkCircle', tone: 'neutral' },
  DEACTIVATED: { icon: 'reset', tone: 'neutral' },
};

const other: Look = { icon: 'edit', tone: 'neutral' };

function lookOf({ type, alert }: Event): Look {
  if (type === 'ALERT' && alert !== undefined) return entryOf(alertLooks, alert.status) ?? other;
  return entryOf(icons, type) ?? other;
}

function EventName({ event }: { event: Event }) {
  const { icon, tone } = lookOf(event);
  return (
    <span className="event-name">
      <span className={`event-icon tone-${tone}`}>
        <Icon name={icon} size={15} />
      </span>
      {eventTitle(event, eventName(event.type))}
      {event.type === 'ALERT' && event.alert !== undefined && <AlertStatus status={event.alert.status} />}
    </span>
  );
}

export function Time({ timestamp }: { timestamp: string }) {
  const { zone, title } = useMoment(timestamp);
  const { date, time } = dateAndTime(timestamp);
  return (
    <time dateTime={timestamp} title={title} className="two-part">
      <span>{date}</span>{' '}
      <span className="muted">
        {time}
        <PhoneZone zone={zone} />
      </span>
    </time>
  );
}

const columns: Column<Event>[] = [
  { header: 'Event name', cell: (event) => <EventName event={event} /> },
  { header: 'File', cell: (event) => event.fileName ?? '-', className: 'cell-text' },
  { header: 'Device', cell: (event) => event.deviceName ?? '-', className: 'cell-text' },
  { header: 'Time', cell: (event) => <Time timestamp={event.timestamp} />, className: 'cell-time' },
];

interface EventTableProps {
  events: Event[];
  hrefOf: (event: Event) => string;
  onEvent: (event: Event) => void;
}

export function EventTable({ events, hrefOf, onEvent }: EventTableProps) {
  return (
    <Table
      label="Events"
      rows={events}
      columns={columns}
      rowKey={(event) => event.id}
      onRow={onEvent}
      rowHref={hrefOf}
      rowTone={({ type, alert }) => (type === 'ALERT' && alert?.status === 'ACTIVE' ? 'danger' : undefined)}
    />
  );
}
