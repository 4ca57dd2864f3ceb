import type { DeviceEntity } from '@sentinel-node/contracts';
import { RateLimiter, type BucketLimit, type Clock, type Taken } from '@sentinel-node/platform';

export interface ReportRatesOptions {
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

/** Rates of reports: each report counts for its device and for the organisation of the device. */
export class ReportRates {
  readonly #devices: RateLimiter;
  readonly #organizations: RateLimiter;

  constructor({ device, organization, clock }: ReportRatesOptions) {
    /** @pool device-reports */
    this.#devices = new RateLimiter({ limit: device, clock });
    /** @pool organization-reports */
    this.#organizations = new RateLimiter({ limit: organization, clock });
  }

  /** The most reports that can be counted at once. */
  get most(): number {
    return Math.min(this.#devices.limit.burst, this.#organizations.limit.burst);
  }

  /** Counts the reports if both limits allow them all; otherwise counts none and returns the limit. */
  take(sender: Sender, reports = 1): Exceeded | undefined {
    const { ofDevice, ofAll, exceeded } = this.#peek(sender, reports);
    if (exceeded !== undefined) return exceeded;
    this.#devices.keep(sender.id, ofDevice);
    this.#organizations.keep(sender.orgId, ofAll);
    return undefined;
  }

  /** Counts work that was done for the sender already, also beyond the limits: later reports wait until it is paid. */
  charge({ id, orgId }: Sender, reports: number): void {
    this.#devices.charge(id, reports);
    this.#organizations.charge(orgId, reports);
  }

  /** Returns the limit that does not allow one more report. */
  exceeded(sender: Sender): Exceeded | undefined {
    return this.#peek(sender, 1).exceeded;
  }

  /** Computes both limits without counting. The device's limit is named first. */
  #peek({ id, orgId }: Sender, reports: number) {
    const ofDevice = this.#devices.peek(id, reports);
    const ofAll = this.#organizations.peek(orgId, reports);
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
