/** Makes proofs of entries with all evidence so far. */
import {
  fromHex,
  mapKey,
  type Entry,
  PROOF_FORMAT,
  sha256,
  signCheckpoint,
  stateOfParts,
  toHex,
  type KeptReceipt,
  withSignatures,
  type Proof,
  type ProofBatch,
  type ProofEntry,
  omit,
} from '@sentinel-node/contracts';
import type { LogKey } from '@sentinel-node/platform';
import { alertView, sharedAlertOrganization } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import { anchorsAt, checkScope } from '../views/index.ts';
import type { BatchTrees, ProofCaller } from './batch-trees.ts';
import { findEntry, type FoundEntry } from './entry.ts';
import { type Evidence, evidenceOf, hexes } from './evidence.ts';
import { confirmReceipt, entryOfReceipt } from './receipt.ts';

export interface ProofContext extends QueryContext {
  readonly logKey: LogKey;
  /** Name of the log in checkpoints. */
  readonly origin: string;
  readonly trees: BatchTrees;
}

export interface FileKey {
  readonly orgId: string;
  readonly deviceId: string;
  readonly fileId: string;
}

/**
 * @throws ApiError NOT_FOUND for an unknown file, or an entry of another file; OVERLOADED and UNAVAILABLE (try again)
 */
export async function proofOfEntry(
  context: ProofContext,
  file: FileKey,
  linkId: string,
  member: string,
): Promise<Proof> {
  await checkScope(context.store, file);
  const { orgId, deviceId, fileId } = file;
  const found = await findEntry(context, fileId, linkId);
  return proofOf(context, { type: 'FILE', id: fileId, deviceId, orgId }, found, { orgId, member });
}

/**
 * Returns the proof of the alert's first BREAK without the file's owner, for anyone who has the share link.
 * @throws ApiError NOT_FOUND unless the alert is shared, SHARE_ENDED when the link has ended, even during the call
 */
export async function proofOfSharedAlert(context: ProofContext, id: string, member: string): Promise<Proof> {
  const { store } = context;
  const orgId = await sharedAlertOrganization(context, id);
  const { fileId, hashId } = await alertView(store, { orgId, id });
  const found = await findEntry(context, fileId, hashId);
  const proof = await proofOf(context, { type: 'FILE', id: fileId }, found, { orgId, member });
  await sharedAlertOrganization(context, id);
  return proof;
}

/**
 * Returns the proof of the entry that a receipt promised without the file's owner, for anyone who holds the receipt.
 * @throws ApiError VALIDATION_FAILED for a receipt of another log, NOT_FOUND while the entry does not exist
 */
export async function proofOfReceipt(
  context: ProofContext,
  kept: KeptReceipt,
  member: string,
): Promise<Proof> {
  await confirmReceipt(kept, context.logKey);
  const found = await entryOfReceipt(context, kept);
  return proofOf(context, { type: 'FILE', id: kept.fileId }, found, { orgId: found.orgId, member });
}

async function proofOf(
  context: ProofContext,
  subject: Proof['subject'],
  found: FoundEntry,
  caller: ProofCaller,
): Promise<Proof> {
  const { store } = context;
  const [anchored] = await anchorsAt(store, [found.position]);
  const evidence = anchored!.batch === null ? undefined : await evidenceOf(store, anchored!.batch);
  const parts = {
    batch: evidence === undefined ? null : await batchOf(context, subject.id, found, evidence, caller),
    transaction: evidence?.transaction ?? null,
    block: evidence?.block ?? null,
  };
  return {
    format: PROOF_FORMAT,
    state: stateOfParts(parts)!,
    completeness: 'NOT_SHOWN',
    log: logOf(context),
    subject,
    entry: entryOf(found),
    ...parts,
  };
}

function entryOf({ entry, previous }: FoundEntry): ProofEntry {
  return { ...hashedFields(entry), previous };
}

/** Returns the entry without the fields that only the views use. */
export const hashedFields = (entry: Entry): Omit<ProofEntry, 'previous'> =>
  omit(entry, 'id', 'firstHash', 'alertId', 'whileDisabled');

/** Returns the description of the log for a document. */
export function logOf({ logKey, origin }: Pick<ProofContext, 'logKey' | 'origin'>): Proof['log'] {
  const { logId, publicKey } = logKey;
  return { logId: toHex(logId), origin, keyFingerprint: toHex(sha256(publicKey)) };
}

async function batchOf(
  { trees, logKey, origin }: ProofContext,
  fileId: string,
  { entry }: FoundEntry,
  evidence: Evidence,
  caller: ProofCaller,
): Promise<ProofBatch> {
  const { cut } = evidence;
  const tree = await trees.get(cut, caller);
  const leafIndex = tree.indexOf(mapKey(logKey.logId, 'FILE', fileId), entry.number);
  if (leafIndex === undefined)
    throw new Error(`entry ${entry.number} of file ${fileId} is not in batch ${cut.batch}`);
  return {
    leafHash: toHex(tree.leafHash(leafIndex)),
    leafIndex,
    leafPath: hexes(tree.path(leafIndex)),
    ...placeInLog({ logKey, origin }, evidence),
  };
}

/** Returns the batch as a leaf of the log that ends with the batch. */
export function placeInLog(
  { logKey, origin }: Pick<ProofContext, 'logKey' | 'origin'>,
  { cosignatures, cut, logPath }: Evidence,
): Pick<ProofBatch, 'header' | 'logPath' | 'checkpoint'> {
  const checkpoint = { origin, size: cut.batch + 1, root: fromHex(cut.logRoot) };
  const note = signCheckpoint(checkpoint, logKey.publicKey, (message) => logKey.sign(message));
  return {
    header: cut.header,
    logPath: hexes(logPath),
    checkpoint: withSignatures(note, cosignatures.join('')) ?? note,
  };
}
