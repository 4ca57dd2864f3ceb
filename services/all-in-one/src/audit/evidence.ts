/** Opens the evidence for the audit: the ledger, and a checkpoint kept elsewhere. */
import { readFile } from 'node:fs/promises';
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
import { DEV_LEDGER_COLLECTIONS, systemClock, systemTimers, verifyEd25519 } from '@sentinel-node/platform';
import type { Config, DocumentStore, Ledger } from '@sentinel-node/platform';
import { UsageError, type Operation } from '../operator/run.ts';
import type { KeptCheckpoint } from './check-anchors.ts';

/** Returns the configured ledger, for reading only: nothing is mined or sent. @throws ConfigError */
export async function ledgerToRead(config: Config, store: DocumentStore): Promise<Ledger> {
  await store.ensure(Object.values(DEV_LEDGER_COLLECTIONS));
  return ledgerOf(config, { store, clock: systemClock, timers: systemTimers });
}

/** Reads a checkpoint. @throws UsageError when the file is not a checkpoint signed by this log's key */
export async function readCheckpoint(
  path: string,
  { config, logKey }: Pick<Operation, 'config' | 'logKey'>,
): Promise<KeptCheckpoint> {
  const note = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--checkpoint ${path} cannot be read: ${error.code}`);
  });
  const origin = config.logOrigin ?? defaultLogOrigin(logKey.logId);
  const signed =
    note.length > MAX_CHECKPOINT_LENGTH
      ? undefined
      : await verifyCheckpoint(note, origin, logKey.publicKey, verifyEd25519);
  if (signed === undefined)
    throw new UsageError(
      `--checkpoint ${path} is not a checkpoint that the key of this log signed as ${origin}`,
    );
  return signed;
}

/** Reads receipts, one a line. @throws UsageError when a line is not a receipt that this log's key signed */
export async function readReceipts(
  path: string,
  { logKey }: Pick<Operation, 'logKey'>,
): Promise<KeptReceipt[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--receipts ${path} cannot be read: ${error.code}`);
  });
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

function receiptOf(name: string, line: string): KeptReceipt {
  try {
    return receiptFrom(name, utf8(line));
  } catch (error) {
    throw error instanceof VerifyInputError ? new UsageError(error.message) : error;
  }
}
