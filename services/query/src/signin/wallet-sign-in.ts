import type { KeyObject } from 'node:crypto';
import type { WalletCredentials } from '@sentinel-node/contracts';
import { isLoopback, type Clock, type Config, type Log } from '@sentinel-node/platform';
import type { SignIns } from './sign-ins.ts';
import { credentialsFault } from './wallet-credentials.ts';

/** Path of the callback. Its URL is the audience of the wallet's statements. */
export const CALLBACK_PATH = '/api/v1/e2walletlogin';

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the origins of this service: the public one and, on a loopback address, the other names of the machine. */
export function ownOrigins({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>): ReadonlySet<string> {
  const url = new URL(publicUrl);
  const origins = new Set([url.origin]);
  if (!isLoopback(host) || !isLoopback(url.hostname)) return origins;
  const port = url.port === '' ? '' : `:${url.port}`;
  for (const name of OWN_HOSTS) origins.add(`${url.protocol}//${name}${port}`);
  return origins;
}

/** Handles POST /e2walletlogin: accepts the wallet's statement that somebody signed in. */
export class WalletSignIn {
  readonly #publicKey: KeyObject;
  readonly #signIns: SignIns;
  readonly #audiences: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: {
    readonly publicKey: KeyObject;
    readonly signIns: SignIns;
    readonly origins: ReadonlySet<string>;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#publicKey = options.publicKey;
    this.#signIns = options.signIns;
    this.#audiences = new Set([...options.origins].map((origin) => origin + CALLBACK_PATH));
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Returns false for credentials that are forged, meant for another audience, too old, or repeated. Only the log has
   * the reason.
   */
  async accept(credentials: WalletCredentials): Promise<boolean> {
    const fault = credentialsFault(credentials, {
      publicKey: this.#publicKey,
      isAudience: (audience) => this.#audiences.has(audience),
      now: this.#clock.now(),
    });
    const accepted = fault === undefined && (await this.#signIns.claimToken(credentials));
    if (!accepted) this.#log.warn({ fault: fault ?? 'repeated' }, 'credentials of the wallet were refused');
    return accepted;
  }

  claim(accessToken: string): ReturnType<SignIns['claim']> {
    return this.#signIns.claim(accessToken);
  }
}
