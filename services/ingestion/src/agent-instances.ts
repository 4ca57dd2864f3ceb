import { CountedCache } from '@sentinel-node/platform';
import { recordInstance, type Instances } from './domain/two-agents.ts';

/**
 * Agent instances of at most `maxDevices` devices; the device that was silent longest is evicted first.
 * @pool agent-instances
 */
export class AgentInstances {
  readonly #devices: CountedCache<string, Instances>;

  constructor(maxDevices: number) {
    this.#devices = new CountedCache(maxDevices);
  }

  /** Records a sighting and returns whether two agents of the device alternate. */
  record(deviceId: string, instanceId: string, nowMs: number, healthIntervalSeconds: number): boolean {
    const before = this.#devices.get(deviceId) ?? [];
    const { instances, alternating } = recordInstance(before, instanceId, nowMs, healthIntervalSeconds);
    this.#devices.set(deviceId, instances);
    return alternating;
  }
}
