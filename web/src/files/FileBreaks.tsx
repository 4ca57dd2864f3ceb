import type { FileBreak } from '../answers.ts';
import { Link } from 'wouter';
import { alertName, shownDateTime, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import type { ShownHistory } from './live-history.ts';
import { navigate } from '../state/guard.ts';
import { Card } from '../ui/Card.tsx';
import { EmptyState } from '../ui/States.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { AlertStatus } from '../components/AlertStatus.tsx';

interface FileBreaksProps {
  history: ShownHistory;
  deviceId: string;
  fileId: string;
}

/** Lists the breaks of the chain with their handlers. */
export function FileBreaks({ history, deviceId, fileId }: FileBreaksProps) {
  const { breaks, olderBreaks } = history;
  const columns: Column<FileBreak>[] = [
    { header: 'Alert', cell: (one) => <Name alert={one} /> },
    { header: 'Time', className: 'cell-time', cell: (one) => <Times alert={one} /> },
    { header: 'Handled by', className: 'cell-text', cell: (one) => <Handled alert={one} /> },
    {
      header: 'Note',
      className: 'cell-text',
      cell: (one) => <span className="preserve">{one.note ?? '-'}</span>,
    },
    {
      header: 'Break',
      cell: (one) => (
        <Link
          href={paths.filePage(deviceId, fileId, one.hashId)}
          aria-label={`Break of ${wordFor(alertName, one.type)} of ${shownDateTime(one.timestamp)} in the chain`}
          onClick={(event) => event.stopPropagation()}
        >
          In the chain
        </Link>
      ),
    },
  ];
  const open = (alert: FileBreak): void => navigate(paths.alert(alert.id, deviceId));
  return (
    <Card
      title="Breaks and handlings"
      aside={
        olderBreaks && <span className="muted">The newest {breaks.length}; the chain has the others</span>
      }
    >
      {breaks.length === 0 ? (
        <EmptyState
          icon="shield"
          title={
            history.entries === 0
              ? 'Nothing was reported of this file, so no alert could be raised.'
              : 'No alert was raised for this file.'
          }
        />
      ) : (
        <Table
          label="Breaks and handlings"
          rows={breaks}
          columns={columns}
          rowKey={({ id }) => id}
          onRow={open}
          rowHref={({ id }) => paths.alert(id, deviceId)}
          rowTone={({ status }) => (status === 'ACTIVE' ? 'danger' : undefined)}
          paged
        />
      )}
    </Card>
  );
}

function Name({ alert }: { alert: FileBreak }) {
  return (
    <span className="file-break">
      {wordFor(alertName, alert.type)} <AlertStatus status={alert.status} />
    </span>
  );
}

function Times({ alert: { timestamp, lastTimestamp, occurrences } }: { alert: FileBreak }) {
  return (
    <span>
      <time dateTime={timestamp}>{shownDateTime(timestamp)}</time>
      {occurrences > 1 && (
        <span className="muted">
          {' '}
          {occurrences} times, last {shownDateTime(lastTimestamp)}
        </span>
      )}
    </span>
  );
}

function Handled({ alert: { status, overrideUserEmail, handledAt } }: { alert: FileBreak }) {
  if (status === 'ACTIVE') return <span className="muted">Nobody yet</span>;
  return (
    <span>
      {overrideUserEmail ?? 'An unknown person'}
      {handledAt !== null && <span className="muted"> {shownDateTime(handledAt)}</span>}
    </span>
  );
}
