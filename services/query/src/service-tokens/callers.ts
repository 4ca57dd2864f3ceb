/** Checks the service tokens that programs call with. */
import { serviceTokenStream, type DeviceLimits, type ServiceTokenEntity } from '@sentinel-node/contracts';
import { loadStream, type Caller, type Clock, type DocumentStore } from '@sentinel-node/platform';
import { serviceTokenState } from '../registry/service-token.ts';
import { devicesWithin, isDeviceWithin } from './device-limits.ts';
import { SERVICE_TOKENS } from './token.ts';
import type { TokenUses } from './uses.ts';

export class ServiceTokenCallers {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #uses: TokenUses;

  constructor(store: DocumentStore, clock: Clock, uses: TokenUses) {
    this.#store = store;
    this.#clock = clock;
    this.#uses = uses;
  }

  /** Returns whether a text has the form of a service token. */
  isToken(text: string): boolean {
    return SERVICE_TOKENS.idOf(text) !== undefined;
  }

  /**
   * Returns the caller; undefined for a wrong, expired or ended token. Reads the stream, so that an ended
   * token is refused at once by every process.
   */
  async callerOf(token: string): Promise<Caller | undefined> {
    const id = SERVICE_TOKENS.idOf(token) ?? 'none';
    const found = await loadStream<ServiceTokenEntity>(this.#store, serviceTokenStream(id));
    if (!SERVICE_TOKENS.matches(token, found?.entity.tokenHash) || found === undefined) return undefined;
    const { entity } = found;
    if (serviceTokenState(entity, this.#clock.now()) !== 'VALID') return undefined;
    const { orgId, role, readOnly, name, limits = null } = entity;
    const serviceToken = { readOnly, limits };
    return { userId: id, email: `${name} (service token)`, name, orgId, role, serviceToken };
  }

  isDeviceWithin(orgId: string, limits: DeviceLimits, deviceId: string): Promise<boolean> {
    return isDeviceWithin(this.#store, orgId, limits, deviceId);
  }

  devicesWithin(orgId: string, limits: DeviceLimits): Promise<ReadonlySet<string>> {
    return devicesWithin(this.#store, orgId, limits);
  }

  /** Records the use of a token. @param address of the caller */
  used({ userId }: Caller, address: string): void {
    this.#uses.record(userId, address);
  }
}
