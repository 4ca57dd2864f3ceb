import type { Event } from '@sentinel-node/contracts';
import { dateAndTime, eventName } from '../format.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Table, type Column } from '../ui/Table.tsx';

const icons: Partial<Record<Event['type'], { icon: IconName; tone: string }>> = {
  ALERT: { icon: 'alert', tone: 'danger' },
  AGENT_ERROR: { icon: 'alert', tone: 'warning' },
  MALFORMED_DATA: { icon: 'alert', tone: 'warning' },
  FILE_DECREASED: { icon: 'minus', tone: 'warning' },
  ROLLING: { icon: 'reset', tone: 'neutral' },
  CREATE_DEVICE: { icon: 'device', tone: 'neutral' },
  CREATE_FILE: { icon: 'file', tone: 'neutral' },
  DELETE_FILE: { icon: 'trash', tone: 'neutral' },
  ENABLE_DEVICE: { icon: 'pulse', tone: 'success' },
};

function EventName({ event }: { event: Event }) {
  const look = icons[event.type] ?? { icon: 'edit', tone: 'neutral' };
  return (
    <span className="event-name">
      <span className={`event-icon tone-${look.tone}`}>
        <Icon name={look.icon} size={15} />
      </span>
      {eventName(event.type)}
    </span>
  );
}

export function Time({ timestamp }: { timestamp: string }) {
  const { date, time } = dateAndTime(timestamp);
  return (
    <time dateTime={timestamp} className="two-part">
      <span>{date}</span> <span className="muted">{time}</span>
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
  onEvent: (event: Event) => void;
}

export function EventTable({ events, onEvent }: EventTableProps) {
  return (
    <Table
      label="Events"
      rows={events}
      columns={columns}
      rowKey={(event) => event.id}
      onRow={onEvent}
      rowTone={(event) => (event.type === 'ALERT' ? 'danger' : undefined)}
    />
  );
}
