/**
 * Opens connections to the receiver, one after the other. Notices count as delivered when their connection
 * has ended well.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { backoffMs, chanceOf, type Clock, type Random, type TlsSession } from '@sentinel-node/platform';
import { SYSLOG_LIMITS } from './limits.ts';

/** Turns of the event loop in which what has arrived passes through TCP and TLS, and is answered. */
const TURNS_TO_READ = 10;

/** Values of `SYSLOG_LIMITS`. */
export interface ConnectionTimes {
  readonly quietMs: number;
  readonly connectionMs: number;
  readonly retry: { readonly firstMs: number; readonly longestMs: number };
}

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly open: (signal: AbortSignal) => Promise<TlsSession>;
  readonly times?: Partial<ConnectionTimes>;
  /** Called when a connection has ended, with the error if it failed. */
  readonly onEnd: (error: unknown) => void;
}

/** @boundedBy the partitions of the topic: each has one batch here at most */
interface Connection {
  isOpen: boolean;
  readonly waiting: Uint8Array[];
  readonly done: Promise<void>;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #times: ConnectionTimes;
  readonly #stopping = new AbortController();
  #connection: Connection | undefined;
  #failures = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#times = { ...SYSLOG_LIMITS, ...options.times };
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Sends bytes. Resolves when the receiver has closed the connection after this side did: it has read the
   * bytes.
   * @throws TargetUnavailableError when that is not certain: send the bytes again
   */
  async send(bytes: Uint8Array): Promise<void> {
    while (this.#connection !== undefined && !this.#connection.isOpen)
      await this.#connection.done.catch(() => undefined);
    this.#connection ??= this.#begin();
    this.#connection.waiting.push(bytes);
    await this.#connection.done;
  }

  /** Aborts the connection; its notices count as not sent. */
  stop(): void {
    this.#stopping.abort();
  }

  #begin(): Connection {
    const waiting: Uint8Array[] = [];
    const connection: Connection = {
      isOpen: true,
      waiting,
      done: Promise.resolve().then(() => this.#run(connection)),
    };
    connection.done.catch(() => undefined);
    return connection;
  }

  async #run(connection: Connection): Promise<void> {
    const { onEnd, clock, random } = this.#options;
    const { signal } = this.#stopping;
    const { quietMs, connectionMs, retry } = this.#times;
    try {
      if (this.#failures > 0)
        await pause(backoffMs(this.#failures - 1, retry, chanceOf(random)), undefined, { signal });
      const session = await this.#options.open(signal);
      const until = clock.now() + connectionMs;
      try {
        while (connection.waiting.length > 0) {
          await session.write(Buffer.concat(connection.waiting.splice(0)));
          if (clock.now() >= until) connection.isOpen = false;
          // The failure of a receiver that closed before it read the bytes shows within this time.
          await pause(quietMs, undefined, { signal });
          // After a process stood still, timers come before what its sockets have received meanwhile.
          for (let turn = 0; turn < TURNS_TO_READ; turn += 1) await nextTurn();
        }
        connection.isOpen = false;
        await session.end();
      } finally {
        session.close();
      }
      this.#failures = 0;
      onEnd(undefined);
    } catch (error) {
      this.#failures++;
      if (!signal.aborted) onEnd(error);
      throw error;
    } finally {
      connection.isOpen = false;
      if (this.#connection === connection) this.#connection = undefined;
    }
  }
}
