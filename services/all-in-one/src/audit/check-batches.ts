import {
  batchHeaderHash,
  CompactRange,
  decodeBatchHeader,
  equalBytes,
  fromHex,
  leafHash,
  merkleRoot,
  toHex,
  TOPICS,
  ZERO_HASH,
  type AnchorRecord,
  type BatchHeader,
  type Cut,
} from '@sentinel-node/contracts';
import type { CutDocument } from '@sentinel-node/anchoring';
import type { EventLog } from '@sentinel-node/platform';
import { Activity } from './activity.ts';
import { ChainLeaves } from './chain-leaves.ts';
import { digestOf } from './digest.ts';
import type { Findings } from './finding.ts';
import { readAnchor } from './read-body.ts';
import type { Waiting } from './unanchored.ts';

/** A cut of the log with the state from which anchoring goes on after it, as the log gives it. */
export type LoggedCut = Pick<CutDocument, 'cut' | 'log' | 'next'>;

/** Facts of the records of one batch besides its cut. */
export interface RecordedBatch {
  /** Transactions that the log names, hex, as explorers show them. */
  readonly txids: readonly string[];
  /** Revision of the newest record, and the digest of that record (`digestOf`). */
  readonly rev: number;
  readonly digest: string;
  /** Digest of what of that record the store shows of the batch (`shownOf`). */
  readonly shown: string;
}

/** Returns what of a record its first publication has: one of the same revision may have more evidence. */
export function shownOf({ evidence: _evidence, ...shown }: AnchorRecord): Omit<AnchorRecord, 'evidence'> {
  return shown;
}

export interface BatchChecks {
  readonly eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly logId: Uint8Array;
  readonly findings: Findings;
  /** The newest cut of the store while the log may not have it yet: the next batch, which is checked with the others. */
  readonly waiting?: Cut | undefined;
  /** Called with each batch and the root of the log that ends with it, computed from the headers. */
  onBatch(logged: LoggedCut, logRoot: Uint8Array): Promise<void>;
  /** Called after all batches with what the log has of each one. */
  onRecorded(batch: number, recorded: RecordedBatch): Promise<void>;
}

export interface CheckedBatches {
  /** Number of checked batches. */
  readonly count: number;
  /** Number of the last entry of each file that is in a batch. */
  readonly heads: ReadonlyMap<string, number>;
  /** Entries that were in the chain topic when the check began, and are in no batch. */
  readonly waiting: Waiting;
  /** When the chain and anchors topics have records. */
  readonly activity: Activity;
}

/**
 * Rebuilds every batch from the ranges of its cut: leaves, root, header, and the root of the log of headers. No range
 * and no entry may be left out between two batches.
 */
export async function checkBatches(checks: BatchChecks): Promise<CheckedBatches> {
  // The ends are read before the cuts, so that a running system may have put later entries into batches only.
  const bounds = await checks.eventLog.bounds(TOPICS.chain);
  const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
  const activity = new Activity();
  const chain = new ChainLeaves({ ...checks, activity });
  try {
    const count = await checkCuts(checks, recordedCuts(checks, activity), chain);
    const waiting = await chain.waiting(ends);
    return { count, heads: chain.heads, waiting, activity };
  } finally {
    await chain.close();
  }
}

/** @returns the number of checked batches */
async function checkCuts(
  { findings, logId, onBatch }: Pick<BatchChecks, 'findings' | 'logId' | 'onBatch'>,
  cuts: AsyncIterable<Cut>,
  chain: ChainLeaves,
): Promise<number> {
  const log = new CompactRange();
  let checked = 0;
  let before: Cut | undefined;
  for await (const cut of cuts) {
    const say = (what: string) => findings.add('batches', `batch ${cut.batch}: ${what}`);
    if (cut.batch !== checked) say(`stands where batch ${checked} belongs`);
    checked += 1;
    const leaves = await chain.of(cut, say);
    const header = decodeBatchHeader(fromHex(cut.header));
    if (header === undefined) {
      say('its header is not one');
      continue;
    }
    const totalLeaves = (before?.totalLeaves ?? 0) + cut.leafCount;
    for (const fault of faultsOf(cut, header, { logId, before, leaves, totalLeaves })) say(fault);
    log.append(leafHash(fromHex(cut.header)));
    if (toHex(log.root()) !== cut.logRoot) say('the headers give another root of the log');
    const { closedAt, headerHash } = cut;
    const state = { size: log.size, peaks: log.peaks.map(toHex), headerHash, closedAt };
    await onBatch({ cut, log: { ...state, totalLeaves }, next: chain.next }, log.root());
    before = cut;
  }
  return checked;
}

