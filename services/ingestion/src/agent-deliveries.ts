import type { Delivery } from './domain/deliveries.ts';

/**
 * Deliveries of at most `maxDevices` devices; the device that was silent longest is evicted first.
 * @pool agent-deliveries
 */
export class AgentDeliveries {
  readonly #maxDevices: number;
  readonly #devices = new Map<string, Delivery>();

  constructor(maxDevices: number) {
    this.#maxDevices = maxDevices;
  }

  of(deviceId: string): Delivery | undefined {
    return this.#devices.get(deviceId);
  }

  keep(deviceId: string, delivery: Delivery): void {
    this.#devices.delete(deviceId);
    this.#devices.set(deviceId, delivery);
    if (this.#devices.size > this.#maxDevices) this.#devices.delete(this.#devices.keys().next().value!);
  }
}
