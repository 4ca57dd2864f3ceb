/** Makes proofs of entries in the batches of `log.json`, and blocks for them. */
import { createHash } from 'node:crypto';
import type { Proof } from '../src/proof/proof.ts';
import { blockBytes, bumpBytes, coinbaseBytes, doubleSha, shown, transactionBytes } from './ledger-bytes.ts';
import type { BlockBytes } from './ledger-bytes.ts';
import * as given from './vector-inputs.ts';

/** Inputs from `log.json` and `chain.json`. */
export interface LogInputs {
  readonly publicKey: string;
  readonly logId: string;
  readonly batches: readonly {
    readonly headerBytes: string;
    readonly anchorScript: string;
    readonly logPath: readonly string[];
    readonly note: string;
    readonly leaves: readonly {
      readonly linkHash: string;
      readonly leafHash: string;
      readonly path: readonly string[];
    }[];
  }[];
  /** Link hashes of the chain of each file of the inputs. */
  readonly links: readonly (readonly string[])[];
}

const hex = (label: string): string => createHash('sha256').update(label).digest('hex');
const P2PKH = Buffer.from(`76a914${hex('payee').slice(0, 40)}88ac`, 'hex');
const FIRST_HEIGHT = 600_000;
const BLOCK_SECONDS = 600;
const START_SECONDS = Date.UTC(2026, 10, 21, 10) / 1_000;
const BITS = 0x207fffff;
/** Number of blocks after the checkpoint. */
const BLOCKS = 9;

/** Returns bytes in the place of a signature. */
const madeUp = (batch: number): Buffer =>
  Buffer.from(hex(`signature ${batch}`).repeat(3).slice(0, 212), 'hex');

/** Returns the anchors: each spends output 1 of the one before. @param unlocking script for the input of a batch */
export function anchors({ batches }: LogInputs, unlocking = madeUp): Buffer[] {
  let spent: { readonly hash: Buffer; readonly index: number } = {
    hash: Buffer.from(hex('funds'), 'hex'),
    index: 0,
  };
  return batches.map(({ anchorScript }, batch) => {
    const bytes = transactionBytes(spent, unlocking(batch), [
      { satoshis: 0, script: Buffer.from(anchorScript, 'hex') },
      { satoshis: 100_000 - 100 * batch, script: P2PKH },
    ]);
    spent = { hash: doubleSha(bytes), index: 1 };
    return bytes;
  });
}

/** Returns a transaction that is not an anchor. */
const foreign = (label: string): Buffer =>
  transactionBytes({ hash: Buffer.from(hex(label), 'hex'), index: 3 }, Buffer.of(0x51), [
    { satoshis: 7, script: P2PKH },
  ]);

/** Returns blocks: batch 0 in a block of two transactions, batch 3 as the last of five, with duplicates in its path. */
export function blocks(sent: readonly Buffer[]): BlockBytes[] {
  const filled = new Map([
    [0, [sent[0]!]],
    [2, [foreign('a'), sent[1]!, sent[2]!, sent[3]!]],
  ]);
  const made: BlockBytes[] = [];
  for (let n = 0; n < BLOCKS; n++) {
    const height = FIRST_HEIGHT + n;
    const transactions = [coinbaseBytes(height), ...(filled.get(n) ?? [])];
    const previous = made.at(-1)?.hash ?? hex('the block before');
    made.push(blockBytes(height, previous, START_SECONDS + (n + 1) * BLOCK_SECONDS, transactions));
  }
  return made;
}

/** Returns a proof of the same log with unsigned transactions, which spend nothing real, and with headers made for it. */
export function unsignedVectors(log: LogInputs) {
  const { proofs, ...rest } = proofVectors(
    log,
    anchors(log, () => Buffer.alloc(0)),
  );
  return { ...rest, proof: proofs.find(({ name }) => name === 'whole')!.proof };
}

/** Returns the proofs. @param sent transactions of the batches */
export function proofVectors(log: LogInputs, sent = anchors(log)) {
  const chain = blocks(sent);
  const first = proofOf(log, { file: 0, number: 1, batch: 0 }, sent, chain[0]!);
  const genesis = proofOf(log, { file: 0, number: 0, batch: 0 }, sent, chain[0]!);
  const whole = proofOf(log, { file: 1, number: 5, batch: 3 }, sent, chain[2]!);
  const { type, id } = whole.subject;
  const bump = bumpBytes(chain[2]!, 4, true).toString('hex');
  const bare = { ...whole.block!, header: null, coinbase: null, bump };
  const proofs: [string, Proof][] = [
    ['whole', whole],
    ['batch 0', first],
    ['the first entry of a file', genesis],
    ['of a shared alert', { ...whole, subject: { type, id } }],
    ['without header and coinbase', { ...whole, block: bare }],
    ['sent', { ...whole, state: 'SENT', block: null }],
    ['cut', { ...whole, state: 'CUT', block: null, transaction: null }],
    ['pending', { ...whole, state: 'PENDING', block: null, transaction: null, batch: null }],
  ];
  return {
    trust: {
      origin: whole.log.origin,
      publicKey: log.publicKey,
      network: 'test',
      genesisTxid: shown(doubleSha(sent[0]!)),
    },
    checkpoint: { height: FIRST_HEIGHT - 1, hash: hex('the block before'), bits: BITS },
    headers: Buffer.concat(chain.map(({ header }) => header)).toString('hex'),
    proofs: proofs.map(([name, proof]) => ({ name, proof })),
  };
}

export function proofOf(
  log: LogInputs,
  at: { readonly file: 0 | 1; readonly number: number; readonly batch: number },
  sent: readonly Buffer[],
  block: BlockBytes,
): Proof {
  const { headerBytes, leaves, logPath, note } = log.batches[at.batch]!;
  const links = log.links[at.file]!;
  const linkHash = links[at.number]!;
  const leafIndex = leaves.findIndex((leaf) => leaf.linkHash === linkHash);
  const { leafHash, path } = leaves[leafIndex]!;
  const { nonce, ...body } = given.CHAIN[at.number]!;
  const raw = sent[at.batch]!;
  return {
    format: 'sentinel/proof/v1',
    state: 'MINED',
    completeness: 'NOT_SHOWN',
    log: {
      logId: log.logId,
      origin: note.slice(0, note.indexOf('\n')),
      keyFingerprint: createHash('sha256').update(Buffer.from(log.publicKey, 'hex')).digest('hex'),
    },
    subject: { type: 'FILE', id: given.FILES[at.file], deviceId: given.DEVICE, orgId: given.ORG },
    entry: {
      number: at.number,
      ...body,
      nonce: Buffer.from(nonce).toString('hex'),
      previous: at.number === 0 ? '00'.repeat(32) : links[at.number - 1]!,
      linkHash,
    },
    batch: {
      leafHash,
      leafIndex,
      leafPath: [...path],
      header: headerBytes,
      logPath: [...logPath],
      checkpoint: note,
    },
    transaction: { network: 'test', txid: shown(doubleSha(raw)), raw: raw.toString('hex') },
    block: {
      height: block.height,
      hash: block.hash,
      bump: bumpBytes(block, block.transactions.indexOf(raw)).toString('hex'),
      header: block.header.toString('hex'),
      coinbase: block.transactions[0]!.toString('hex'),
      confirmations: 6,
    },
  };
}
