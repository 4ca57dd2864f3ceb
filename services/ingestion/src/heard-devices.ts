import type { DeviceEntity, HealthRecord, Heartbeat } from '@sentinel-node/contracts';
import { CountedCache } from '@sentinel-node/platform';
import { hear, hearElsewhere, withTold, type Heard, type HeardDevice } from './domain/heard-device.ts';

/**
 * Facts of the heartbeats of at most `maxDevices` devices; the device that was silent longest is evicted first.
 * @pool heard-devices
 */
export class HeardDevices {
  readonly #devices: CountedCache<string, HeardDevice>;

  constructor(maxDevices: number) {
    this.#devices = new CountedCache(maxDevices);
  }

  /** Records a heartbeat that arrived here. Returns undefined when it is late, and not to be kept. */
  take(
    { id, healthInterval }: DeviceEntity,
    heartbeat: Heartbeat,
    nowMs: number,
    revisionMs = nowMs,
  ): Heard | undefined {
    const { device, heard } = hear(this.#devices.get(id), heartbeat, nowMs, healthInterval, revisionMs);
    this.#devices.set(id, device);
    return heard;
  }

  /** Records that the organisation was told of only so many reports that the agent set aside. */
  untold(deviceId: string, instanceId: string, told: number): void {
    const device = this.#devices.get(deviceId);
    if (device !== undefined) this.#devices.set(deviceId, withTold(device, instanceId, told));
  }

  /** Returns whether a heartbeat of the device arrived here: of other devices nothing is learned. */
  knows(deviceId: string): boolean {
    return this.#devices.has(deviceId);
  }

  /** Records a heartbeat that another process kept. */
  learn({ deviceId, heartbeat, receivedAt }: HealthRecord, nowMs: number): void {
    const before = this.#devices.get(deviceId);
    if (before !== undefined)
      this.#devices.set(deviceId, hearElsewhere(before, heartbeat, receivedAt, nowMs));
  }
}
