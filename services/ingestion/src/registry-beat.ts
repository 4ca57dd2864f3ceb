import {
  leftovers,
  STREAMS_COLLECTION,
  type Clock,
  type DocumentStore,
  type Log,
  type StreamCommit,
  type Timers,
} from '@sentinel-node/platform';
import type { IngestionLimits } from './limits.ts';
import type { PolicyCache } from './policy-cache.ts';
import type { RegistryNews } from './registry-news.ts';

export interface RegistryBeatOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly news: RegistryNews;
  readonly cache: PolicyCache;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  readonly limits: Pick<IngestionLimits, 'beatMs' | 'provenForMs' | 'unpublishedCommits'>;
}

/**
 * Proves every `beatMs` that all commits of the registry are known here (docs/decisions/016-registry-beat.md):
 * those that were not published yet are read from the store, the others are in the topic, which is heard to the end that
 * it has after that read. What is kept can be trusted while the moment before the last proof is recent.
 */
export class RegistryBeat {
  readonly #options: RegistryBeatOptions;
  #provenAtMs: number;
  #stopped = false;
  #failing = false;

  constructor(options: RegistryBeatOptions) {
    this.#options = options;
    this.#provenAtMs = -Infinity;
  }

  /** Milliseconds for which nothing is proven; negative when the clock went back. */
  get ageMs(): number {
    return this.#options.clock.now() - this.#provenAtMs;
  }

  /** What is kept includes every change that is older than `provenForMs`. */
  get proven(): boolean {
    const { ageMs } = this;
    return ageMs >= 0 && ageMs < this.#options.limits.provenForMs && this.#options.news.following;
  }

  async start(): Promise<void> {
    const { news, timers, limits } = this.#options;
    await news.start();
    await this.#look();
    // `#look` does not fail.
    timers
      .every(limits.beatMs, () => (this.#stopped ? Promise.resolve() : this.#look()))
      .failed.catch(ignore);
  }

  /** A look under way can hang with its broker: it is left to end by itself, unheard. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#options.news.stop();
  }

  async #look(): Promise<void> {
    const { clock, news, log } = this.#options;
    try {
      if (!news.following) await news.start();
      const atMs = clock.now();
      if (!(await this.#learnUnpublished()) || !(await news.hearAll())) return;
      this.#provenAtMs = atMs;
      if (this.#failing) log.info('registry news are complete again');
      this.#failing = false;
    } catch (error) {
      // Nothing is proven: devices are read from the store from now on, and whatever it was is asked again.
      if (this.#failing || this.#stopped) return;
      this.#failing = true;
      log.warn({ err: error }, 'registry news cannot be shown to be complete');
    }
  }

  /** False when there are too many of them. */
  async #learnUnpublished(): Promise<boolean> {
    const { store, cache, limits } = this.#options;
    const { where, sort } = leftovers(Number.MAX_SAFE_INTEGER);
    const limit = limits.unpublishedCommits;
    const found = await store.find(STREAMS_COLLECTION.name, { where: where!, sort: sort!, limit });
    for (const { entity, version } of found as unknown as StreamCommit[])
      if (entity.kind === 'DEVICE') cache.learn(entity, version);
    return found.length < limit;
  }
}

function ignore(): void {}
