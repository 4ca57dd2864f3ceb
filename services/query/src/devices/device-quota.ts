/** Limits the devices of an organisation. */
import { deviceStream, LIMITS } from '@sentinel-node/contracts';
import type { Clock, DocumentStore } from '@sentinel-node/platform';
import { type QuotaKind, Quotas } from '../storage/quotas.ts';
import { VIEWS } from '../views/index.ts';

export interface DeviceQuotaOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly quotas?: Quotas;
  /** The most devices of one organisation. */
  readonly limit?: number;
}

export class DeviceQuota {
  readonly #quotas: Quotas;
  readonly #kind: QuotaKind;

  constructor({
    store,
    clock,
    quotas = new Quotas({ store, clock }),
    limit = LIMITS.devicesPerOrganization,
  }: DeviceQuotaOptions) {
    this.#quotas = quotas;
    this.#kind = {
      limit,
      refusal: `An organization has at most ${limit} devices.`,
      view: VIEWS.devices,
      streamOf: deviceStream,
      present: (of, orgId) => of.count(VIEWS.devices, { orgId, deleted: false }),
    };
  }

  /** As `Quotas.take`. */
  async take(orgId: string, deviceId: string): Promise<void> {
    await this.#quotas.take(this.#kind, orgId, deviceId);
  }
}
