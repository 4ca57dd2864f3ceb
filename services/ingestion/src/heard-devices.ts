import type { DeviceEntity, HealthRecord, Heartbeat } from '@sentinel-node/contracts';
import { CountedCache } from '@sentinel-node/platform';
import { hear, hearElsewhere, type HeardDevice } from './domain/heard-device.ts';

/**
 * What is known of the heartbeats of at most `maxDevices` devices; the device that was silent longest is evicted first.
 * @pool heard-devices
 */
export class HeardDevices {
  readonly #devices: CountedCache<string, HeardDevice>;

  constructor(maxDevices: number) {
    this.#devices = new CountedCache(maxDevices);
  }

  /** Returns the time of receipt to keep the heartbeat with; undefined: it is late, and not to be kept. */
  take({ id }: DeviceEntity, heartbeat: Heartbeat, nowMs: number): number | undefined {
    const { device, isLate } = hear(this.#devices.get(id), heartbeat, nowMs);
    this.#devices.set(id, device);
    return isLate ? undefined : device.receivedAt;
  }

  /** Returns whether a heartbeat of the device arrived here: of other devices nothing is learned. */
  knows(deviceId: string): boolean {
    return this.#devices.has(deviceId);
  }

  /** Records a heartbeat that another process kept. */
  learn({ deviceId, heartbeat, receivedAt }: HealthRecord): void {
    const before = this.#devices.get(deviceId);
    if (before !== undefined) this.#devices.set(deviceId, hearElsewhere(before, heartbeat, receivedAt));
  }
}
