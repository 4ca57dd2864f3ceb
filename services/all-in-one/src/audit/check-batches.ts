import {
  batchHeaderHash,
  CompactRange,
  decodeBatchHeader,
  entryLeafHash,
  equalBytes,
  fromHex,
  isParkingRecord,
  leafHash,
  mapKey,
  merkleRoot,
  sortLeaves,
  toHex,
  TOPICS,
  type AnchorRecord,
  type BatchLeaf,
  type Cut,
} from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';
import { ConsecutiveRanges } from './consecutive-ranges.ts';
import { readBody, readChain } from './read-body.ts';

/** Replaces an invalid link hash, so that the batch's root differs. */
const NO_LINK_HASH = new Uint8Array(32);

export interface BatchChecks {
  readonly eventLog: EventLog;
  readonly logId: Uint8Array;
  readonly findings: Findings;
  /** Called with each batch and the root of the log that ends with it, computed from the headers. */
  onBatch(cut: Cut, logRoot: Uint8Array): Promise<void>;
  /** Called after all batches with each transaction that the log has. @param txid hex, as explorers show it */
  onTransaction(batch: number, txid: string): Promise<void>;
}

export interface CheckedBatches {
  /** Number of checked batches. */
  readonly count: number;
  /** Number of the last entry of each file that is in a batch. */
  readonly heads: ReadonlyMap<string, number>;
}

/** Rebuilds every batch from the ranges of its cut: leaves, root, header, and the root of the log of headers. */
export async function checkBatches(checks: BatchChecks): Promise<CheckedBatches> {
  const chain = new ConsecutiveRanges(checks.eventLog, TOPICS.chain);
  try {
    return await checkCuts(checks, chain);
  } finally {
    await chain.close();
  }
}

async function checkCuts(
  { eventLog, logId, findings, onBatch, onTransaction }: BatchChecks,
  chain: ConsecutiveRanges,
): Promise<CheckedBatches> {
  const log = new CompactRange();
  const anchored = new Map<string, number>();
  let checked = 0;
  let before: Cut | undefined;
  for await (const cut of recordedCuts(eventLog, findings, onTransaction)) {
    const say = (what: string) => findings.add('batches', `batch ${cut.batch}: ${what}`);
    if (cut.batch !== checked) say(`stands where batch ${checked} belongs`);
    checked += 1;
    const header = decodeBatchHeader(fromHex(cut.header));
    if (header === undefined) {
      say('its header is not one');
      continue;
    }
    const leaves = await leavesOf(chain, cut, anchored, logId);
    const root = toHex(merkleRoot(leaves));
    if (leaves.length !== cut.leafCount || leaves.length !== header.leafCount)
      say(`has ${leaves.length} leaves`);
    if (root !== cut.leafRoot || root !== toHex(header.leafRoot)) say('its leaves give another root');
    if (toHex(batchHeaderHash(fromHex(cut.header))) !== cut.headerHash) say('its header has another hash');
    if (before !== undefined && toHex(header.previousHash) !== before.headerHash)
      say('does not follow the one before');
    log.append(leafHash(fromHex(cut.header)));
    if (toHex(log.root()) !== cut.logRoot) say('the headers give another root of the log');
    await onBatch(cut, log.root());
    before = cut;
  }
  return { count: checked, heads: anchored };
}

/**
 * Yields every cut once, at its first record in the anchors topic. This is the order of batches, because each cut is
 * published before the next is made. Keeps only 64 bytes per batch, to compare repeated records.
 */
async function* recordedCuts(
  eventLog: EventLog,
  findings: Findings,
  onTransaction: BatchChecks['onTransaction'],
): AsyncGenerator<Cut> {
  const known = new Map<number, { readonly headerHash: Uint8Array; readonly txids: Uint8Array[] }>();
  for (const { partition, start, end } of await eventLog.bounds(TOPICS.anchors)) {
    for await (const batch of eventLog.read(TOPICS.anchors, partition, start, end)) {
      for (const { body, offset } of batch.records) {
        const record = readBody<AnchorRecord>(body);
        if (record?.cut === undefined) {
          findings.add('batches', `the record at ${partition}/${offset} cannot be read`);
          continue;
        }
        const { cut, transaction } = record;
        const txids = transaction === null ? [] : [fromHex(transaction.txid)];
        const before = known.get(cut.batch);
        if (before === undefined) {
          known.set(cut.batch, { headerHash: fromHex(cut.headerHash), txids });
          yield cut;
        } else if (toHex(before.headerHash) !== cut.headerHash)
          findings.add('batches', `batch ${cut.batch}: was cut twice`);
        else if (txids.some((txid) => !before.txids.some((other) => equalBytes(other, txid))))
          before.txids.push(...txids);
      }
    }
  }
  for (const [batch, { txids }] of known) for (const txid of txids) await onTransaction(batch, toHex(txid));
}

/** Returns the leaf hashes of a cut in order: the entries after the last anchored entry of each subject. */
async function leavesOf(
  chain: ConsecutiveRanges,
  cut: Cut,
  anchored: Map<string, number>,
  logId: Uint8Array,
): Promise<Uint8Array[]> {
  const leaves: BatchLeaf[] = [];
  for (const { partition, from, to } of cut.ranges) {
    for await (const { key, body } of chain.records(partition, from, to)) {
      const record = readChain(body);
      const entries = record === undefined || isParkingRecord(record) ? [] : record.entries;
      for (const entry of entries) {
        if (entry.number <= (anchored.get(key) ?? -1)) continue;
        anchored.set(key, entry.number);
        leaves.push({
          mapKey: mapKey(logId, 'FILE', key),
          number: entry.number,
          linkHash: /^[0-9a-f]{64}$/.test(entry.linkHash) ? fromHex(entry.linkHash) : NO_LINK_HASH,
        });
      }
    }
  }
  return sortLeaves(leaves).map((leaf) => entryLeafHash(leaf.mapKey, leaf.number, leaf.linkHash));
}
