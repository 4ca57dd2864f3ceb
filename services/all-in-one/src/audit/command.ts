import { parseArgs } from 'node:util';
import { rebuildsLeft } from '../rebuild/mark.ts';
import { operate, OPTIONS, runCommand, waitSeconds, type Operation } from '../operator/run.ts';
import { catchUp } from './catch-up.ts';
import { auditAll, type AuditResult } from './audit.ts';

const HELP = `usage: sentinel audit [--data DIR] [--wait SECONDS] [--json]

Takes the log for the truth: judges every report again, checks every chain and batch, rebuilds every view into a
scratch store and compares it with the stored one.

On Kafka and MongoDB (SENTINEL_KAFKA_BROKERS, SENTINEL_MONGODB_URL, SENTINEL_SECRET) the services go on meanwhile: the
audit takes the positions where the log ends, waits until the services are past them, and looks again at what has
changed since. Its scratch database is dropped at the end. On the embedded store the system must be stopped.

  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --wait SECONDS   how long each wait for the running services may take (default: 120)
  --json           the result as JSON
  --help           this text

Progress goes to standard error. Exit code 0: all is as the log says; 1: it is not, the differences are named, or the
audit could not be done, which is one line; 2: wrong usage.
`;
/** Looks at a document of a live system that no record explains yet. */
const LIVE_LOOKS = 5;

/** @returns the exit code */
export async function runAudit(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...OPTIONS,
      wait: { type: 'string' },
    },
  });
  return runCommand({ name: 'audit', help: HELP }, values, () => {
    const wait = waitSeconds(values.wait);
    return operate({ command: 'audit', dataDir: values.data }, async (operation) => {
      const result = await auditStores(operation, wait);
      process.stdout.write(values.json === true ? `${JSON.stringify(result)}\n` : words(result));
      return result.differences === 0 ? 0 : 1;
    });
  });
}

/** On a system that stands still, what was not judged or projected yet is, before the comparison. */
async function auditStores(operation: Operation, seconds: number): Promise<AuditResult> {
  const { eventLog, store, logKey, log, isLive, tell } = operation;
  const { logId } = logKey;
  for (const { id } of await rebuildsLeft(store))
    tell(`a rebuild of ${id} is under way or was not finished: sentinel rebuild ${id}`);
  const scratch = await operation.openScratch();
  if (!isLive) await catchUp({ eventLog, store, logId, log });
  const patience = { isLive, waitSeconds: seconds, looks: isLive ? LIVE_LOOKS : 1, tell };
  return auditAll({ eventLog, store, scratch, logId, patience });
}

function words({ judged, entries, batches, documents, differences, findings }: AuditResult): string {
  const counts = `${judged} records judged again, ${entries} entries, ${batches} batches, ${documents} documents compared`;
  const lines = findings.map(({ check, what }) => `${check}: ${what}`);
  const more = differences - findings.length;
  if (more > 0) lines.push(`and ${more} more`);
  lines.push(
    differences === 0
      ? `audit: all is as the log says (${counts})`
      : `audit: ${differences} differences (${counts})`,
  );
  return `${lines.join('\n')}\n`;
}
