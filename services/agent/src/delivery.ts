import { parsedJson } from './parsed-json.ts';
import { isAnswers } from './state/forms.ts';
import type { Waiting } from './state/spool.ts';
import { AGENT, type StateStore } from './state/store.ts';

export interface DeliveryOptions {
  readonly store: Pick<StateStore, 'text' | 'commit'>;
  readonly steadyMs: () => number;
  /** Returns the server's time in ms, or the machine's while unknown. */
  readonly serverMs: () => number;
  /** Returns the device's health interval in ms. */
  readonly healthMs: () => number;
  /** As in `Sender`. */
  readonly gatheredMs: () => number;
  readonly log: (level: 'error', message: string) => void;
  readonly notice: (code: string, message: string, fileId: null) => void;
}

/** Problem of a file at which no look has ended for so long that the server shows it as lost. */
export const LOOK_LATE = 'LOOK_LATE';
/** Problem of a file whose reports the server does not take. */
export const REPORTS_WAIT = 'REPORTS_WAIT';

/**
 * Number of health intervals that a report may wait: with the next heartbeat these are the three of the server. As long
 * without an answer is an outage.
 */
const LATE_INTERVALS = 2;
const US_PER_MS = 1_000;

/** What is known of the server's answers; the next run goes on from it. */
interface Answers {
  /**
   * Times of the last answered heartbeat, and of the first after an outage, in ms of the server's time: it goes on also while the
   * machine is paused and its clocks stand still, which is an outage.
   */
  readonly atMs: number;
  readonly sinceMs: number;
  /** The server was told that reports are held up. */
  readonly isTold: boolean;
}

const NO_ANSWERS: Answers = { atMs: -Infinity, sinceMs: Infinity, isTold: false };

/**
 * Detects that the server answers heartbeats and takes no reports, as behind a proxy that refuses bulk bodies: the server would
 * then show files as checked, and not know of their changes.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  #answers = NO_ANSWERS;
  /** The answers in the state. */
  #kept = NO_ANSWERS;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Goes on from what the last run kept. @throws Error the state cannot be read now */
  load(): void {
    const text = this.#options.store.text(AGENT, 'answers', 0);
    if (text === undefined) return;
    const kept = parsedJson(text);
    if (!isAnswers(kept)) return;
    this.#answers = kept;
    this.#kept = kept;
  }

  /** Whether the server was told that reports are held up, and they still are. */
  get isTold(): boolean {
    return this.#answers.isTold;
  }

  /** As in `Sender`. */
  get gatheredMs(): number {
    return this.#options.gatheredMs();
  }

  /** Records that the server answered a heartbeat. @param waiting number of reports that waited then */
  recordAnswer(waiting: number): void {
    const atMs = this.#options.serverMs();
    const sinceMs = this.#isOutage(atMs) ? atMs : this.#answers.sinceMs;
    this.#answers = { ...this.#answers, atMs, sinceMs };
    if (waiting > 0 || this.isTold !== this.#kept.isTold) this.#keep();
  }

  /** Records that a heartbeat did not reach the server: after such an outage, however short, reports have time again. */
  recordOutage(): void {
    this.#answers = { ...this.#answers, atMs: NO_ANSWERS.atMs };
  }

  /** Keeps the answers for the next run: it may come before the reports have waited for long enough in this one. */
  #keep(): void {
    const { atMs, isTold } = this.#answers;
    const isYoung = Math.abs(atMs - this.#kept.atMs) < this.#options.healthMs() / 2;
    if (isYoung && isTold === this.#kept.isTold) return;
    this.#kept = this.#answers;
    const text = JSON.stringify(this.#answers);
    const kept = this.#options.store.commit(AGENT, [{ do: 'put', part: 'answers', number: 0, text }]);
    kept.catch(() => undefined); // the files tell of a state that cannot be written
  }

  /**
   * Returns whether a file's reports are held up. While no heartbeat is answered they wait as all else does; after an outage they
   * have the same time to arrive as new ones.
   * @param waiting the file's reports, oldest first
   */
  isHeldUp([oldest]: readonly Waiting[]): boolean {
    if (oldest === undefined) return false;
    const { serverMs, steadyMs } = this.#options;
    const nowMs = serverMs();
    if (this.#isOutage(nowMs)) return false;
    // The sequence tells the age also after a restart; that of a clock that was ahead is later than now.
    const ageMs = Math.max(nowMs - oldest.sequence / US_PER_MS, steadyMs() - oldest.keptMs);
    return ageMs > this.#lateMs && nowMs - this.#answers.sinceMs > this.#lateMs;
  }

  get #lateMs(): number {
    return LATE_INTERVALS * this.#options.healthMs();
  }

  /** Returns whether the last answer is too long ago, or later than now: then the server's clock was set back. */
  #isOutage(nowMs: number): boolean {
    return Math.abs(nowMs - this.#answers.atMs) >= this.#lateMs;
  }

  /**
   * Reports once that reports are held up, until none is.
   * @param files number of files whose problem is `REPORTS_WAIT` @param why cause, if it is known
   */
  report(files: number, why: string | undefined): void {
    if (files > 0 && !this.isTold) {
      const cause = why ?? 'they take longer than two health intervals';
      const message = `The server answers heartbeats, but reports of ${files === 1 ? 'one file' : `${files} files`} do not get to it: ${cause}.`;
      this.#options.log('error', message);
      this.#options.notice(REPORTS_WAIT, message, null);
    }
    this.#answers = { ...this.#answers, isTold: files > 0 };
  }
}
