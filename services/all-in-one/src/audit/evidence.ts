/** Opens the evidence for the audit: the ledger, and a checkpoint kept elsewhere. */
import { readUpTo } from '@sentinel-node/agent/read-input';
import { ledgerOf } from '@sentinel-node/anchoring';
import {
  defaultLogOrigin,
  MAX_CHECKPOINT_LENGTH,
  receiptFrom,
  utf8,
  verifyCheckpoint,
  VerifyInputError,
  verifyReceipt,
  type KeptReceipt,
} from '@sentinel-node/contracts';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { DEV_LEDGER_COLLECTIONS, systemClock, systemTimers, verifyEd25519 } from '@sentinel-node/platform';
import type { Config, DocumentStore, Ledger } from '@sentinel-node/platform';
import { UsageError, type Operation } from '../operator/run.ts';
import type { KeptCheckpoint } from './check-anchors.ts';

/** Most bytes of a file of receipts: some 300,000 receipts. */
const RECEIPTS_BYTES = 268_435_456;

/**
 * Runs `work` with the configured ledger, for reading only: nothing is mined, sent, or written. A public ledger knows its block headers
 * once `work` has called `start`, which loads those that are stored then. @throws ConfigError
 */
export async function withLedger<T>(
  config: Pick<Config, 'headers' | 'ledger'>,
  store: DocumentStore,
  work: (ledger: Ledger, start: () => Promise<void>) => Promise<T>,
): Promise<T> {
  await store.ensure(Object.values(DEV_LEDGER_COLLECTIONS));
  const ledger = ledgerOf(config, { store, clock: systemClock, timers: systemTimers, isReader: true });
  // The development ledger mines once it is started.
  if (config.ledger.kind === 'dev') return work(ledger, () => Promise.resolve());
  try {
    return await work(ledger, () => ledger.start());
  } finally {
    await ledger.stop();
  }
}

/**
 * Reads a checkpoint. @throws UsageError when the file is not a checkpoint signed by this log's key, or is of the empty log,
 * which every log continues
 */
export async function readCheckpoint(
  path: string,
  { config, logKey }: Pick<Operation, 'config' | 'logKey'>,
): Promise<KeptCheckpoint> {
  const note = await readText('--checkpoint', path, MAX_CHECKPOINT_LENGTH);
  const origin = config.logOrigin ?? defaultLogOrigin(logKey.logId);
  const signed =
    note === undefined ? undefined : await verifyCheckpoint(note, origin, logKey.publicKey, verifyEd25519);
  if (signed === undefined)
    throw new UsageError(
      `--checkpoint ${path} is not a checkpoint that the key of this log signed as ${origin}`,
    );
  if (signed.size === 0)
    throw new UsageError(
      `--checkpoint ${path} is of the empty log, which shows nothing: give one that was kept later`,
    );
  return signed;
}

/** Returns what a checkpoint, or its absence, leaves open of a log. @param batches number of batches in the log */
export function checkpointWords(checkpoint: KeptCheckpoint | undefined, batches: number): string[] {
  if (checkpoint === undefined)
    return [
      'no checkpoint kept elsewhere was given: a log that was rewritten together with its transactions shows by --checkpoint alone',
    ];
  const more = batches - checkpoint.size;
  return more <= 0
    ? []
    : [
        `the kept checkpoint binds the batches up to ${checkpoint.size - 1}, the log has ${more} more: whether these were rewritten together with their transactions shows by a newer checkpoint alone`,
      ];
}

/** Reads receipts, one a line. @throws UsageError when a line is not a receipt that this log's key signed */
export async function readReceipts(
  path: string,
  { logKey }: Pick<Operation, 'logKey'>,
): Promise<KeptReceipt[]> {
  const text = await readText('--receipts', path, RECEIPTS_BYTES);
  if (text === undefined)
    throw new UsageError(
      `--receipts ${path} has more than ${RECEIPTS_BYTES} bytes: divide it, and audit with each part`,
    );
  const receipts: KeptReceipt[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const kept = receiptOf(`line ${at + 1} of ${path}`, line);
    if (!(await verifyReceipt(kept, logKey, verifyEd25519)))
      throw new UsageError(`line ${at + 1} of --receipts ${path} is not signed by the key of this log`);
    receipts.push(kept);
  }
  if (receipts.length === 0) throw new UsageError(`--receipts ${path} holds no receipt`);
  return receipts;
}

/**
 * Reads a file or pipe of UTF-8. @returns undefined when it has more than `limit` bytes
 * @throws UsageError when it cannot be read
 */
async function readText(option: string, path: string, limit: number): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readUpTo(path, limit + 1);
  } catch (error) {
    throw new UsageError(`${option} ${path} cannot be read: ${codeOf(error) ?? messageOf(error)}`);
  }
  return bytes.length > limit ? undefined : Buffer.from(bytes).toString();
}

function receiptOf(name: string, line: string): KeptReceipt {
  try {
    return receiptFrom(name, utf8(line));
  } catch (error) {
    throw error instanceof VerifyInputError ? new UsageError(error.message) : error;
  }
}
