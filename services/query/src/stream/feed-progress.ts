/** Tracks how far this process has read the feed. */
import { partitionOf, TOPICS } from '@sentinel-node/contracts';
import { isTransient, SharedReads, type EventLog, type Timers } from '@sentinel-node/platform';
import { STREAM_TIMES } from './limits.ts';

type Bounds = Awaited<ReturnType<EventLog['bounds']>>;

interface Waiting {
  readonly partition: number;
  readonly offset: number;
  readonly done: () => void;
}

/** @boundedBy the partitions of the feed */
export class FeedProgress {
  /** Last delivered offset of each partition. */
  readonly #delivered = new Map<number, number>();
  /** @boundedBy the calls that wait for it, `STREAM_TIMES.catchUp` at most */
  readonly #waiting = new Set<Waiting>();
  readonly #ends = new SharedReads<Bounds>();
  readonly #eventLog: EventLog;
  readonly #timers: Pick<Timers, 'delay'>;

  constructor(eventLog: EventLog, timers: Pick<Timers, 'delay'>) {
    this.#eventLog = eventLog;
    this.#timers = timers;
  }

  /** Starts at the current end of the feed. @returns the offsets to read from */
  async begin(): Promise<ReadonlyMap<number, number>> {
    const bounds = await this.#eventLog.bounds(TOPICS.feed);
    for (const { partition, end } of bounds) this.#delivered.set(partition, end - 1);
    return new Map(bounds.map(({ partition, end }) => [partition, end]));
  }

  partitionOf(orgId: string): number {
    return partitionOf(orgId, this.#delivered.size);
  }

  /** Returns the offset up to which every record of the organisation was delivered. */
  deliveredTo(orgId: string): number {
    return this.#delivered.get(this.partitionOf(orgId)) ?? -1;
  }

  /** @returns whether this record directly follows the previous one */
  advance(partition: number, offset: number): boolean {
    const before = this.#delivered.get(partition) ?? -1;
    this.#delivered.set(partition, offset);
    for (const waiting of this.#waiting)
      if (waiting.partition === partition && waiting.offset <= offset) waiting.done();
    return offset === before + 1;
  }

  /** Returns true once every current record of the organisation is delivered; false when that takes too long. */
  async catchUp(orgId: string): Promise<boolean> {
    const late = this.#timers.delay(STREAM_TIMES.catchUp);
    const ends = this.#ends.read(TOPICS.feed, () => this.#eventLog.bounds(TOPICS.feed));
    const asked = ends.catch((error: unknown) => {
      if (!isTransient(error)) throw error;
    });
    const bounds = await Promise.race([asked, late]);
    if (bounds === undefined) return false;
    const partition = this.partitionOf(orgId);
    const offset = (bounds.find((bound) => bound.partition === partition)?.end ?? 0) - 1;
    if (this.deliveredTo(orgId) >= offset) return true;
    return new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        this.#waiting.delete(waiting);
        resolve(isReached);
      };
      const waiting = { partition, offset, done: () => end(true) };
      this.#waiting.add(waiting);
      void late.then(() => end(false));
    });
  }
}
