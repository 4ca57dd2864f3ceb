import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  createLog,
  EMBEDDED_TOPICS,
  failureMessage,
  loadMasterSecret,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  readConfig,
  type DataFolder,
} from '@sentinel-node/platform';
import { catchUp } from './catch-up.ts';
import { auditAll, type AuditResult } from './audit.ts';

const HELP = `usage: sentinel audit [--data DIR] [--json]

Takes the log for the truth: judges every report again, checks every chain and batch, rebuilds every view into a
scratch store and compares it with the stored one. The system must be stopped meanwhile.

  --data DIR   the data folder (default: SENTINEL_DATA_DIR, else ./data)
  --json       the result as JSON
  --help       this text

Exit code 0: all is as the log says; 1: it is not, the differences are named; 2: wrong usage.
`;
const SCRATCH = 'audit-scratch.db';

/** @returns the exit code */
export async function runAudit(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    const config = readConfig({
      ...process.env,
      ...(values.data === undefined ? {} : { SENTINEL_DATA_DIR: values.data }),
    });
    const folder = openDataFolder(config.dataDir);
    try {
      const result = await auditFolder(folder, config.secret);
      process.stdout.write(values.json === true ? `${JSON.stringify(result)}\n` : words(result));
      return result.differences === 0 ? 0 : 1;
    } finally {
      folder.release();
    }
  } catch (error) {
    const message = failureMessage(error);
    if (message === undefined) throw error;
    process.stderr.write(`sentinel audit: ${message}\n`);
    return 1;
  }
}

/** Audits a data folder that nobody else uses; what was not judged or projected yet is, before the comparison. */
export async function auditFolder(
  folder: DataFolder,
  configuredSecret: string | undefined,
): Promise<AuditResult> {
  const { logId } = logKeyOf(await loadMasterSecret(configuredSecret, folder.path));
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const store = await openEmbeddedDocumentStore({ folder });
  removeScratch(folder);
  const scratch = await openEmbeddedDocumentStore({ folder, file: SCRATCH });
  try {
    await catchUp({ eventLog, store, logId, log: createLog({ level: 'warn', service: 'audit' }) });
    return await auditAll({ eventLog, store, scratch, logId });
  } finally {
    await Promise.all([scratch.close(), store.close(), eventLog.close()]);
    removeScratch(folder);
  }
}

function removeScratch(folder: DataFolder): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(folder.file(`${SCRATCH}${suffix}`), { force: true });
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
