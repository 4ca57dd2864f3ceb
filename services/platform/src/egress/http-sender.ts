/** Posts to foreign servers: checked addresses, no redirects, bounded in time and size. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressRules } from './address-rules.ts';
import { TargetRefusedError, TargetUnavailableError } from './errors.ts';
import { checkLiteral, guardedLookup, type Resolve, type TargetCheck } from './guarded-lookup.ts';
import { defaultResolve } from './own-resolve.ts';

/** Limits in milliseconds, each from the call. */
export const SENDER_TIMES = {
  /** Limit until name, connection and TLS are ready. */
  connectMs: 5_000,
  /** Limit until the status of the answer. */
  headersMs: 10_000,
  /** Limit until the end of the answer; the bytes received by then count. */
  wholeMs: 15_000,
} as const;

export const SENDER_LIMITS = {
  /** The most kept bytes of an answer. */
  keptBytes: 1_024,
  /** Bytes of an answer after which the connection is closed. */
  readBytes: 65_536,
  headerBytes: 16_384,
  /** The most connections of one session. */
  connections: 8,
} as const;

export interface OutgoingPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The first bytes of the body. */
  readonly body: Uint8Array;
}

/** Calls that share connections. */
export interface SenderSession {
  /**
   * Posts a request; a redirect is an answer.
   * @throws TargetRefusedError before any byte is sent; TargetUnavailableError without an answer; AbortError
   */
  post(request: OutgoingPost): Promise<PostAnswer>;
  /** Closes the connections. */
  close(): void;
}

export interface HttpSenderOptions {
  readonly rules: AddressRules;
  /** Default: the file of hosts and the name servers of the machine. */
  readonly resolve?: Resolve;
  readonly times?: Partial<Record<keyof typeof SENDER_TIMES, number>>;
  /** Certificate authorities (PEM); default: those of the runtime. */
  readonly ca?: string;
}

export class HttpSender {
  readonly #options: HttpSenderOptions;
  constructor(options: HttpSenderOptions) {
    this.#options = options;
  }

  open(): SenderSession {
    const { rules, resolve = defaultResolve(), times, ca } = this.#options;
    const limits = { ...SENDER_TIMES, ...times };
    const pool = { keepAlive: true, maxSockets: SENDER_LIMITS.connections };
    const agents = { http: new http.Agent(pool), https: new https.Agent({ ...pool, ...(ca && { ca }) }) };
    return {
      post: async (request) => {
        const url = new URL(request.url);
        const isHttps = url.protocol === 'https:';
        const check: TargetCheck = { rules, resolve, privateOnly: !isHttps };
        checkLiteral(url, check);
        const { request: start } = isHttps ? https : http;
        const agent = isHttps ? agents.https : agents.http;
        return exchange(request, limits, () =>
          start(url, {
            method: 'POST',
            headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
            agent,
            lookup: guardedLookup(check),
            maxHeaderSize: SENDER_LIMITS.headerBytes,
            signal: request.signal,
          }),
        );
      },
      close: () => {
        agents.http.destroy();
        agents.https.destroy();
      },
    };
  }
}

function exchange(
  { body, signal }: OutgoingPost,
  times: Readonly<Record<keyof typeof SENDER_TIMES, number>>,
  start: () => http.ClientRequest,
): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const request = start();
    const late = (what: string, ms: number): NodeJS.Timeout =>
      setTimeout(() => request.destroy(new TargetUnavailableError(`${what} within ${ms / 1_000} s`)), ms);
    const connecting = late('no connection', times.connectMs);
    const waiting = late('no answer', times.headersMs);
    const whole = late('no complete answer', times.wholeMs);
    const end = (): void => [connecting, waiting, whole].forEach((timer) => clearTimeout(timer));
    const connected = (): void => clearTimeout(connecting);
    request.on('socket', (socket) => {
      // A reused connection is ready.
      if (!socket.connecting) return connected();
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    });
    let isAnswered = false;
    request.on('error', (error) => {
      // The status counts even when the rest of the answer does not come.
      if (isAnswered) return;
      end();
      reject(failureOf(error, signal));
    });
    // Node closes the request without an error when the receiver answers 101.
    request.on('close', () => {
      if (isAnswered) return;
      end();
      reject(new TargetUnavailableError('the connection ended without a usable answer'));
    });
    request.on('response', (response) => {
      isAnswered = true;
      connected();
      clearTimeout(waiting);
      readStart(request, response, (bytes) => {
        end();
        const { statusCode: status = 0, headers } = response;
        resolve({ status, retryAfter: headers['retry-after'], body: bytes });
      });
    });
    request.end(body);
  });
}

/**
 * Reads an answer to its end, so that its connection can be reused, or up to the limit. The status is already known.
 */
function readStart(
  request: http.ClientRequest,
  response: IncomingMessage,
  done: (kept: Uint8Array) => void,
): void {
  const parts: Buffer[] = [];
  let length = 0;
  response.on('data', (part: Buffer) => {
    if (length < SENDER_LIMITS.keptBytes) parts.push(part.subarray(0, SENDER_LIMITS.keptBytes - length));
    length += part.length;
    if (length > SENDER_LIMITS.readBytes) request.destroy();
  });
  // An answer that breaks off also emits an error; `close` follows in any case.
  response.on('error', () => undefined);
  response.once('close', () => done(new Uint8Array(Buffer.concat(parts))));
}

function failureOf(error: Error, signal: AbortSignal): Error {
  if (error instanceof TargetRefusedError || error instanceof TargetUnavailableError) return error;
  if (signal.aborted) return error;
  // Node's AggregateError for several addresses has a message for each address, but none of its own.
  const causes = error instanceof AggregateError ? error.errors.map(String).join('; ') : '';
  return new TargetUnavailableError(error.message || causes || error.name);
}
