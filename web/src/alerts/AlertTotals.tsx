import { ALERT_STATUSES, type AlertCount, type AlertCounts } from '@sentinel-node/contracts';
import { plural } from '../format.ts';

interface AlertTotalsProps {
  counts: AlertCounts;
  /** Whether the filter names a status: the counts by status are then of alerts that the filter leaves out too. */
  isOfOneStatus: boolean;
}

/** Shows the number of matching alerts, in total and by status, in the specification's words. */
export function AlertTotals({ counts, isOfOneStatus }: AlertTotalsProps) {
  const words = ALERT_STATUSES.map((status) => `${alertsOf(counts.status, status)} ${status.toLowerCase()}`);
  return (
    <p className="muted num">
      {plural(counts.alerts, 'alert')}
      {!isOfOneStatus && `: ${words.join(', ')}`}
    </p>
  );
}

function alertsOf(counts: readonly AlertCount[], status: string): string {
  return (counts.find(({ value }) => value === status)?.alerts ?? 0).toLocaleString('en-US');
}
