/**
 * Secrets of webhooks. The signing secret is derived from the master secret, as API keys of devices are, and
 * is not stored. URL and routing key come from people and are stored encrypted.
 */
import { Type } from 'typebox';
import {
  compileChecker,
  macOf,
  openSealed,
  PURPOSES,
  purposeKey,
  seal,
  SEAL_NONCE_BYTES,
  SealBrokenError,
  type Random,
} from '@sentinel-node/platform';

export interface Target {
  readonly url: string;
  /** For PagerDuty. */
  readonly routingKey?: string;
}

type Place = { readonly orgId: string; readonly id: string };

const PREFIX = 'whsec_';
const checkTarget = compileChecker(
  Type.Object({ url: Type.String(), routingKey: Type.Optional(Type.String()) }),
);

export class WebhookSecrets {
  readonly #signing: Uint8Array;
  readonly #sealing: Uint8Array;
  readonly #random: Random;

  constructor(masterSecret: string, random: Random) {
    this.#signing = purposeKey(masterSecret, PURPOSES.webhookSecrets);
    this.#sealing = purposeKey(masterSecret, PURPOSES.webhookTargets);
    this.#random = random;
  }

  /** Returns the signing key, 32 bytes. */
  key({ orgId, id }: Place, version: number): Uint8Array {
    return macOf(this.#signing, [orgId, id, String(version)]);
  }

  /** Returns the secret as people get it: `whsec_` and base64. */
  shown(place: Place, version: number): string {
    return PREFIX + Buffer.from(this.key(place, version)).toString('base64');
  }

  seal(place: Place, target: Target): string {
    return seal(this.#sealing, JSON.stringify(target), nameOf(place), this.#random.bytes(SEAL_NONCE_BYTES));
  }

  /** @throws SealBrokenError */
  open(place: Place, sealed: string): Target {
    const target: unknown = JSON.parse(openSealed(this.#sealing, sealed, nameOf(place)));
    if (!checkTarget.check(target)) throw new SealBrokenError();
    return target;
  }
}

const nameOf = ({ orgId, id }: Place): string => `${orgId}/${id}`;
