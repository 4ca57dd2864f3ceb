import { parseOptions } from '@sentinel-node/agent/arguments';
import { escapeLines } from '@sentinel-node/agent/escape-lines';
import { batchId, isRefused, markRecheck, markResume, OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import type { TransactionDocument } from '@sentinel-node/anchoring';
import type { DocumentReader } from '@sentinel-node/platform';
import { endOf, withDocuments } from '../operator/read.ts';
import { operate, OPTIONS, runCommand, UsageError, wholeNumber } from '../operator/run.ts';

const HELP = `usage: sentinel anchors [--count N] [--json] [--data DIR]
       sentinel anchors resume [--data DIR]
       sentinel anchors recheck [--data DIR]

Shows the newest anchors: batch, when it was last heard of, its status at the ledger, confirmations, transaction; of a refused one
also the words of the ledger.

resume   lets anchoring go on after the ledger refused the newest anchor (REJECTED), knows another transaction that
         spends the same (DOUBLE_SPEND_ATTEMPTED), or has set it aside for about half an hour (SEEN_IN_ORPHAN_MEMPOOL,
         MINED_IN_STALE_BLOCK), though it was sent again with the anchors before it. Anchoring first sends what it had signed once more; only if that is
         refused again it signs anew, over the same seal, so that at most one of them can be in a block. First find out
         why it was refused (deploy/runbook.md). A refused anchor that later ones follow is asked about on by itself, and
         is never signed anew; resume then sends it once more. Of several each resume takes the next, the oldest first.

recheck  has every anchor in a block compared with the chain of block headers again: those whose block is not in it are
         taken back, and the ledger is asked about them. A running service does so by itself when the chain moves, and a
         start, when it moved meanwhile. It is for a reorganisation that none of them could see, and which therefore stops
         anchoring as a contradiction ("the ledger has no such block"): after a restore, or an upgrade from a version that
         did not look. First compare the headers with another source (deploy/runbook.md). Restart anchoring afterwards.

  --count N        as many of the newest (default: 10)
  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json           the result as JSON
  --help           this text

Works beside running services; only resume and recheck on the embedded store need the system stopped, and count at the next
start.

Batches that are cut and not signed yet are counted above the list, with the time since when they wait.

Exit code 0: done; 1: a batch has no transaction or no cut though a later one has, there is nothing to resume, or it could
not be done, which is one line; 2: wrong usage.
`;

const DEFAULT_COUNT = '10';
const MAX_COUNT = 1_000;
const { chainMarks, cuts, transactions } = OWN_COLLECTIONS;

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
    const command = action === undefined ? undefined : COMMANDS.get(action);
    if ((action !== undefined && command === undefined) || more.length > 0)
      throw new UsageError('say nothing more, or resume, or recheck; --help tells more');
    if (command !== undefined) {
      if (count !== undefined || json !== undefined) throw new UsageError(`${action} takes --data only`);
      return command(dataDir);
    }
    const wanted = wholeNumber('count', count ?? DEFAULT_COUNT, 1, MAX_COUNT);
    return withDocuments({ command: 'anchors', dataDir }, async ({ documents, writeLine }) => {
      const { found, missing, problems, waiting } = await newest(documents, wanted);
      const anchors = found.map(anchorJson);
      process.stdout.write(
        json === true ? `${JSON.stringify({ anchors, missing, waiting })}\n` : table(anchors, waiting),
      );
      for (const problem of problems) writeLine(`${problem}: run sentinel audit`);
      return problems.length === 0 ? 0 : 1;
    });
  });
}

function resume(dataDir: string | undefined): Promise<number> {
  return operate({ command: 'anchors', dataDir }, async ({ store, isLive, writeLine }) => {
    await store.ensure([transactions]);
    const resumed = await markResume(store);
    if (resumed === undefined) {
      writeLine('no anchor is refused: there is nothing to resume');
      return 1;
    }
    process.stdout.write(
      `batch ${resumed.batch}: its anchor is sent again ${isLive ? 'within seconds' : 'at the next start'}\n`,
    );
    if (resumed.left > 0)
      process.stdout.write(`${resumed.left} more are refused: resume again takes the next one\n`);
    return 0;
  });
}

