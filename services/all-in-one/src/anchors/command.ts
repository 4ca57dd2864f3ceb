import { parseOptions } from '@sentinel-node/agent/arguments';
import { batchId, markResume, needsResume, OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import type { TransactionDocument } from '@sentinel-node/anchoring';
import type { DocumentReader } from '@sentinel-node/platform';
import { withDocuments } from '../operator/read.ts';
import { operate, OPTIONS, runCommand, UsageError, wholeNumber } from '../operator/run.ts';

const HELP = `usage: sentinel anchors [--count N] [--json] [--data DIR]
       sentinel anchors resume [--data DIR]

Shows the newest anchors: batch, when it was last heard of, what the ledger says of it, confirmations, transaction.

resume   lets anchoring go on after the ledger refused the newest anchor (REJECTED), or knows another transaction that
         spends the same (DOUBLE_SPEND_ATTEMPTED). Anchoring first sends what it had signed once more; only if that is
         refused again it signs anew, over the same seal, so that at most one of them can be in a block. First find out
         why it was refused (deploy/runbook.md).

  --count N        as many of the newest (default: 10)
  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json           the result as JSON
  --help           this text

Works beside running services; only resume on the embedded store needs the system stopped, and counts at the next start.

Exit code 0: done; 1: there is nothing to resume, or it could not be done, which is one line; 2: wrong usage.
`;

const DEFAULT_COUNT = '10';
const MAX_COUNT = 1_000;
const { transactions } = OWN_COLLECTIONS;

/** Runs `sentinel anchors`. @returns the exit code */
export async function runAnchors(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    options: { ...OPTIONS, count: { type: 'string' } },
    allowPositionals: true,
  });
  return runCommand({ name: 'anchors', help: HELP }, values, () => {
    const { count, data: dataDir, json } = values;
    const [action, ...more] = positionals;
    if ((action !== undefined && action !== 'resume') || more.length > 0)
      throw new UsageError('say nothing more, or resume; --help tells more');
    if (action === 'resume') {
      if (count !== undefined || json !== undefined) throw new UsageError('resume takes --data only');
      return resume(dataDir);
    }
    const wanted = wholeNumber('count', count ?? DEFAULT_COUNT, 1, MAX_COUNT);
    return withDocuments({ command: 'anchors', dataDir }, async ({ documents }) => {
      const anchors = (await newest(documents, wanted)).map(anchorJson);
      process.stdout.write(json === true ? `${JSON.stringify({ anchors })}\n` : table(anchors));
      return 0;
    });
  });
}

function resume(dataDir: string | undefined): Promise<number> {
  return operate({ command: 'anchors', dataDir }, async ({ store, isLive, writeLine }) => {
    await store.ensure([transactions]);
    const batch = await markResume(store);
    if (batch === undefined) {
      writeLine('the newest anchor is not refused: there is nothing to resume');
      return 1;
    }
    process.stdout.write(
      `batch ${batch}: anchoring goes on ${isLive ? 'within seconds' : 'at the next start'}\n`,
    );
    return 0;
  });
}

type Read = (batch: number) => Promise<TransactionDocument | undefined>;

/** Returns the newest transactions, the newest first. */
async function newest(documents: DocumentReader, count: number): Promise<TransactionDocument[]> {
  const read: Read = async (batch) => await documents.get(transactions.name, batchId(batch));
  const end = await endOf(read);
  const found: TransactionDocument[] = [];
  for (let batch = end - 1; batch >= 0 && found.length < count; batch--) found.push((await read(batch))!);
  return found;
}

/** Returns the first batch without a transaction. Transactions have no gap, and a reader can only read by id. */
async function endOf(read: Read): Promise<number> {
  let [low, high] = [0, 1];
  while ((await read(high - 1)) !== undefined) [low, high] = [high, high * 2];
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await read(middle - 1)) === undefined) high = middle;
    else low = middle;
  }
  return low;
}

function anchorJson({
  batch,
  at,
  network,
  record,
  fee,
  funds,
  resume: asked,
  replaced,
}: TransactionDocument) {
  const { txid, status, blockHeight, confirmations } = record.transaction!;
  return {
    ...{
      batch,
      at: new Date(at).toISOString(),
      network,
      status,
      confirmations,
      blockHeight,
      txid,
      fee,
      funds,
    },
    /** Whether anchoring will send the transaction again. */
    resumes: asked === 1,
    replaced: (replaced ?? []).map((other) => other.txid),
  };
}

type Listed = ReturnType<typeof anchorJson>;

function table(anchors: readonly Listed[]): string {
  if (anchors.length === 0) return 'nothing is anchored yet\n';
  const lines = anchors.map(({ batch, at, status, confirmations, txid, resumes }) => {
    const words = needsResume(status)
      ? resumes
        ? '  is sent again'
        : '  needs sentinel anchors resume'
      : '';
    return `${String(batch).padStart(8)}  ${at}  ${status.padEnd(24)}${String(confirmations).padStart(4)}  ${txid}${words}\n`;
  });
  return `   BATCH  HEARD OF                  STATUS                  CONF  TRANSACTION\n${lines.join('')}`;
}
