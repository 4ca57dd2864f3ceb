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

  /** Counts the reports if both limits allow them all; otherwise counts none and returns the limit. */
  take({ id, orgId }: Sender, reports = 1): Exceeded | undefined {
    const ofDevice = this.#devices.peek(id, reports);
    if (!ofDevice.allowed) return this.#byDevice(ofDevice);
    const ofAll = this.#organizations.peek(orgId, reports);
    if (!ofAll.allowed) return this.#byOrganization(ofAll);
    this.#devices.keep(id, ofDevice);
    this.#organizations.keep(orgId, ofAll);
    return undefined;
  }

  /** Returns the limit that does not allow one more report. */
  exceeded({ id, orgId }: Sender): Exceeded | undefined {
    const ofDevice = this.#devices.peek(id);
    if (!ofDevice.allowed) return this.#byDevice(ofDevice);
    const ofAll = this.#organizations.peek(orgId);
    return ofAll.allowed ? undefined : this.#byOrganization(ofAll);
  }

  #byDevice(taken: Taken): Exceeded {
    return { limit: this.#devices.limit, taken, detail: 'The device sends more than it may.' };
  }

  #byOrganization(taken: Taken): Exceeded {
    const detail = 'The devices of the organization send more than they may.';
    return { limit: this.#organizations.limit, taken, detail };
  }
}
