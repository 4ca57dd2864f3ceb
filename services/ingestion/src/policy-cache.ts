import type { DeviceEntity } from '@sentinel-node/contracts';
import { LRUCache, type Clock } from '@sentinel-node/platform';
import { snapshotOf, type DeviceSnapshot } from './domain/device-snapshot.ts';
import { FreshReads } from './fresh-reads.ts';
import type { IngestionLimits } from './limits.ts';
import { Slots } from './slots.ts';

/** A device's newest version in the store. */
export interface DeviceVersion {
  readonly version: number;
  readonly entity: DeviceEntity;
}

export interface PolicyCacheOptions {
  readonly load: (deviceId: string) => Promise<DeviceVersion | undefined>;
  readonly clock: Clock;
  readonly limits: Pick<
    IngestionLimits,
    'cachedDevices' | 'cachedFiles' | 'cacheMs' | 'storeReads' | 'storeReadsWaiting'
  >;
}

interface Entry {
  readonly snapshot: DeviceSnapshot;
  validUntilMs: number;
}

/**
 * Devices by id, least recently used first out. A kept one is good enough to take a report; whatever is refused, and
 * the configuration, is answered from `fresh` (architecture, rule 9).
 * @pool device-policies
 */
export class PolicyCache {
  readonly #clock: Clock;
  readonly #limits: PolicyCacheOptions['limits'];
  readonly #slots: Slots;
  readonly #reads: FreshReads<DeviceSnapshot | undefined>;
  readonly #entries: LRUCache<string, Entry>;
  #clears = 0;

  constructor({ load, clock, limits }: PolicyCacheOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#entries = new LRUCache({
      max: limits.cachedDevices,
      // The library counts no entry as nothing: a device without files counts as one with one.
      maxSize: limits.cachedFiles,
      sizeCalculation: ({ snapshot }) => Math.max(1, snapshot.files.size),
    });
    /** @pool device-reads */
    this.#slots = new Slots(limits.storeReads, limits.storeReadsWaiting);
    this.#reads = new FreshReads(async (deviceId, orgId) => {
      const clears = this.#clears;
      const found = await this.#slots.run(orgId, () => load(deviceId));
      if (found === undefined) return undefined;
      const { entity, version } = found;
      return clears === this.#clears ? this.#put(entity, version) : snapshotOf(entity, version);
    });
  }

  /** What is kept of the device, at most `cacheMs` after the last news of it. */
  kept(deviceId: string): DeviceSnapshot | undefined {
    const entry = this.#entries.get(deviceId);
    return entry !== undefined && this.#clock.now() < entry.validUntilMs ? entry.snapshot : undefined;
  }

  /**
   * What the store has, or had at a moment after this call.
   * @param orgId as the caller says: whose share of the reads it takes
   * @throws OverloadedError when too many reads wait
   */
  fresh(deviceId: string, orgId: string): Promise<DeviceSnapshot | undefined> {
    return this.#reads.get(deviceId, orgId);
  }

  /** News of a device. Of one that nobody asked for nothing is kept. */
  learn(entity: DeviceEntity, version: number): void {
    if (this.#entries.has(entity.id) || this.#reads.isReading(entity.id)) this.#put(entity, version);
  }

  /** News were missed: neither what is kept nor what is being read may be kept from now on. */
  clear(): void {
    this.#clears += 1;
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  get waitingReads(): number {
    return this.#slots.waiting;
  }

  /** A lower version than the kept one changes nothing: news can be ahead of a read, and late news behind one. */
  #put(entity: DeviceEntity, version: number): DeviceSnapshot {
    const before = this.#entries.peek(entity.id)?.snapshot;
    const snapshot = before !== undefined && before.version >= version ? before : snapshotOf(entity, version);
    this.#entries.set(entity.id, { snapshot, validUntilMs: this.#clock.now() + this.#limits.cacheMs });
    return snapshot;
  }
}