function recheck(dataDir: string | undefined): Promise<number> {
  return operate({ command: 'anchors', dataDir }, async ({ store, isLive, writeLine }) => {
    await store.ensure([chainMarks]);
    if (!(await markRecheck(store))) {
      writeLine('the service looks at the chain of blocks at this moment: try again');
      return 1;
    }
    process.stdout.write(
      `the blocks of all anchors are compared ${isLive ? 'within seconds; while a contradiction stops anchoring, after a restart' : 'at the next start'}\n`,
    );
    return 0;
  });
}

const COMMANDS: ReadonlyMap<string, (dataDir: string | undefined) => Promise<number>> = new Map([
  ['resume', resume],
  ['recheck', recheck],
]);

/** Batches that are cut and have no transaction yet. */
interface WaitingBatches {
  readonly count: number;
  /** Cut of the first of them; null when it is gone. */
  readonly since: string | null;
}

interface Newest {
  /** Transactions, the newest first. */
  readonly found: readonly TransactionDocument[];
  /** Batches between them whose transaction is gone. */
  readonly missing: readonly number[];
  /** Missing transactions and cuts, in words. */
  readonly problems: readonly string[];
  readonly waiting: WaitingBatches | null;
}

/** Looks at the newest `count` batches that must have a transaction, because a later one has. */
async function newest(documents: DocumentReader, count: number): Promise<Newest> {
  // A batch has its cut before its transaction, so the end of the cuts is read last.
  const signed = await endOf(documents, transactions.name);
  const end = await endOf(documents, cuts.name);
  const found: TransactionDocument[] = [];
  const missing: number[] = [];
  for (let batch = signed - 1; batch >= Math.max(0, signed - count); batch--) {
    const transaction = await documents.get(transactions.name, batchId(batch));
    if (transaction === undefined) missing.push(batch);
    else found.push(transaction);
  }
  const problems = missing.map((batch) => `batch ${batch} has no transaction, though a later batch has`);
  if (end < signed) problems.push(`batch ${signed - 1} has a transaction and no cut`);
  if (end <= signed) return { found, missing, problems, waiting: null };
  const first = await documents.get(cuts.name, batchId(signed));
  if (first === undefined) problems.push(`batch ${signed} has no cut, though a later batch has`);
  const since = first === undefined ? null : new Date(first.cut.closedAt).toISOString();
  return { found, missing, problems, waiting: { count: end - signed, since } };
}

function anchorJson(document: TransactionDocument) {
  const { batch, at, network, record, fee, funds, open, resume: asked, replaced } = document;
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
    /** Whether anchoring asks the ledger about the transaction. */
    open: open === 1,
    /** Whether the ledger refuses the transaction, or has set it aside for too long. */
    refused: isRefused(document),
    /** Words of the ledger about a refused transaction; null when it gave none. */
    words: document.words ?? null,
    /** Whether anchoring will send the transaction again. */
    resumes: asked === 1,
    replaced: (replaced ?? []).map((other) => other.txid),
  };
}

/** @param isFollowed whether a later batch has a transaction */
function refusedWords({ open, resumes }: Listed, isFollowed: boolean): string {
  if (resumes) return 'is sent again';
  if (!isFollowed) return 'needs sentinel anchors resume';
  return open ? 'is asked about on, as later ones follow' : 'is asked about again from the next start on';
}

type Listed = ReturnType<typeof anchorJson>;

function table(anchors: readonly Listed[], waiting: WaitingBatches | null): string {
  if (anchors.length === 0 && waiting === null) return 'nothing is anchored yet\n';
  const lines = anchors.map((anchor, place) => {
    const { batch, at, status, confirmations, txid, refused, words } = anchor;
    const todo = refused ? `  ${refusedWords(anchor, place > 0)}` : '';
    const why = words === null ? '' : `${' '.repeat(10)}the ledger says: ${escapeLines(words)}\n`;
    return `${String(batch).padStart(8)}  ${at}  ${status.padEnd(24)}${String(confirmations).padStart(4)}  ${txid}${todo}\n${why}`;
  });
  const wait =
    waiting === null
      ? ''
      : `${waiting.count} ${waiting.count === 1 ? 'batch waits' : 'batches wait'} for a transaction since ${waiting.since ?? 'an unknown time'}\n`;
  if (anchors.length === 0) return wait;
  return `${wait}   BATCH  HEARD OF                  STATUS                  CONF  TRANSACTION\n${lines.join('')}`;
}
