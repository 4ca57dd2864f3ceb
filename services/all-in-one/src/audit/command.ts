import { parseOptions } from '@sentinel-node/agent/arguments';
import { OWN_COLLECTIONS, Standing } from '@sentinel-node/anchoring';
import { TOPICS } from '@sentinel-node/contracts';
import { systemClock } from '@sentinel-node/platform';
import { rebuildsLeft } from '../rebuild/mark.ts';
import { operate, OPTIONS, runCommand, waitSeconds, type Operation } from '../operator/run.ts';
import type { Passes } from '../operator/read-counter.ts';
import { catchUp } from './catch-up.ts';
import { auditAll, type AuditDeps, type AuditResult } from './audit.ts';
import type { KeptCheckpoint } from './check-anchors.ts';
import { checkpointWords, readCheckpoint, readReceipts, withLedger } from './evidence.ts';
import { notComparedWords } from './coverage.ts';
import { isOverdue, overdueWords, unanchoredWords } from './unanchored.ts';

const HELP = `usage: sentinel audit [--data DIR] [--checkpoint FILE] [--receipts FILE] [--wait SECONDS] [--json]

Takes the log for the truth: judges every report again, checks every chain and batch, rebuilds every view into a
scratch store and compares it with the stored one, as it does with the heads that the verifier goes on from, the
commits of organisations, devices and alerts that commands go on from, the claims on alerts, and the reservations of names,
addresses and wallet identities. What it does not compare, it names (docs/audit.md). Of the embedded store it compares the indexes, by which
lists find documents, with the documents. Then compares the log itself with what others hold of it: each batch
with its signed transaction, the seals from the first transaction on, the ledger's answers, and a checkpoint kept
elsewhere.

On Kafka and MongoDB (SENTINEL_KAFKA_BROKERS, SENTINEL_MONGODB_URL, SENTINEL_SECRET) the services go on meanwhile: the
audit takes the positions where the log ends, waits until the services are past them, and looks again at what has
changed since. Its scratch database is dropped at the end. On the embedded store the system must be stopped.

  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --checkpoint FILE
                   a checkpoint of this log that was kept elsewhere (a signed note, as /checkpoint gives it); a log that
                   was rewritten with its transactions shows by it, up to the batch that it ends with; one of the empty
                   log is refused
  --receipts FILE  receipts that others kept, one a line, as receipts.ndjson in an agent's state folder: a report that was
                   accepted and dropped before it was anchored shows by them alone
  --wait SECONDS   how long each wait for the running services may take (default: 120)
  --json           the result as JSON; boundBatches: how many batches the checkpoint binds, or null;
                   receipts: how many were looked for, or null
  --help           this text

What is not anchored yet is counted, with the time since when it waits: entries in no batch, batches without a transaction
on the network, transactions in no block. That is no fault while it is on its way. It is one when an entry or a batch has
waited for longer than the longest interval (SENTINEL_INTERVAL_*), at least an hour, a transaction for a block for three
hours, or when the ledger refuses a transaction. Of a stopped system the time counts in which its log has records.

Progress goes to standard error. Exit codes:
  0  all is as the log says, and the log is as it was anchored; what waits is on its way
  1  differences, which are named, or anchoring does not get on, or the audit could not be done, or the log is empty, which
     is one line
  2  wrong usage
  3  the log contradicts a signed transaction, the ledger or the kept checkpoint; the first such batch is named, and
     organisations whose notification rules name failed evidence are told
`;
/** Most checks of a live system's document that no record explains yet. */
const LIVE_LOOKS = 5;

const CONTRADICTION = 3;

/** Passes over each topic: for the verdicts, for the chains and batches, for the streams, then for the views. */
const PASSES: Passes = {
  [TOPICS.fileEvents]: 1,
  [TOPICS.deadLetters]: 1,
  [TOPICS.chain]: 4,
  [TOPICS.anchors]: 2,
  [TOPICS.registry]: 2,
  [TOPICS.deviceHealth]: 1,
};

/** Runs `sentinel audit`. @returns the exit code */
export async function runAudit(args: readonly string[]): Promise<number> {
  const { values } = parseOptions({
    args: [...args],
    options: {
      ...OPTIONS,
      checkpoint: { type: 'string' },
      receipts: { type: 'string' },
      wait: { type: 'string' },
    },
  });
  return runCommand({ name: 'audit', help: HELP }, values, () => {
    const wait = waitSeconds(values.wait);
    return operate({ command: 'audit', dataDir: values.data }, async (operation) => {
      const checkpoint =
        values.checkpoint === undefined ? undefined : await readCheckpoint(values.checkpoint, operation);
      const receipts = values.receipts === undefined ? [] : await readReceipts(values.receipts, operation);
      const result = await auditStores(operation, wait, { checkpoint, receipts });
      const { counter } = operation;
      counter.writeReads();
      process.stdout.write(
        values.json === true
          ? `${JSON.stringify({ ...result, reads: counter.reads, total: counter.total })}
`
          : words(result, checkpoint),
      );
      if (result.contradiction !== null) {
        await notifyOrganizations(operation, result.contradiction.batch);
        return CONTRADICTION;
      }
      const isGood = result.differences === 0 && !isEmpty(result) && !isOverdue(result.unanchored);
      return isGood ? 0 : 1;
    });
  });
}

