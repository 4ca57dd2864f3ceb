import {
  leftovers,
  STREAMS_COLLECTION,
  type Clock,
  type DocumentStore,
  type Log,
  type Timers,
} from '@sentinel-node/platform';
import type { IngestionLimits } from './limits.ts';
import type { DeviceCache } from './device-cache.ts';
import type { RegistryFollower } from './registry-follower.ts';

export interface FreshnessProbeOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly follower: RegistryFollower;
  readonly cache: DeviceCache;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  readonly limits: Pick<IngestionLimits, 'probeIntervalMs' | 'freshForMs' | 'unpublishedCommits'>;
}

/**
 * Proves every `probeIntervalMs` that this process knows all commits of the registry
 * (docs/decisions/016-registry-freshness.md). First it reads the unpublished commits from the store. All others are in
 * the registry topic, so it then waits until the follower has consumed the topic up to its current end. Cached devices
 * can be trusted while the start of the last successful probe is recent.
 */
export class FreshnessProbe {
  readonly #options: FreshnessProbeOptions;
  #freshAtMs: number;
  #stopped = false;
  #failing = false;

  constructor(options: FreshnessProbeOptions) {
    this.#options = options;
    this.#freshAtMs = -Infinity;
  }

  /** Returns the milliseconds since the start of the last successful probe; negative when the clock went back. */
  get ageMs(): number {
    return this.#options.clock.now() - this.#freshAtMs;
  }

  /** Returns whether the cache includes every change that is older than `freshForMs`. */
  get isFresh(): boolean {
    const { ageMs } = this;
    return ageMs >= 0 && ageMs < this.#options.limits.freshForMs && this.#options.follower.isFollowing;
  }

  async start(): Promise<void> {
    const { follower, timers, limits } = this.#options;
    await follower.start();
    await this.#probe();
    // `#probe` never rejects.
    timers
      .every(limits.probeIntervalMs, () => (this.#stopped ? Promise.resolve() : this.#probe()))
      .failed.catch(ignore);
  }

  /** Stops without waiting for a running probe, which can hang together with its broker. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#options.follower.stop();
  }

  async #probe(): Promise<void> {
    const { clock, follower, log } = this.#options;
    try {
      if (!follower.isFollowing) await follower.start();
      const atMs = clock.now();
      if (!(await this.#learnUnpublished()) || !(await follower.catchUp())) return;
      this.#freshAtMs = atMs;
      if (this.#failing) log.info('the registry is followed completely again');
      this.#failing = false;
    } catch (error) {
      // The cache is stale, so devices are read from the store until a probe succeeds.
      if (this.#failing || this.#stopped) return;
      this.#failing = true;
      log.warn({ err: error }, 'the registry may not be followed completely');
    }
  }

  /** Returns false when there are more unpublished commits than one read returns. */
  async #learnUnpublished(): Promise<boolean> {
    const { store, cache, limits } = this.#options;
    const { where, sort } = leftovers(Number.MAX_SAFE_INTEGER);
    const limit = limits.unpublishedCommits;
    const found = await store.find(STREAMS_COLLECTION.name, { where: where!, sort: sort!, limit });
    for (const { entity, version } of found) if (entity.kind === 'DEVICE') cache.update(entity, version);
    return found.length < limit;
  }
}

function ignore(): void {}
