/** Knows whether the views have what the registry's topic has, for readers that lose what a stale view hides. */
import { GROUPS, partitionOf, TOPICS } from '@sentinel-node/contracts';
import {
  hasReached,
  NotCaughtUpError,
  SharedReads,
  type Clock,
  type DocumentStore,
  type EventLog,
  type PartitionEnd,
  type Timers,
} from '@sentinel-node/platform';
import { catchUpSoon } from './catch-up.ts';

const POSITION = { group: GROUPS.projector, topic: TOPICS.registry } as const;

interface Look {
  /** Of every partition. */
  readonly ends: readonly PartitionEnd[];
  readonly areCurrent: boolean;
}

export class RegistryViews {
  readonly #options: RegistryViewsOptions;
  /** Calls that come during a look share the next one, so that a storm costs little. */
  readonly #looks = new SharedReads<Look>();

  constructor(options: RegistryViewsOptions) {
    this.#options = options;
  }

  /** Returns whether the views have every record that the registry's topic has when this is called. */
  async areCurrent(): Promise<boolean> {
    return (await this.#look()).areCurrent;
  }

  /**
   * Returns a wait for one piece of work, which may take several attempts.
   * @param lastsMs how long the ends that the first attempt found count for later ones, in milliseconds
   */
  waiting(lastsMs = Infinity): RegistryWait {
    return new RegistryWait(this.#options, () => this.#look(), lastsMs);
  }

  #look(): Promise<Look> {
    return this.#looks.read(POSITION.topic, () => this.#lookNow());
  }

  async #lookNow(): Promise<Look> {
    const { store, eventLog } = this.#options;
    const ends = await eventLog.bounds(POSITION.topic);
    return { ends, areCurrent: await hasReached(store, POSITION, ends) };
  }
}

export class RegistryWait {
  readonly #options: RegistryViewsOptions;
  readonly #look: () => Promise<Look>;
  readonly #lastsMs: number;
  /** The look of the first attempt, until an attempt succeeds. */
  #begun: { readonly at: number; readonly look: Look } | undefined;

  constructor(options: RegistryViewsOptions, look: () => Promise<Look>, lastsMs: number) {
    this.#options = options;
    this.#look = look;
    this.#lastsMs = lastsMs;
  }

  /**
   * Waits a short time until the views have every record of the organisations that the registry's topic had at the first
   * attempt. Records that come between attempts do not prolong the wait, so that it ends although more always come. After a
   * success, the next call is a first attempt.
   * @param orgIds default: all organisations
   * @throws NotCaughtUpError
   */
  async confirm(orgIds?: readonly string[]): Promise<void> {
    const { store, timers } = this.#options;
    const { ends, areCurrent } = await this.#firstLook();
    const wanted = orgIds === undefined ? ends : endsWith(ends, orgIds);
    const haveCaughtUp = (): Promise<boolean> => hasReached(store, POSITION, wanted);
    if (!areCurrent && !(await haveCaughtUp()) && !(await catchUpSoon(timers, haveCaughtUp)))
      throw new NotCaughtUpError(POSITION);
    this.#begun = undefined;
  }

  async #firstLook(): Promise<Look> {
    const now = this.#options.clock.now();
    if (this.#begun === undefined || now - this.#begun.at > this.#lastsMs)
      this.#begun = { at: now, look: await this.#look() };
    return this.#begun.look;
  }
}

/** Returns the ends of the partitions that the records of the organisations are in. */
function endsWith(ends: readonly PartitionEnd[], orgIds: readonly string[]): PartitionEnd[] {
  const wanted = new Set(orgIds.map((orgId) => partitionOf(orgId, ends.length)));
  return ends.filter(({ partition }) => wanted.has(partition));
}

export interface RegistryViewsOptions {
  readonly store: Pick<DocumentStore, 'getMany'>;
  readonly eventLog: Pick<EventLog, 'bounds'>;
  readonly timers: Pick<Timers, 'delay'>;
  readonly clock: Clock;
}
