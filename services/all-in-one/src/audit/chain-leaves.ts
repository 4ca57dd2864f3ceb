import {
  entryLeafHash,
  fromHex,
  mapKey,
  sortLeaves,
  TOPICS,
  type BatchLeaf,
  type Cut,
} from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Activity } from './activity.ts';
import { ConsecutiveRanges } from './consecutive-ranges.ts';
import { entriesOf, readChain } from './read-body.ts';
import { Waiting } from './unanchored.ts';

/** Replaces an invalid link hash, so that the batch's root differs. */
const NO_LINK_HASH = new Uint8Array(32);

type Say = (what: string) => void;

interface ChainLeavesDeps {
  readonly eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly logId: Uint8Array;
  /** Is told the time of each record that is read. */
  readonly activity: Activity;
}

/** Reads the entries of the chain topic range by range, as the cuts name the ranges, and what is left after them. */
export class ChainLeaves {
  readonly #ranges: ConsecutiveRanges;
  readonly #logId: Uint8Array;
  /** Next offset of each partition that a cut has named. @boundedBy the partitions */
  readonly #next = new Map<number, number>();
  /** Number of the last entry of each file that is in a batch. @boundedBy the number of files */
  readonly #heads = new Map<string, number>();
  readonly #activity: Activity;

  constructor({ activity, eventLog, logId }: ChainLeavesDeps) {
    this.#ranges = new ConsecutiveRanges(eventLog, TOPICS.chain);
    this.#logId = logId;
    this.#activity = activity;
  }

  get heads(): ReadonlyMap<string, number> {
    return this.#heads;
  }

  /** Where the next cut goes on, by partition in ascending order. */
  get next(): { partition: number; offset: number }[] {
    return [...this.#next]
      .map(([partition, offset]) => ({ partition, offset }))
      .sort((a, b) => a.partition - b.partition);
  }

  /** Ends the running reads. */
  close(): Promise<void> {
    return this.#ranges.close();
  }

  /** Returns the leaf hashes of a cut in order: the entries after the last anchored entry of each subject. */
  async of({ ranges }: Cut, say: Say): Promise<Uint8Array[]> {
    const leaves: BatchLeaf[] = [];
    for (const { partition, from, to } of ranges) {
      const before = this.#next.get(partition) ?? 0;
      if (from !== before)
        say(`its records of partition ${partition} begin at offset ${from} where ${before} is the next`);
      this.#next.set(partition, to);
      for await (const { key, entries } of this.#records(partition, from, to))
        for (const entry of entries) {
          const last = this.#heads.get(key) ?? -1;
          if (entry.number <= last) continue;
          if (entry.number > last + 1)
            say(`entry ${entry.number} of ${key} comes where ${last + 1} is the next`);
          this.#heads.set(key, entry.number);
          const linkHash = /^[0-9a-f]{64}$/.test(entry.linkHash) ? fromHex(entry.linkHash) : NO_LINK_HASH;
          leaves.push({ mapKey: mapKey(this.#logId, 'FILE', key), number: entry.number, linkHash });
        }
    }
    return sortLeaves(leaves).map((leaf) => entryLeafHash(leaf.mapKey, leaf.number, leaf.linkHash));
  }

  /** Counts the entries before `ends` that are after the ranges of all cuts. Call it after the last cut. */
  async waiting(ends: ReadonlyMap<number, number>): Promise<Waiting> {
    const waiting = new Waiting();
    for (const [partition, end] of ends) {
      // Deliveries are repeated within a partition only, because a file has one.
      const counted = new Map<string, number>();
      const from = this.#next.get(partition) ?? 0;
      if (from >= end) continue;
      for await (const { key, entries } of this.#records(partition, from, end))
        for (const { acceptedAt, number } of entries) {
          if (number <= (counted.get(key) ?? this.#heads.get(key) ?? -1)) continue;
          counted.set(key, number);
          waiting.add(acceptedAt);
        }
    }
    return waiting;
  }

  async *#records(partition: number, from: number, to: number) {
    for await (const { key, body } of this.#ranges.records(partition, from, to)) {
      const record = readChain(body);
      if (record === undefined) continue;
      this.#activity.add(record.timestamp);
      yield { key, entries: entriesOf(record) };
    }
  }
}
