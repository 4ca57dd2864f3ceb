import { fetchFailure, readLimited } from '../../ambient/fetched.ts';
import { backoffMs } from '../../ambient/retry.ts';
import { WaitClock } from '../../ambient/wait-clock.ts';
import { retryAfterMs } from '../../egress/retry-after.ts';
import type { Clock } from '../../ports/ambient.ts';
import { LedgerUnavailableError } from '../../ports/errors.ts';
import { parseJson } from './answers.ts';
import { ARC_LIMITS } from './limits.ts';

export interface ArcEndpoint {
  /** `https:`, or `http:` on this machine; without a slash at the end. */
  readonly url: string;
  /** ARC has its routes under `/v1`, Arcade does not. */
  readonly api: 'arc' | 'arcade';
  /** Sent as a Bearer token, to this endpoint only. */
  readonly token?: string | undefined;
}

export interface ArcReply {
  readonly code: number;
  /** undefined when the body is not JSON, or too large. */
  readonly json: unknown;
  /** Wait in milliseconds that the endpoint asked for; 0 without one. */
  readonly retryAfterMs: number;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One ARC service over HTTP. After a call without an answer the service is not called for a while. */
export class ArcClient {
  /** Name for people, without a token. */
  readonly name: string;
  readonly #endpoint: ArcEndpoint;
  readonly #clock: Clock;
  readonly #waits: WaitClock;
  readonly #requestMs: number;
  #failures = 0;
  #askAgainAt = 0;

  /** @param requestMs limit from the call to the last byte of its answer */
  constructor(endpoint: ArcEndpoint, clock: Clock, requestMs: number) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#waits = new WaitClock(clock);
    this.#requestMs = requestMs;
    this.name = new URL(endpoint.url).host;
  }

  /**
   * Makes one call, without retries and redirects. The caller then reports with `answered` or `failed` whether the
   * answer is usable.
   * @param path after `/v1`
   * @throws LedgerUnavailableError without an answer, and while the endpoint must not be called
   */
  async ask(path: string, { method, headers, body }: Request): Promise<ArcReply> {
    const left = this.#askAgainAt - this.#waits.now();
    if (left > 0) throw this.#unavailable(`is asked again in ${Math.ceil(left / 1_000)} s`);
    const { url, api, token } = this.#endpoint;
    try {
      const answer = await fetch(`${url}${api === 'arc' ? '/v1' : ''}${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#requestMs),
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      const bytes = await readLimited(answer, ARC_LIMITS.answerBytes);
      return {
        code: answer.status,
        json: bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes)),
        retryAfterMs: retryAfterMs(
          answer.headers.get('retry-after'),
          this.#clock.now(),
          ARC_LIMITS.retryAfterMs,
        ),
      };
    } catch (error) {
      this.failed(0);
      // The cause is left out, because an error of the request may quote its headers.
      throw this.#unavailable(this.redacted(reasonOf(error)));
    }
  }

  /** Records a usable answer, so that the next call can be made at once. */
  answered(): void {
    this.#failures = 0;
    this.#askAgainAt = 0;
  }

  /** Records an unusable answer: no call for `leastMs` milliseconds, and longer after each failure in a row. */
  failed(leastMs: number): void {
    const wait = Math.max(leastMs, backoffMs(this.#failures++, ARC_LIMITS.backoff));
    this.#askAgainAt = this.#waits.now() + wait;
  }

  /** Shortens the endpoint's text to one line without the token. */
  redacted(words: string): string {
    const { token } = this.#endpoint;
    const safe = token ? words.replaceAll(token, '[redacted]') : words;
    return safe.replaceAll(/\s+/g, ' ').slice(0, ARC_LIMITS.shownCharacters);
  }

  #unavailable(what: string): LedgerUnavailableError {
    return new LedgerUnavailableError(`the ledger service ${this.name} ${what}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'does not answer';
  if (error.name === 'TimeoutError') return 'does not answer in time';
  return `does not answer: ${fetchFailure(error)}`;
}
