import type { AgentClock } from './clock.ts';
import { LOOK_LATE, REPORTS_WAIT, type Delivery } from './delivery.ts';
import type { Waiting } from './state/spool.ts';

/** The task of the file. */
export interface HealthOwner {
  /** Interval of a PROBE file, in ms. */
  readonly intervalMs: number;
  /** Interval of the looks, in ms. */
  readonly everyMs: number;
  /** Waiting reports, oldest first. */
  readonly waiting: readonly Waiting[];
}

export interface HealthOfAgent {
  /** Returns the device's health interval in ms: the server must hear of a look that often. */
  readonly healthMs: () => number;
  readonly clock: AgentClock;
  readonly delivery: Pick<Delivery, 'isHeldUp' | 'isTold' | 'gatheredMs'>;
}

/** Problems of files whose result cannot be saved. */
const NOT_KEPT: ReadonlySet<string | undefined> = new Set(['SPOOL_FAILING', 'SPOOL_FULL']);
/** Number of intervals after which a look is late; the server waits for three. */
const LATE_LOOKS = 2;
/** Number of intervals without a look after which the server shows a file as lost. */
const LOST_LOOKS = 3;

/** Whether the server can know the file's state, and which problem it knows of. */
export class FileHealth {
  readonly #owner: HealthOwner;
  readonly #agent: HealthOfAgent;
  readonly #startedAt: number;
  #checkedAt: number | undefined;
  /** Until when waiting reports were held back for a look, in ms of `performance.now`. */
  #heldBackMs = -Infinity;
  #problem: string | undefined;
  /** Time of the problem's begin, by `elapsedMs` of the clock. */
  #since = 0;
  #reported: string | undefined;

  constructor(owner: HealthOwner, agent: HealthOfAgent) {
    this.#owner = owner;
    this.#agent = agent;
    this.#startedAt = agent.clock.elapsedMs();
  }

  /** Time of the last successful look whose result is on disk, by `elapsedMs` of the clock. */
  get checkedAt(): number | undefined {
    return this.#checkedAt;
  }

  /** Records a successful look that began at this time, and whose result is on disk. */
  recordLook(startedAt: number): void {
    if (this.#owner.waiting.length > 0 && !this.#isLookedAt) this.#heldBackMs = performance.now();
    this.#checkedAt = startedAt;
  }

  /** Why the file cannot be read or its result cannot be saved; undefined without a problem. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** How long results cannot be saved, in ms; undefined when they can. */
  get notKeptMs(): number | undefined {
    return NOT_KEPT.has(this.#problem) ? this.#agent.clock.elapsedMs() - this.#since : undefined;
  }

  /** Why the server cannot know the file's state; undefined when it can. */
  get reason(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (this.#isLate) return LOOK_LATE;
    if (!this.#agent.delivery.isHeldUp(this.#owner.waiting)) return undefined;
    // What the last run told holds until it is known to be otherwise.
    return this.#wasAsked || this.#agent.delivery.isTold ? REPORTS_WAIT : LOOK_LATE;
  }

  /** Whether the waiting reports could be sent with the last request that is over. */
  get #wasAsked(): boolean {
    return this.#isLookedAt && this.#agent.delivery.gatheredMs >= this.#heldBackMs;
  }

  /** Whether the last heartbeat that the server accepted has another reason than the current one. */
  get isToldOther(): boolean {
    return this.#reported !== undefined && this.#reported !== this.reason;
  }

  /** Sets the problem. @returns whether the problem changed */
  setProblem(problem: string | undefined): boolean {
    const isOther = problem !== this.#problem;
    if (isOther) this.#since = this.#agent.clock.elapsedMs();
    this.#problem = problem;
    return isOther;
  }

  /** Records that the server accepted a heartbeat with this reason; null for none. */
  markReported(reason: string | null): void {
    this.#reported = reason ?? undefined;
  }

  /**
   * Whether reports may be sent. The server takes each report as a sign that the agent looks at the file. An older
   * report therefore waits until the agent looked again, or until the server knows the current problem.
   */
  get maySend(): boolean {
    if (this.#problem !== undefined) return this.#reported === this.#problem;
    return this.#isLookedAt;
  }

  /** Whether the last look is so young that waiting reports tell of the file as it is. */
  get #isLookedAt(): boolean {
    if (this.#checkedAt === undefined) return false;
    const { clock, healthMs } = this.#agent;
    const lateMs = LATE_LOOKS * Math.max(this.#owner.everyMs, healthMs());
    return clock.elapsedMs() - this.#checkedAt <= lateMs;
  }

  /** Whether no look has ended for so long that the server shows the file as lost. */
  get #isLate(): boolean {
    const { clock, healthMs } = this.#agent;
    const sinceMs = clock.elapsedMs() - (this.#checkedAt ?? this.#startedAt);
    return sinceMs > LOST_LOOKS * Math.max(this.#owner.intervalMs, healthMs());
  }
}
