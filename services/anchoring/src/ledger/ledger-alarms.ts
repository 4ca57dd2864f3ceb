import type { Log, Metrics } from '@sentinel-node/platform';
import { ARC_ALARMS, type ArcAlarm } from '@sentinel-node/platform/ledger';

/** Reports answers of the ledger's services to operators, in the log and as a metric. */
export function ledgerAlarms(log: Log | undefined, metrics: Metrics | undefined): (alarm: ArcAlarm) => void {
  const counter = metrics?.counter({
    name: 'anchoring_ledger_alarms_total',
    help: 'Answers of the ledger’s services that a person should look at: calls that are refused, states such as a double spend, answers that cannot be used, blocks that are contradicted.',
    labels: { reason: ARC_ALARMS },
  });
  return ({ reason, endpoint, detail, txid }) => {
    counter?.({ reason });
    log?.error({ reason, endpoint, detail, txid }, 'the ledger’s service answers what needs a look');
  };
}
