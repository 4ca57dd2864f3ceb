/** Knows whether the views have what the registry's topic has, for readers that lose what a stale view hides. */
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  endsOf,
  hasReached,
  NotCaughtUpError,
  SharedReads,
  type DocumentStore,
  type EventLog,
  type PartitionEnd,
  type Timers,
} from '@sentinel-node/platform';
import { catchUpSoon } from './catch-up.ts';

const POSITION = { group: GROUPS.projector, topic: TOPICS.registry } as const;

interface Look {
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
   * Waits a short time until the views have every record that the registry's topic has when this is called. Later records do
   * not prolong the wait. @throws NotCaughtUpError
   */
  async confirm(): Promise<void> {
    const { ends, areCurrent } = await this.#look();
    const { store, timers } = this.#options;
    if (areCurrent || (await catchUpSoon(timers, () => hasReached(store, POSITION, ends)))) return;
    throw new NotCaughtUpError(POSITION);
  }

  #look(): Promise<Look> {
    return this.#looks.read(POSITION.topic, () => this.#lookNow());
  }

  async #lookNow(): Promise<Look> {
    const { store, eventLog } = this.#options;
    const ends = await endsOf(eventLog, POSITION.topic);
    return { ends, areCurrent: await hasReached(store, POSITION, ends) };
  }
}

export interface RegistryViewsOptions {
  readonly store: Pick<DocumentStore, 'getMany'>;
  readonly eventLog: Pick<EventLog, 'bounds'>;
  readonly timers: Pick<Timers, 'delay'>;
}
