import { recordInstance, type Instances } from './domain/two-agents.ts';

/**
 * Agent instances of at most `maxDevices` devices; the device that was silent longest is evicted first.
 * @pool agent-instances
 */
export class AgentInstances {
  readonly #maxDevices: number;
  readonly #devices = new Map<string, Instances>();

  constructor(maxDevices: number) {
    this.#maxDevices = maxDevices;
  }

  /** Records a sighting and returns whether two agents of the device alternate. */
  record(deviceId: string, instanceId: string, nowMs: number, healthIntervalSeconds: number): boolean {
    const before = this.#devices.get(deviceId) ?? [];
    const { instances, alternating } = recordInstance(before, instanceId, nowMs, healthIntervalSeconds);
    this.#devices.delete(deviceId);
    this.#devices.set(deviceId, instances);
    if (this.#devices.size > this.#maxDevices) this.#devices.delete(this.#devices.keys().next().value!);
    return alternating;
  }
}
