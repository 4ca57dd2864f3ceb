import { markWord, type ListOrder } from '@sentinel-node/contracts';
import type { Alert } from '../answers.ts';
import { alertName, wordFor } from '../format.ts';
import { Table, type Column, type RowChoice } from '../ui/Table.tsx';
import { Badge } from '../ui/Badge.tsx';
import { AlertStatus } from '../components/AlertStatus.tsx';
import { Time } from '../events/EventTable.tsx';

const time: Column<Alert> = {
  header: 'Time',
  cell: (alert) => <Time timestamp={alert.timestamp} />,
  className: 'cell-time',
};

const columns: Column<Alert>[] = [
  {
    header: 'Alert',
    cell: (alert) => (
      <>
        <strong>{wordFor(alertName, alert.type)}</strong>
        {alert.occurrences > 1 && <span className="muted num"> ×{alert.occurrences}</span>}
      </>
    ),
  },
  {
    header: 'Status',
    cell: (alert) => (
      <span className="badges">
        <AlertStatus status={alert.status} />
        <SetAside alert={alert} />
      </span>
    ),
  },
  { header: 'File', cell: (alert) => alert.fileName, className: 'cell-text' },
  { header: 'Device', cell: (alert) => alert.deviceName, className: 'cell-text' },
  time,
];

/** Shows why an alert needs no attention. */
function SetAside({ alert: { planned, expected } }: { alert: Alert }) {
  return (
    <>
      {planned !== undefined && <Badge tone="neutral">{markWord.planned}</Badge>}
      {expected !== undefined && <Badge tone="neutral">{markWord.expected}</Badge>}
    </>
  );
}

const assigned: Column<Alert> = {
  header: 'Assigned to',
  cell: ({ assignee }) => assignee?.email ?? '-',
  className: 'cell-text',
};

const oldestFirst = columns.with(-1, { ...time, sorted: 'ascending' });

/** Returns the columns, with the assignee's only when a row has an assignee. */
function columnsOf(alerts: Alert[], order: ListOrder): Column<Alert>[] {
  const usual = order === 'newest' ? columns : oldestFirst;
  return alerts.some(({ assignee }) => assignee !== undefined) ? usual.toSpliced(2, 0, assigned) : usual;
}

interface AlertsTableProps {
  alerts: Alert[];
  order: ListOrder;
  hrefOf: (alert: Alert) => string;
  onAlert: (alert: Alert) => void;
  choice: RowChoice<Alert>;
}

export function AlertsTable({ alerts, order, hrefOf, onAlert, choice }: AlertsTableProps) {
  return (
    <Table
      label="Alerts"
      rows={alerts}
      columns={columnsOf(alerts, order)}
      rowKey={(alert) => alert.id}
      onRow={onAlert}
      rowHref={hrefOf}
      choice={choice}
      rowTone={(alert) => (alert.status === 'ACTIVE' ? 'danger' : undefined)}
    />
  );
}
