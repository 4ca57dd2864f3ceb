import type { Alert } from '@sentinel-node/contracts';
import { Link } from 'wouter';
import { shownDateTime } from '../format.ts';
import { paths } from '../paths.ts';
import { hasEnded } from './share-end.ts';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { TransactionLink } from './TransactionLink.tsx';

export function AlertFacts({ alert }: { alert: Alert }) {
  const items: [string, React.ReactNode][] = [
    ['File', <Link href={paths.filePage(alert.deviceId, alert.fileId)}>{alert.fileName}</Link>],
    ['Device', <Link href={paths.device(alert.deviceId)}>{alert.deviceName}</Link>],
    ['Time', <time dateTime={alert.timestamp}>{shownDateTime(alert.timestamp)}</time>],
  ];
  if (alert.occurrences > 1) {
    items.push(['Occurrences', `${alert.occurrences}, last ${shownDateTime(alert.lastTimestamp)}`]);
  }
  if (alert.status !== 'ACTIVE') {
    items.push([alert.status === 'RESOLVED' ? 'Dismissed by' : 'Reset by', alert.overrideUserEmail]);
    items.push(['Note', <span className="preserve">{alert.note}</span>]);
  }
  if (alert.sharedData.length > 0) {
    items.push(['Shared with', alert.sharedData.map((share) => share.emailAddress).join(', ')]);
  }
  if (alert.shareExpiresAt !== undefined) {
    const end = <time dateTime={alert.shareExpiresAt}>{shownDateTime(alert.shareExpiresAt)}</time>;
    items.push([hasEnded(alert) ? 'Link ended' : 'Link ends', end]);
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
