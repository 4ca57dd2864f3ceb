import type { DeviceEntity } from '@sentinel-node/contracts';
import { RateLimiter, type BucketLimit, type Clock, type Taken } from '@sentinel-node/platform';

export interface SenderRatesOptions {
  readonly device: BucketLimit;
  readonly organization: BucketLimit;
  readonly clock: Clock;
}

/** The limit that a call would exceed. */
export interface Exceeded {
  readonly limit: BucketLimit;
  readonly taken: Taken;
  readonly detail: string;
}

type Sender = Pick<DeviceEntity, 'id' | 'orgId'>;

/**
 * Rates of reports or calls of devices: each counts for its device and for the organisation of the device.
 * @poolKind
 */
export class SenderRates {
  readonly #devices: RateLimiter;
  readonly #organizations: RateLimiter;

  constructor({ device, organization, clock }: SenderRatesOptions) {
    this.#devices = new RateLimiter({ limit: device, clock });
    this.#organizations = new RateLimiter({ limit: organization, clock });
  }

  /** The most that can be counted at once. */
  get most(): number {
    return Math.min(this.#devices.limit.burst, this.#organizations.limit.burst);
  }

  /** Counts all if both limits allow them; otherwise counts none and returns the limit. */
  take(sender: Sender, count = 1): Exceeded | undefined {
    const { ofDevice, ofAll, exceeded } = this.#peek(sender, count);
    if (exceeded !== undefined) return exceeded;
    this.#devices.keep(sender.id, ofDevice);
    this.#organizations.keep(sender.orgId, ofAll);
    return undefined;
  }

  /** Counts work that was done for the sender already, also beyond the limits: what comes later waits until it is paid. */
  charge({ id, orgId }: Sender, count: number): void {
    this.#devices.charge(id, count);
    this.#organizations.charge(orgId, count);
  }

  /** Returns the limit that does not allow one more. */
  exceeded(sender: Sender): Exceeded | undefined {
    return this.#peek(sender, 1).exceeded;
  }

  /** Computes both limits without counting. The device's limit is named first. */
  #peek({ id, orgId }: Sender, count: number) {
    const ofDevice = this.#devices.peek(id, count);
    const ofAll = this.#organizations.peek(orgId, count);
    const exceeded = ofDevice.allowed
      ? this.#exceededBy(
          this.#organizations,
          ofAll,
          'The devices of the organization send more than they may.',
        )
      : this.#exceededBy(this.#devices, ofDevice, 'The device sends more than it may.');
    return { ofDevice, ofAll, exceeded };
  }

  #exceededBy({ limit }: RateLimiter, taken: Taken, detail: string): Exceeded | undefined {
    return taken.allowed ? undefined : { limit, taken, detail };
  }
}