/**
 * Publishes the contradiction once per batch to the topic that the notifier reads; on a stopped system, the
 * notifier reads it after the next start.
 */
async function notifyOrganizations({ store, eventLog, log }: Operation, batch: number): Promise<void> {
  await store.ensure([OWN_COLLECTIONS.operations]);
  await new Standing({ store, eventLog, log, clock: systemClock }).evidenceFailed(batch);
}

/** Audits the stores; on a stopped system, unfinished records are judged and projected first. */
export async function auditStores(
  operation: Operation,
  seconds: number,
  kept: Pick<AuditDeps, 'checkpoint' | 'receipts'>,
): Promise<AuditResult> {
  const { config, counter, eventLog, indexFaults, store, logKey, isLive, writeLine } = operation;
  const { logId } = logKey;
  for (const { id } of await rebuildsLeft(store))
    writeLine(`a rebuild of ${id} is under way or was not finished: sentinel rebuild ${id}`);
  const scratch = await operation.openScratch();
  if (!isLive) await catchUp({ ...operation, logId });
  const patience = { isLive, waitSeconds: seconds, looks: isLive ? LIVE_LOOKS : 1, writeLine };
  const intervalSeconds = Math.max(...Object.values(config.categoryIntervalSeconds));
  return withLedger(config, store, async (ledger, startLedger) => {
    await counter.plan(kept.receipts.length === 0 ? PASSES : { ...PASSES, [TOPICS.fileEvents]: 2 });
    const stores = { eventLog, store, indexFaults, scratch, logKey };
    const given = { ledger, startLedger, intervalSeconds, clock: systemClock, patience };
    return auditAll({ ...stores, ...given, ...kept });
  });
}

/** Returns how many differences each check found that are not told. */
function moreWords({ differencesBy, findings }: AuditResult): string {
  const untold = Object.entries(differencesBy).map(([check, count]): [string, number] => [
    check,
    count - findings.filter((one) => one.check === check).length,
  ]);
  return untold.flatMap(([check, count]) => (count > 0 ? [`${check} ${count}`] : [])).join(', ');
}

/** Returns whether the log has nothing of a system: a comparison would show nothing. */
const isEmpty = ({ batches, commits, entries, judged }: AuditResult): boolean =>
  batches + commits + entries + judged === 0;

const receiptCount = ({ receipts }: AuditResult): string =>
  receipts === null ? '' : `${receipts} receipts, `;

function words(result: AuditResult, checkpoint: KeptCheckpoint | undefined): string {
  const { contradiction, differences, findings } = result;
  const counts = `${result.judged} records judged again, ${result.entries} entries, ${result.batches} batches, ${result.transactions} transactions, ${result.heads} heads, ${result.commits} commits, ${result.claims} claims, ${result.reservations} reservations, ${receiptCount(result)}${result.documents} documents compared`;
  const lines = findings.map(({ check, what }) => `${check}: ${what}`);
  const more = differences - findings.length;
  if (more > 0) lines.push(`and ${more} more (${moreWords(result)})`);
  if (contradiction !== null)
    lines.push(
      `audit: batch ${contradiction.batch} is the first that contradicts what was anchored: ${contradiction.what}`,
    );
  lines.push(...unanchoredWords(result.unanchored).map((line) => `audit: ${line}`));
  if (result.unsettled > 0)
    lines.push(
      `audit: ${result.unsettled} of ${result.transactions} transactions may still move: they are not deep enough in the ledger yet, so that its answers about them are not compared`,
    );
  lines.push(...notComparedWords(result.unknown).map((line) => `audit: ${line}`));
  lines.push(...checkpointWords(checkpoint, result.batches).map((line) => `audit: ${line}`));
  if (result.receipts === null)
    lines.push(
      'audit: no receipts kept elsewhere were given: a report that was accepted and dropped before it was anchored shows by --receipts alone',
    );
  if (isEmpty(result) && differences === 0) {
    lines.push('audit: the log is empty: there is nothing to compare');
    return `${lines.join('\n')}\n`;
  }
  const good = `all is as the log says${overdueWords(result.unanchored)}`;
  const bad = differences === 1 ? '1 difference' : `${differences} differences`;
  lines.push(`audit: ${differences === 0 ? good : bad} (${counts})`);
  return `${lines.join('\n')}\n`;
}
