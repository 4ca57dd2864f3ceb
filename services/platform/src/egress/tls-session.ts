/** One connection that only sends, over TLS, and that ends with the receiver's word that it has read everything. */
import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { tlsOptions, type ClientFiles } from './client-files.ts';
import { TargetUnavailableError } from './errors.ts';

/** Milliseconds. */
export const TLS_SESSION_TIMES = {
  /** Until name, connection and TLS are there. */
  connectMs: 10_000,
  /** Until what was written has left this process. */
  writeMs: 30_000,
  /** Until the receiver has answered the end. */
  endMs: 10_000,
} as const;

export interface TlsSessionOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: ClientFiles;
  /** Of the variables that name the files, for messages. */
  readonly variables: string;
  readonly times?: Partial<Record<keyof typeof TLS_SESSION_TIMES, number>>;
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
}

/** Every method throws TargetUnavailableError when the connection is broken or ended by the receiver. */
export class TlsSession {
  readonly #socket: TLSSocket;
  readonly #times: Record<keyof typeof TLS_SESSION_TIMES, number>;
  /** Rejects at the first fault; an end by the receiver is one, unless this side has ended before. */
  readonly #broken: Promise<never>;
  #break: (why: string) => void = () => undefined;
  #isEnded = false;

  private constructor(options: TlsSessionOptions) {
    const { host, port, tls, variables, times, signal } = options;
    this.#times = { ...TLS_SESSION_TIMES, ...times };
    this.#broken = new Promise((_, reject) => {
      this.#break = (why) => reject(new TargetUnavailableError(why));
    });
    this.#broken.catch(() => undefined);
    const name = isIP(host) === 0 ? { servername: host } : {};
    this.#socket = connect({ host, port, ...name, ...filesNow(tls, variables), minVersion: 'TLSv1.2' });
    const stop = (): void => void this.#socket.destroy(new Error('the sender stops'));
    signal.addEventListener('abort', stop);
    this.#socket.on('close', () => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#break(error.code ?? error.message));
    this.#socket.on('end', () => this.#isEnded || this.#break('the receiver ended the connection'));
    this.#socket.on('close', () => this.#break('the connection was closed'));
    // Nothing is expected; what comes is thrown away, so that the end behind it is seen.
    this.#socket.resume();
  }

  static async open(options: TlsSessionOptions): Promise<TlsSession> {
    const session = new TlsSession(options);
    const ready = new Promise<void>((resolve) => session.#socket.once('secureConnect', resolve));
    await session.#within('connectMs', ready, 'no connection in time');
    return session;
  }

  /** Resolves when the bytes have left this process, which says nothing of the receiver. */
  async write(bytes: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()));
    await this.#within('writeMs', written, 'the receiver does not read');
  }

  /**
   * Sends close_notify and waits for the receiver's own end, which RFC 5425, 4.4, asks of it: TLS is in order, so that it
   * has then taken all bytes before. The runtime does not tell close_notify from the end of TCP.
   */
  async end(): Promise<void> {
    const answered = new Promise<void>((resolve) => this.#socket.once('end', resolve));
    // An end that came before is a break already, which counts.
    this.#isEnded = true;
    this.#socket.end();
    await this.#within('endMs', answered, 'the receiver does not answer the end of the connection');
    this.close();
  }

  /** Closes at once. */
  close(): void {
    this.#socket.destroy();
  }

  async #within(limit: keyof typeof TLS_SESSION_TIMES, work: Promise<void>, why: string): Promise<void> {
    const timer = setTimeout(() => this.#break(why), this.#times[limit]);
    try {
      await Promise.race([this.#broken, work]);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Files can be in the middle of their renewal: what is wrong with them may pass. */
function filesNow(tls: ClientFiles, variables: string): ConnectionOptions {
  try {
    return tlsOptions(tls, variables);
  } catch (error) {
    throw new TargetUnavailableError(error instanceof Error ? error.message : String(error));
  }
}
