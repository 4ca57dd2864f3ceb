import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpoint, type ProofTrust } from '@sentinel-node/contracts';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { lookOnce, readKept, type Found, type Result } from './monitor/judge-look.ts';
import { compare } from './monitor/look.ts';
import { PublishedLog } from './monitor/published-log.ts';

export interface LogWatchOptions {
  /** Folder of the kept checkpoint and of evidence against the log. */
  readonly folder: string;
  readonly trust: ProofTrust;
  /** Returns the address of the server's API; the log is published at the root above it. */
  readonly address: () => string;
  readonly fetch: typeof fetch;
  readonly steadyMs: () => number;
  readonly wallMs: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly notice: (code: string, message: string) => void;
}

/** Status of the published log. Times are ISO 8601 by the machine's clock. */
export interface LogStatus {
  /** Time of the last look, with or without success; null before the first since the start. */
  readonly lookedAt: string | null;
  /** Problem found by a look; null without a problem. */
  readonly problem: string | null;
  /** Why the last look could not read the log; null after a look that could. `FAILURES` of them in a row are a problem. */
  readonly unread: string | null;
}

/** Answer to whether the log of the kept checkpoint begins with the log of another checkpoint. */
export type InLog =
  | { readonly state: 'there' | 'not-there' | 'unknown' }
  /** The kept log is shorter. `looks` counts the looks that could follow the log: only a later one makes it longer. */
  | { readonly state: 'behind'; readonly looks: number };

/** Interval of looks, in ms. */
export const LOG_LOOK_MS = 600_000;
/** Consecutive failed looks that count as a problem. */
const FAILURES = 3;
const API_PATH = /\/api\/v1\/?$/;

/**
 * Checks that the operator does not replace the published log: keeps the newest checkpoint and checks that
 * the log continues it. Does not check the policy's witnesses, which monitors do.
 */
export class LogWatch {
  readonly #options: LogWatchOptions;
  readonly #ending = new AbortController();
  #dueAt = -Infinity;
  #failures = 0;
  /** Number of looks since the start that found the log going on. */
  #looks = 0;
  /** The last reported problem; undefined after a good look. */
  #reported: Result | 'UNREADABLE' | undefined;
  #status: LogStatus = { lookedAt: null, problem: null, unread: null };

  constructor(options: LogWatchOptions) {
    this.#options = options;
  }

  get status(): LogStatus {
    return this.#status;
  }

  /** Aborts a running look. */
  stop(): void {
    this.#ending.abort();
  }

  /** Looks at the log, at most once in `LOG_LOOK_MS`. Never throws: a later look retries. */
  async look(): Promise<void> {
    const { steadyMs, wallMs } = this.#options;
    if (steadyMs() < this.#dueAt || this.#ending.signal.aborted) return;
    this.#dueAt = steadyMs() + LOG_LOOK_MS;
    const seen = await this.#found().then(
      (found) => ({ problem: this.#judged(found), unread: null }),
      (error: unknown) => this.#failed(error),
    );
    if (!this.#ending.signal.aborted) this.#status = { lookedAt: new Date(wallMs()).toISOString(), ...seen };
  }

  /**
   * Returns whether the log of the kept checkpoint begins with the log of `note`; `unknown` when nothing is kept, or the tiles
   * cannot be read now.
   * @param note checkpoint with the signature of the trust file's key, which the caller has checked
   */
  async has(note: string): Promise<InLog> {
    try {
      const { signed: kept } = await readKept(this.#state, this.#options.trust);
      const of = parseCheckpoint(note);
      if (kept === undefined || of === undefined) return { state: 'unknown' };
      if (of.size > kept.size) return { state: 'behind', looks: this.#looks };
      const isThere = (await compare(of, kept, this.#published().hashes)) === 'GOES_ON';
      return { state: isThere ? 'there' : 'not-there' };
    } catch {
      return { state: 'unknown' };
    }
  }

  get #state(): string {
    return join(this.#options.folder, 'checkpoint');
  }

  #published(): PublishedLog {
    const { address, fetch: by } = this.#options;
    return new PublishedLog(address().replace(API_PATH, ''), by, this.#ending.signal);
  }

  async #found(): Promise<Found> {
    const { folder, trust, wallMs } = this.#options;
    const { policy: _witnesses, ...ownTrust } = trust;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const log = this.#published();
    return lookOnce({ trust: ownTrust, log, state: this.#state, maxAgeSeconds: undefined, now: wallMs() });
  }

  #judged({ result, text }: Found): string | null {
    this.#failures = 0;
    // A new system has no batch until its first reports are anchored; a kept checkpoint of more is BEHIND.
    if (result === 'GOES_ON' || result === 'EMPTY') {
      this.#looks += 1;
      return this.#recovered();
    }
    const problem = `${result.replaceAll('_', ' ')}: ${text}`;
    this.#report(result, 'LOG_NOT_CONTINUED', problem);
    return problem;
  }

  #failed(error: unknown): Pick<LogStatus, 'problem' | 'unread'> {
    const unread = `the published log cannot be looked at: ${messageOf(error)}`;
    const { problem } = this.#status;
    if (this.#ending.signal.aborted) return { problem, unread };
    this.#failures += 1;
    if (this.#failures === 1) this.#options.log('warn', unread);
    if (this.#failures < FAILURES || this.#reported !== undefined) return { problem, unread };
    this.#report('UNREADABLE', 'LOG_UNREADABLE', unread);
    return { problem: unread, unread };
  }

  #recovered(): null {
    if (this.#reported !== undefined) this.#options.log('info', 'the published log goes on again');
    this.#reported = undefined;
    return null;
  }

  /** Reports each kind of problem once, until a good look or another problem. */
  #report(kind: Result | 'UNREADABLE', code: string, problem: string): void {
    if (kind === this.#reported) return;
    this.#reported = kind;
    this.#options.log('error', problem);
    this.#options.notice(code, problem);
  }
}
