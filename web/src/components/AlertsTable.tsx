import type { Alert } from '@sentinel-node/contracts';
import { alertName } from '../format.ts';
import { Table, type Column, type RowChoice } from '../ui/Table.tsx';
import { Badge } from '../ui/Badge.tsx';
import { AlertStatus } from './AlertStatus.tsx';
import { Time } from './EventTable.tsx';

const columns: Column<Alert>[] = [
  {
    header: 'Alert',
    cell: (alert) => (
      <>
        <strong>{alertName[alert.type]}</strong>
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
  { header: 'Time', cell: (alert) => <Time timestamp={alert.timestamp} />, className: 'cell-time' },
];

/** Shows why an alert needs no attention. */
function SetAside({ alert: { planned, expected } }: { alert: Alert }) {
  return (
    <>
      {planned !== undefined && <Badge tone="neutral">Planned</Badge>}
      {expected !== undefined && <Badge tone="neutral">Expected</Badge>}
    </>
  );
}

const assigned: Column<Alert> = {
  header: 'Assigned to',
  cell: ({ assignee }) => assignee?.email ?? '-',
  className: 'cell-text',
};

/** Returns the columns, with the assignee's only when a row has an assignee. */
const columnsOf = (alerts: Alert[]): Column<Alert>[] =>
  alerts.some(({ assignee }) => assignee !== undefined) ? columns.toSpliced(2, 0, assigned) : columns;

interface AlertsTableProps {
  alerts: Alert[];
  hrefOf: (alert: Alert) => string;
  onAlert: (alert: Alert) => void;
  choice: RowChoice<Alert>;
}

export function AlertsTable({ alerts, hrefOf, onAlert, choice }: AlertsTableProps) {
  return (
    <Table
      label="Alerts"
      rows={alerts}
      columns={columnsOf(alerts)}
      rowKey={(alert) => alert.id}
      onRow={onAlert}
      rowHref={hrefOf}
      choice={choice}
      rowTone={(alert) => (alert.status === 'ACTIVE' ? 'danger' : undefined)}
    />
  );
}
