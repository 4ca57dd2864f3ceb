import type { Admin } from 'kafkajs';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';
import { retrying } from './retry.ts';

/** kafkajs's admin client, connected when first used, made anew after every failure. */
export class AdminSession {
  readonly #context: ClientContext;
  #admin: Promise<Admin> | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** @throws LogUnavailableError after `readTimeoutMs` */
  call<T>(what: string, work: (admin: Admin) => Promise<T>): Promise<T> {
    return retrying(
      what,
      this.#context.limits,
      async () => work(await (this.#admin ??= this.#connect())),
      () => void this.close(),
    );
  }

  async close(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    // A connection that failed has nothing to close.
    await admin?.then((open) => open.disconnect()).catch(() => undefined);
  }

  async #connect(): Promise<Admin> {
    const admin = createClient(this.#context).admin();
    await admin.connect();
    return admin;
  }
}
