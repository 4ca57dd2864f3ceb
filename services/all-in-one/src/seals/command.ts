import { once } from 'node:events';
import { parseOptions } from '@sentinel-node/agent/arguments';
import { batchId, isSpendable, OWN_COLLECTIONS, spentOutputs } from '@sentinel-node/anchoring';
import type { CutDocument, TransactionDocument } from '@sentinel-node/anchoring';
import { logIdOf, SEALS_FORMAT, toHex, type SealLine, type SealsHead } from '@sentinel-node/contracts';
import { endOf, LOG_KEY_LOST, withDocuments, type Reading } from '../operator/read.ts';
import { OPTIONS, runCommand } from '../operator/run.ts';

const HELP = `usage: sentinel seals [--data DIR] > FILE

Writes the chain of seals: every batch header with its signed transaction, from the first on, a line of JSON each
(docs/formats.md). With it, sentinel verify --seals FILE shows a checker that the log is one: each transaction is signed
and spends the one before. It holds no secret and can be published; later batches are further lines.

Works beside a running server, on the embedded store too.

  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --help           this text

It ends before the first batch whose transaction is not on the network: one that was not sent, or that the ledger refuses, may
be replaced by another (sentinel anchors resume), and whoever has it would find two logs. How many batches follow is said on
standard error.

Exit code 0: done; 1: a batch has no transaction though a later one has, or it could not be done, which is one line;
2: wrong usage.
`;

const { cuts, transactions } = OWN_COLLECTIONS;
/** Batches between two lines of progress. */
const PROGRESS_BATCHES = 10_000;

/** Runs `sentinel seals`. @returns the exit code */
export async function runSeals(args: readonly string[]): Promise<number> {
  const { data, help } = OPTIONS;
  const { values } = parseOptions({ args: [...args], options: { data, help } });
  return runCommand({ name: 'seals', help: HELP }, values, () =>
    withDocuments({ command: 'seals', dataDir: values.data }, async (from) => {
      const problem = await writeSeals(from);
      if (problem === undefined) return 0;
      from.writeLine(problem);
      return 1;
    }),
  );
}

/** Writes the seals up to the last batch before a transaction that is not on the network. @returns why seals are missing, if so */
async function writeSeals({ documents, publicKey, writeLine }: Reading): Promise<string | undefined> {
  const end = await endOf(documents, transactions.name);
  let written = 0;
  for (let batch = 0; batch < end; batch++) {
    const document = await documents.get(transactions.name, batchId(batch));
    if (document === undefined)
      return `batch ${batch} has no transaction, and a later one has: run sentinel audit`;
    if (written < batch || !isSpendable(document.record.transaction!)) continue;
    if (publicKey === undefined) return LOG_KEY_LOST;
    if (batch === 0) await write(headOf(publicKey, document.network));
    const line = lineOf(document, await documents.get(cuts.name, batchId(batch)));
    if (line === undefined)
      return `batch ${batch}: its cut or its transaction cannot be read; run sentinel audit`;
    await write(line);
    written += 1;
    if (written % PROGRESS_BATCHES === 0) writeLine(`${written} batches`);
  }
  if (written === 0) return 'nothing is anchored yet';
  const waiting = (await endOf(documents, cuts.name)) - written;
  if (waiting > 0) writeLine(`later batches, which have no transaction on the network yet: ${waiting}`);
  return undefined;
}

const headOf = (publicKey: Uint8Array, network: string): SealsHead => ({
  format: SEALS_FORMAT,
  logId: toHex(logIdOf(publicKey)),
  network,
});

function lineOf(document: TransactionDocument, cut: CutDocument | undefined): SealLine | undefined {
  const spends = spentOutputs(document);
  if (cut === undefined || spends === undefined) return undefined;
  const { batch, rawTx: raw } = document;
  return {
    batch,
    header: cut.cut.header,
    raw,
    spends: spends.map(({ satoshis, script }) => ({ satoshis, script: toHex(script) })),
  };
}

async function write(value: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, 'drain');
}
