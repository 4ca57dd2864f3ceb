/** Builds the records that anchoring would publish about the chain topic, with separate code. */
import { createHash } from 'node:crypto';
import {
  batchHeaderHash,
  bodyHash,
  CompactRange,
  encodeAnchorScript,
  encodeBatchHeader,
  fromHex,
  leafData,
  leafHash,
  linkHashHex,
  mapKey,
  merkleRoot,
  sortLeaves,
  toHex,
  ZERO_HASH,
  type AnchorEvidence,
  type AnchorRecord,
  type ChainRecord,
  type Cut,
  type Entry,
  omit,
} from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import { appendAnchor } from './chain-records.ts';
import { eventually, MASTER_SECRET, type World } from './world.ts';

export const { logId, publicKey } = logKeyOf(MASTER_SECRET);
const NONCE = '5a'.repeat(16);

/** Gives entries the hashes of the verifier, for the records of a file in order. */
export class Hashing {
  readonly #last = new Map<string, string>();

  hashed(record: ChainRecord): ChainRecord {
    const fileId = record.fileId!;
    const entries = record.entries.map((given): Entry => {
      const entry = given.kind === 'GENESIS' ? { ...given, child: record.deviceId } : given;
      const nonce = createHash('sha256').update(`${NONCE}${entry.number}`).digest('hex').slice(0, 32);
      const body = bodyHash({ ...omit(entry, 'id'), nonce });
      const previous = this.#last.get(fileId);
      const place = { logId, subjectType: 'FILE', subject: fileId, number: entry.number } as const;
      const link = linkHashHex({ ...place, ...(previous && { previous }), bodyHash: body });
      this.#last.set(fileId, link);
      return { ...entry, nonce, linkHash: link };
    });
    return { ...record, entries };
  }
}

const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const double = (bytes: Buffer): Buffer => sha(sha(bytes));
const shown = (bytes: Buffer): string => Buffer.from(bytes).reverse().toString('hex');

/** Builds a transaction with one input, and an output of 0 satoshis with `script`. */
function transactionOf(spent: string, script: Uint8Array): Buffer {
  // Unlocked by OP_1; output 1 is worth a satoshi, so that the next anchor can spend it.
  const start = Buffer.from(`0100000001${spent}0151ffffffff02`, 'hex');
  const seal = Buffer.from('01000000000000000151', 'hex');
  return Buffer.concat([start, Buffer.alloc(8), Buffer.of(script.length), script, seal, Buffer.alloc(4)]);
}

interface Block {
  readonly height: number;
  readonly hash: string;
  readonly header: string;
  readonly coinbase: string;
  readonly bump: string;
}

/** Builds a block of the coinbase and `raw`. */
function blockOf(height: number, previous: string, time: number, raw: Buffer): Block {
  const coinbase = transactionOf(`${'00'.repeat(32)}ffffffff`, Buffer.from(`block ${height}`));
  const [left, right] = [double(coinbase), double(raw)];
  const start = Buffer.alloc(76);
  Buffer.from(previous, 'hex').reverse().copy(start, 4);
  double(Buffer.concat([left, right])).copy(start, 36);
  start.writeUInt32LE(time, 68);
  start.writeUInt32LE(0x207fffff, 72);
  for (let nonce = 0; ; nonce++) {
    const header = Buffer.concat([start, Buffer.of(nonce, 0, 0, 0)]);
    if (Number.parseInt(shown(double(header))[0]!, 16) > 7) continue;
    const bump = Buffer.concat([Buffer.of(height, 1, 2, 0, 2), left, Buffer.of(1, 2), right]).toString('hex');
    const [hash, hex] = [shown(double(header)), header.toString('hex')];
    return { height, hash, header: hex, coinbase: coinbase.toString('hex'), bump };
  }
}

