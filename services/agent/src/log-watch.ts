import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpoint, type ProofTrust } from '@sentinel-node/contracts';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { lookOnce, readKept, type Found, type Result } from './monitor/judge-look.ts';
import { compare } from './monitor/look.ts';
import { PublishedLog } from './monitor/published-log.ts';

export interface LogWatchOptions {
  /** Holds the kept checkpoint, and beside it what did not go on from it. */
  readonly folder: string;
  readonly trust: ProofTrust;
  /** Of the server's API; the log is published at the root above it. */
  readonly address: () => string;
  readonly fetch: typeof fetch;
  readonly steadyMs: () => number;
  readonly wallMs: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly notice: (code: string, message: string) => void;
}

/** Of the log. Times are ISO 8601 by the machine's clock. */
export interface LogStatus {
  /** Of the last look, whatever it found; null: none since the start. */
  readonly lookedAt: string | null;
  /** What is wrong with the log; null: nothing that a look found. */
  readonly problem: string | null;
}

/** From one look to the next, in ms. */
export const LOG_LOOK_MS = 600_000;
/** Looks in a row that cannot be made before it is a problem. */
const FAILURES = 3;
const API_PATH = /\/api\/v1\/?$/;

/**
 * Holds the operator to the log that this agent saw: keeps the newest checkpoint, and looks whether the published log goes
 * on from it. Witnesses of the policy are for monitors to ask for.
 */
export class LogWatch {
  readonly #options: LogWatchOptions;
  readonly #ending = new AbortController();
  #dueAt = -Infinity;
  #failures = 0;
  /** What was told last, and has not passed. */
  #told: Result | 'UNREADABLE' | undefined;
  #status: LogStatus = { lookedAt: null, problem: null };

  constructor(options: LogWatchOptions) {
    this.#options = options;
  }

  get status(): LogStatus {
    return this.#status;
  }

  /** Ends a look under way. */
  stop(): void {
    this.#ending.abort();
  }

  /** Looks, unless it did lately. Never throws: what cannot be read is tried again. */
  async look(): Promise<void> {
    const { steadyMs, wallMs } = this.#options;
    if (steadyMs() < this.#dueAt || this.#ending.signal.aborted) return;
    this.#dueAt = steadyMs() + LOG_LOOK_MS;
    const problem = await this.#found().then(
      (found) => this.#judged(found),
      (error: unknown) => this.#unread(error),
    );
    if (!this.#ending.signal.aborted) this.#status = { lookedAt: new Date(wallMs()).toISOString(), problem };
  }

  /**
   * Whether the log that this agent keeps begins with the log of a checkpoint. undefined: it ends before, or cannot be
   * read now.
   * @param note signed by the key of the trust file, which the caller has checked
   */
  async has(note: string): Promise<boolean | undefined> {
    try {
      const { signed: kept } = await readKept(this.#state, this.#options.trust);
      const of = parseCheckpoint(note);
      if (kept === undefined || of === undefined || of.size > kept.size) return undefined;
      return (await compare(of, kept, this.#published().hashes)) === 'GOES_ON';
    } catch {
      return undefined;
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
    if (result === 'GOES_ON') return this.#well();
    const problem = `${result.replaceAll('_', ' ')}: ${text}`;
    this.#tell(result, 'LOG_NOT_CONTINUED', problem);
    return problem;
  }

  #unread(error: unknown): string | null {
    const problem = `the published log cannot be looked at: ${messageOf(error)}`;
    if (this.#ending.signal.aborted) return this.#status.problem;
    this.#failures += 1;
    if (this.#failures === 1) this.#options.log('warn', problem);
    if (this.#failures < FAILURES || this.#told !== undefined) return this.#status.problem;
    this.#tell('UNREADABLE', 'LOG_UNREADABLE', problem);
    return problem;
  }

  #well(): null {
    if (this.#told !== undefined) this.#options.log('info', 'the published log goes on again');
    this.#told = undefined;
    return null;
  }

  /** Each kind once, until it has passed. */
  #tell(kind: Result | 'UNREADABLE', code: string, problem: string): void {
    if (kind === this.#told) return;
    this.#told = kind;
    this.#options.log('error', problem);
    this.#options.notice(code, problem);
  }
}
