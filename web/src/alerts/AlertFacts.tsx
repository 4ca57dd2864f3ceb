import type { Alert } from '../answers.ts';
import { Link } from 'wouter';
import { shownDateTime, handlerTerm } from '../format.ts';
import { paths } from '../paths.ts';
import { Deadline, Moment } from '../components/Moment.tsx';
import { hasEnded } from './share-end.ts';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { TransactionLink } from '../chain/TransactionLink.tsx';

interface AlertFactsProps {
  alert: Alert;
  onAssign: () => void;
  onEndSharing: () => void;
}

export function AlertFacts({ alert, onAssign, onEndSharing }: AlertFactsProps) {
  const items: [string, React.ReactNode][] = [
    ['File', <Link href={paths.filePage(alert.deviceId, alert.fileId)}>{alert.fileName}</Link>],
    ['Device', <Link href={paths.device(alert.deviceId)}>{alert.deviceName}</Link>],
    ['Time', <Moment at={alert.timestamp} />],
  ];
  if (alert.planned !== undefined) {
    const { windowId, reason } = alert.planned;
    items.push(['Planned', <Link href={paths.maintenanceWindow(windowId)}>{reason}</Link>]);
  }
  if (alert.expected !== undefined) {
    const { listId, reason } = alert.expected;
    items.push(['Expected', <Link href={paths.expectedList(listId)}>{reason}</Link>]);
  }
  if (alert.occurrences > 1) {
    items.push(['Occurrences', `${alert.occurrences}, last ${shownDateTime(alert.lastTimestamp)}`]);
  }
  if (alert.status !== 'ACTIVE') {
    items.push([handlerTerm(alert.status), alert.overrideUserEmail]);
    items.push(['Note', <span className="preserve">{alert.note}</span>]);
  }
  items.push([
    'Assigned to',
    <>
      {alert.assignee?.email ?? 'Nobody'}{' '}
      <button type="button" className="text-button" onClick={onAssign}>
        {alert.assignee === undefined ? 'Assign' : 'Change'}
      </button>
    </>,
  ]);
  if (alert.contentHash !== undefined) {
    const same = `${paths.alerts}?${new URLSearchParams({ content: alert.contentHash })}`;
    items.push(['Content', <Link href={same}>All alerts with this content</Link>]);
  }
  if (alert.sharedData.length > 0) {
    items.push(['Shared with', alert.sharedData.map((share) => share.emailAddress).join(', ')]);
  }
  if (alert.shareExpiresAt !== undefined) {
    const at = <Deadline at={alert.shareExpiresAt} />;
    if (hasEnded(alert)) items.push(['Link ended', at]);
    else
      items.push([
        'Link ends',
        <>
          {at}{' '}
          <button type="button" className="text-button" onClick={onEndSharing}>
            End sharing
          </button>
        </>,
      ]);
  }
  items.push(['Alert ID', <Hash value={alert.id} label="alert id" full />]);
  items.push([
    'Transaction',
    alert.bsvTransactionID === null ? (
      <span className="muted">Not anchored yet</span>
    ) : (
      <TransactionLink id={alert.bsvTransactionID} />
    ),
  ]);
  return <DescriptionList items={items} />;
}
