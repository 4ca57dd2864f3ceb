import type { Admin } from 'kafkajs';
import { withMissingRight } from './access.ts';
import type { Right } from './access.ts';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';
import { ClosedError, retrying } from './retry.ts';

/** Connects kafkajs's admin client at its first use, and creates a new one after every failure. */
export class AdminSession {
  readonly #context: ClientContext;
  #admin: Promise<Admin> | undefined;
  #closed = false;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /**
   * Calls the admin client.
   * @param rights rights that Kafka requires for the call
   * @throws LogUnavailableError after `readTimeoutMs`, AccessDeniedError, SignInRefusedError, ClosedError
   */
  async call<T>(what: string, rights: readonly Right[], work: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      return await retrying(
        what,
        this.#context.limits,
        async () => work(await (this.#admin ??= this.#connect())),
        () => void this.#disconnect(),
      );
    } catch (error) {
      throw withMissingRight(error, this.#context.connection, rights);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    // A failed connection needs no disconnect.
    await admin?.then((open) => open.disconnect()).catch(() => undefined);
  }

  async #connect(): Promise<Admin> {
    if (this.#closed) throw new ClosedError();
    const admin = createClient(this.#context).admin();
    await admin.connect();
    return admin;
  }
}
