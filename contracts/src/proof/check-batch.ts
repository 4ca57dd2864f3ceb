/** The second step of a check: the entry is in a batch, and the batch in a log whose root the operator signed. */
import type { SignatureCheck } from '../log/signature-check.ts';
import { batchHeaderHash, decodeBatchHeader, type BatchHeader } from '../log/batch-header.ts';
import { leafData, mapKey } from '../log/batch-leaves.ts';
import { equalBytes, fromHex, toHex } from '../bytes/bytes.ts';
import { verifyCheckpoint } from '../log/checkpoint.ts';
import { leafHash, rootFromInclusion, verifyInclusion } from '../log/merkle.ts';
import type { ProofFindings } from './findings.ts';
import type { Proof, ProofBatch, ProofTrust } from './proof.ts';

/** Values that the transaction of the batch must contain. */
export interface BatchPlace {
  readonly logId: string;
  readonly batch: number;
  readonly headerHash: Uint8Array;
  readonly logRoot: Uint8Array;
  /** When the batch was closed, by its header: milliseconds since 1970. */
  readonly closedAt: number;
}

/** Checks the batch. Returns undefined when the header or the path to the log's root is malformed. */
export async function checkBatch(
  proof: Proof,
  batch: ProofBatch,
  trust: ProofTrust,
  { verifySignature }: { readonly verifySignature: SignatureCheck },
  findings: ProofFindings,
): Promise<BatchPlace | undefined> {
  const leaf = checkedLeaf(proof, batch, findings);
  const bytes = fromHex(batch.header);
  const header = decodeBatchHeader(bytes);
  if (header === undefined) return void findings.fail('HEADER_UNREADABLE');
  const { logId } = proof.log;
  if (toHex(header.logId) !== logId) findings.fail('HEADER_OF_OTHER_LOG');
  const path = batch.leafPath.map(fromHex);
  if (verifyInclusion(leaf, batch.leafIndex, header.leafCount, path, header.leafRoot)) findings.hold('LEAF');
  else findings.fail('LEAF_NOT_IN_BATCH');
  const logPath = batch.logPath.map(fromHex);
  const logRoot = rootFromInclusion(leafHash(bytes), header.batch, header.batch + 1, logPath);
  if (logRoot === undefined) return void findings.fail('HEADER_NOT_IN_LOG');
  await checkCheckpoint({ batch, header, logRoot }, trust, verifySignature, findings);
  const { batch: number, closedAt } = header;
  return { logId, batch: number, headerHash: batchHeaderHash(bytes), logRoot, closedAt };
}

function checkedLeaf({ log, subject, entry }: Proof, batch: ProofBatch, findings: ProofFindings): Uint8Array {
  const key = mapKey(log.logId, subject.type, subject.id);
  const leaf = leafHash(leafData(key, entry.number, entry.linkHash));
  if (toHex(leaf) !== batch.leafHash) findings.fail('LEAF_HASH_DIFFERS');
  return leaf;
}

async function checkCheckpoint(
  of: { readonly batch: ProofBatch; readonly header: BatchHeader; readonly logRoot: Uint8Array },
  trust: ProofTrust,
  verifySignature: SignatureCheck,
  findings: ProofFindings,
): Promise<void> {
  const { origin, publicKey } = trust;
  const signed = await verifyCheckpoint(of.batch.checkpoint, origin, fromHex(publicKey), verifySignature);
  if (signed === undefined) return void findings.fail('CHECKPOINT_NOT_SIGNED');
  findings.hold('CHECKPOINT');
  if (signed.size === of.header.batch + 1 && equalBytes(signed.root, of.logRoot)) findings.hold('BATCH');
  else findings.fail('CHECKPOINT_DIFFERS');
}