interface BatchParts {
  readonly logId: Uint8Array;
  readonly before: Cut | undefined;
  /** Leaf hashes of the entries in the ranges of the cut, in their order in the tree. */
  readonly leaves: readonly Uint8Array[];
  /** Of the batches up to this one. */
  readonly totalLeaves: number;
}

/** Compares every field of a header with the cut, the entries and the batch before. */
function faultsOf(
  cut: Cut,
  header: BatchHeader,
  { logId, before, leaves, totalLeaves }: BatchParts,
): string[] {
  const root = toHex(merkleRoot(leaves));
  const headerBefore = before?.headerHash ?? toHex(ZERO_HASH);
  const rules: readonly [isBroken: boolean, fault: string][] = [
    [header.batch !== cut.batch || !equalBytes(header.logId, logId), 'its header is of another batch or log'],
    [leaves.length !== cut.leafCount || leaves.length !== header.leafCount, `has ${leaves.length} leaves`],
    [
      totalLeaves !== cut.totalLeaves || totalLeaves !== header.totalLeaves,
      'counts another number of leaves of all batches',
    ],
    [root !== cut.leafRoot || root !== toHex(header.leafRoot), 'its leaves give another root'],
    [toHex(batchHeaderHash(fromHex(cut.header))) !== cut.headerHash, 'its header has another hash'],
    [toHex(header.previousHash) !== headerBefore, 'does not follow the one before'],
    [header.closedAt !== cut.closedAt, 'its header names another time'],
    [before !== undefined && cut.closedAt < before.closedAt, 'was closed earlier than the one before'],
    [header.mapSize !== 0 || !equalBytes(header.mapRoot, ZERO_HASH), 'names a map, which no version builds'],
  ];
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []));
}

/** The kept part of the records of a batch: some 200 bytes, and 32 for each transaction. */
interface KnownBatch {
  readonly headerHash: Uint8Array;
  readonly cut: string;
  readonly txids: Uint8Array[];
  rev: number;
  newest: string;
  shown: string;
}

/**
 * Yields every cut once, at its first record in the anchors topic. This is the order of batches, because each cut is
 * published before the next is made; then the one that waits to be published. Later records of a batch must have the same cut.
 */
async function* recordedCuts(
  { eventLog, findings, onRecorded, waiting }: Omit<BatchChecks, 'logId' | 'onBatch'>,
  activity: Activity,
): AsyncGenerator<Cut> {
  const known = new Map<number, KnownBatch>();
  for (const { partition, end } of await eventLog.bounds(TOPICS.anchors)) {
    for await (const batch of eventLog.read(TOPICS.anchors, partition, 0, end)) {
      for (const logged of batch.records) {
        const { id, key, offset } = logged;
        const record = readAnchor(logged);
        if (record === undefined) {
          findings.add('batches', `the record at ${partition}/${offset} cannot be read`);
          continue;
        }
        const { at, cut, rev, transaction } = record;
        activity.add(at);
        const say = (what: string) => findings.add('batches', `batch ${cut.batch}: ${what}`);
        if (record.batch !== cut.batch)
          say(`the record at ${partition}/${offset} is of batch ${record.batch}`);
        // The second is of one that was published again with its evidence.
        const ids = [`${cut.batch}/${rev}`, `${cut.batch}/${rev}/evidence`];
        if (key !== String(cut.batch) || !ids.includes(id))
          say(`the record at ${partition}/${offset} has the key or id of another, ${key} and ${id}`);
        const txids = transaction === null ? [] : [fromHex(transaction.txid)];
        const newest = digestOf(record);
        const shown = digestOf(shownOf(record));
        const before = known.get(cut.batch);
        if (before === undefined) {
          known.set(cut.batch, {
            headerHash: fromHex(cut.headerHash),
            cut: digestOf(cut),
            txids,
            rev,
            newest,
            shown,
          });
          yield cut;
          continue;
        }
        if (toHex(before.headerHash) !== cut.headerHash) say('was cut twice');
        else if (before.cut !== digestOf(cut)) say(`the record at ${partition}/${offset} has another cut`);
        if (rev >= before.rev) Object.assign(before, { rev, newest, shown });
        if (txids.some((txid) => !before.txids.some((other) => equalBytes(other, txid))))
          before.txids.push(...txids);
      }
    }
  }
  if (waiting !== undefined && !known.has(waiting.batch)) yield waiting;
  for (const [batch, { newest, rev, shown, txids }] of known)
    await onRecorded(batch, { txids: txids.map(toHex), rev, digest: newest, shown });
}
