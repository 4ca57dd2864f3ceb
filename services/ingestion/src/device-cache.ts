import type { DeviceEntity } from '@sentinel-node/contracts';
import { SharedReads, type Clock } from '@sentinel-node/platform';
import { FairWeightedCache } from './fair-weighted-cache.ts';
import { snapshotOf, type DeviceSnapshot } from './domain/device-snapshot.ts';
import type { IngestionLimits } from './limits.ts';
import { Slots } from './slots.ts';

/** A device's newest version in the store. */
export interface DeviceVersion {
  readonly version: number;
  readonly entity: DeviceEntity;
}

export interface DeviceCacheOptions {
  readonly load: (deviceId: string) => Promise<DeviceVersion | undefined>;
  readonly clock: Clock;
  readonly limits: Pick<
    IngestionLimits,
    'cachedDevices' | 'cachedFiles' | 'cacheMs' | 'storeReads' | 'storeReadsWaiting'
  >;
}

interface Entry {
  readonly snapshot: DeviceSnapshot;
  readonly validUntilMs: number;
}

/**
 * Caches devices by id, fairly by organisation. A cached device is enough to accept a report;
 * refusals and the configuration are answered from `fresh` (architecture, rule 9).
 * @pool device-policies
 */
export class DeviceCache {
  readonly #clock: Clock;
  readonly #limits: DeviceCacheOptions['limits'];
  readonly #slots: Slots;
  readonly #load: DeviceCacheOptions['load'];
  readonly #reads = new SharedReads<DeviceSnapshot | undefined>();
  readonly #entries: FairWeightedCache<Entry>;
  #clears = 0;

  constructor({ load, clock, limits }: DeviceCacheOptions) {
    this.#load = load;
    this.#clock = clock;
    this.#limits = limits;
    this.#entries = new FairWeightedCache({
      maxEntries: limits.cachedDevices,
      maxWeight: limits.cachedFiles,
      weightOf: ({ snapshot }) => Math.max(1, snapshot.files.size),
      isStale: ({ validUntilMs }) => clock.now() >= validUntilMs,
    });
    /** @pool device-reads */
    this.#slots = new Slots(limits.storeReads, limits.storeReadsWaiting);
  }

  /** Returns the cached device until `cacheMs` after its last change or read. */
  cached(deviceId: string): DeviceSnapshot | undefined {
    const entry = this.#entries.get(deviceId);
    return entry !== undefined && this.#clock.now() < entry.validUntilMs ? entry.snapshot : undefined;
  }

  /**
   * Returns the device as read from the store after this call.
   * @param orgId the caller's claim: organisation whose share of the reads the call takes
   * @throws OverloadedError when too many reads wait
   */
  fresh(deviceId: string, orgId: string): Promise<DeviceSnapshot | undefined> {
    return this.#reads.read(readOf(orgId, deviceId), () => this.#read(deviceId, orgId));
  }

  /** Stores a change of a device, unless the device is neither cached nor being read. */
  update(entity: DeviceEntity, version: number): void {
    const isReading = this.#reads.isReading(readOf(entity.orgId, entity.id));
    if (this.#entries.get(entity.id) !== undefined || isReading) this.#put(entity, version);
  }

  /** Empties the cache after missed changes; the results of running reads are not cached either. */
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

  async #read(deviceId: string, orgId: string): Promise<DeviceSnapshot | undefined> {
    const clears = this.#clears;
    const found = await this.#slots.run(orgId, () => this.#load(deviceId));
    if (found === undefined) return undefined;
    const { entity, version } = found;
    // A call in the name of another organisation is refused by its key.
    const isKept = clears === this.#clears && entity.orgId === orgId;
    return isKept ? this.#put(entity, version) : snapshotOf(entity, version);
  }

  /** Keeps the higher version: a change can be newer than a read, and a late change older. */
  #put(entity: DeviceEntity, version: number): DeviceSnapshot {
    const before = this.#entries.get(entity.id)?.snapshot;
    const snapshot = before !== undefined && before.version >= version ? before : snapshotOf(entity, version);
    const validUntilMs = this.#clock.now() + this.#limits.cacheMs;
    this.#entries.set(entity.orgId, entity.id, { snapshot, validUntilMs });
    return snapshot;
  }
}

/** Names a read: a call in the name of another organisation waits in the turns of that one, and nobody waits for it. */
const readOf = (orgId: string, deviceId: string): string => `${orgId}/${deviceId}`;