/** Builds cuts, transactions and blocks of one log, a block a batch. */
export class Anchoring {
  readonly #world: World;
  readonly #range = new CompactRange();
  readonly #raws: Buffer[] = [];
  /** Evidence of each batch so far. */
  readonly evidence: AnchorEvidence[] = [];
  readonly blocks: Block[] = [];
  readonly cuts: Cut[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get genesisTxid(): string {
    return shown(double(this.#raws[0]!));
  }

  get headers(): string {
    return this.blocks.map(({ header }) => header).join('');
  }

  /** Makes a cut of these entries; the other entries in the ranges came earlier. */
  async cut(covered: Cut['ranges'], files: ReadonlyMap<string, readonly Entry[]>): Promise<number> {
    const leaves = [...files].flatMap(([file, entries]) =>
      entries.map(({ number, linkHash: hex }) => {
        return { mapKey: mapKey(logId, 'FILE', file), number, linkHash: fromHex(hex) };
      }),
    );
    const hashes = sortLeaves(leaves).map((leaf) =>
      leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)),
    );
    const ranges = joined(covered);
    const before = this.cuts.at(-1);
    const counts = { leafCount: leaves.length, totalLeaves: (before?.totalLeaves ?? 0) + leaves.length };
    const batch = this.cuts.length;
    const closedAt = this.#world.clock.now();
    const header = encodeBatchHeader({
      logId,
      batch,
      previousHash: before === undefined ? ZERO_HASH : fromHex(before.headerHash),
      closedAt,
      leafRoot: merkleRoot(hashes),
      mapSize: 0,
      mapRoot: ZERO_HASH,
      ...counts,
    }).slice();
    const logPath = this.#range.peaks.map(toHex).reverse();
    this.evidence.push({ logPath, transaction: null, block: null });
    this.#range.append(leafHash(header));
    const [headerHash, logRoot] = [toHex(batchHeaderHash(header)), toHex(this.#range.root())];
    const roots = { leafRoot: toHex(merkleRoot(hashes)), header: toHex(header), headerHash, logRoot };
    this.cuts.push({ batch, closedAt, ranges, ...counts, ...roots });
    await this.tell(batch, 1, null);
    return batch;
  }

  async send(batch: number, status = 'SEEN_ON_NETWORK', rev = 2, network = 'dev'): Promise<void> {
    const { headerHash, logRoot } = this.cuts[batch]!;
    const script = encodeAnchorScript({ logId, batch, headerHash, logRoot });
    const raw = transactionOf(`${'ab'.repeat(32)}01000000`, script);
    this.#raws[batch] = raw;
    const transaction = { txid: shown(double(raw)), status, ...NOT_MINED };
    const sent = { network, raw: raw.toString('hex') };
    this.evidence[batch] = { ...this.evidence[batch]!, transaction: sent };
    await this.tell(batch, rev, transaction);
  }

  async mine(batch: number, confirmations = 1): Promise<void> {
    const raw = this.#raws[batch]!;
    const previous = this.blocks.at(-1)?.hash ?? '00'.repeat(32);
    const time = Math.floor(this.#world.clock.now() / 1_000);
    const block = blockOf(this.blocks.length, previous, time, raw);
    this.blocks.push(block);
    const { height, hash, header, coinbase, bump } = block;
    const isPublic = this.evidence[batch]!.transaction!.network !== 'dev';
    this.evidence[batch] = { ...this.evidence[batch]!, block: isPublic ? null : { header, coinbase } };
    const mined = { status: 'MINED', blockHash: hash, blockHeight: height, merklePath: bump, confirmations };
    await this.tell(batch, 3, { txid: shown(double(raw)), ...mined });
  }

  /** Publishes the current state of the batch. */
  async tell(batch: number, rev: number, transaction: AnchorRecord['transaction']): Promise<void> {
    const { store, eventLog, clock } = this.#world;
    const state = { v: 1, batch, rev, at: clock.now(), cut: this.cuts[batch]!, transaction } as const;
    const record: AnchorRecord = { ...state, evidence: this.evidence[batch]! };
    await appendAnchor(eventLog, record);
    await eventually(async () =>
      (await store.get('anchor_batches', String(batch)))?.rev === rev ? true : undefined,
    );
  }
}

const NOT_MINED = { blockHash: null, blockHeight: null, merklePath: null, confirmations: 0 };

/** Returns one range for each partition. */
function joined(ranges: Cut['ranges']): Cut['ranges'] {
  return [...new Set(ranges.map(({ partition }) => partition))].map((partition) => {
    const own = ranges.filter((range) => range.partition === partition);
    const from = Math.min(...own.map((range) => range.from));
    return { partition, from, to: Math.max(...own.map((range) => range.to)) };
  });
}
