import type { BulkAnswer } from '@sentinel-node/contracts';
import { backOffMs } from './domain/back-off.ts';
import { outcomeOf, type Verdict } from './domain/outcome.ts';
import type { FileTask } from './file-task.ts';
import { retryAfterOf, type Answer, type Server } from './net/server.ts';
import type { Receipts, SentLine } from './receipts.ts';
import type { Spooled } from './state/spool.ts';

/** Most reports and bytes of one request, below the server's limits, so that a slow connection meets the time-out. */
const LINES_PER_REQUEST = 5_000;
const BYTES_PER_REQUEST = 8_388_608;
/** Reports of a file read in one turn of the event loop. */
const LINES_PER_TURN = 500;
/** Most reports of a request after a failure, one per file, which tests whether the server is back. */
const LINES_WHILE_FAILING = 100;
/** Longest wait for further reports while many looks are under way, in ms: a request costs more than a hundred reports. */
const COLLECT_MS = 250;
const RETRY_MS = 500;
const RETRY_MAX_MS = 30_000;

/** Wait of a file whose reports the server does not take while the configuration may have changed. */
interface Doubt {
  readonly problem: string;
  readonly failures: number;
  /** Steady time of the next try, in ms. */
  readonly untilMs: number;
}

/** Most renumberings of a file's reports before they wait as they are. */
const RENUMBERED_AT_MOST = 3;

/** Source of one file's waiting reports. */
export type ReportSource = Pick<
  FileTask,
  | 'id'
  | 'maySend'
  | 'earlierSequence'
  | 'newestSequence'
  | 'read'
  | 'accepted'
  | 'refused'
  | 'renumber'
  | 'onSpoolError'
>;

export interface SenderOptions {
  readonly server: Pick<Server, 'bulk' | 'close'>;
  readonly tasks: () => ReadonlyMap<string, ReportSource>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Returns the server's time in ms, or the machine's while unknown. */
  readonly serverMs: () => number;
  readonly notice: (code: string, message: string, fileId: string | null) => void;
  /** Called when the server's answer suggests a changed configuration, which must be fetched. */
  readonly onConfigurationDoubt: () => void;
  readonly receipts: Pick<Receipts, 'take'>;
  /** Returns whether many looks are under way, so that further reports come soon. */
  readonly isScanning: () => boolean;
  /** Longest wait for the further reports of a scan, in ms; default: `COLLECT_MS`. */
  readonly collectMs?: number;
  /** First wait after a failure, in ms; default: `RETRY_MS`. */
  readonly retryMs?: number;
}

interface Line extends SentLine {
  readonly task: ReportSource;
  readonly entry: Spooled;
}

/** Sends the spools' reports, one request at a time, so that each file has at most one request in flight. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #renumbered = new WeakMap<ReportSource, number>();
  /** Highest sent sequence per file. */
  readonly #sentUpTo = new WeakMap<ReportSource, number>();
  /** Files that wait by themselves: others must not wait for their configuration. */
  readonly #doubts = new WeakMap<ReportSource, Doubt>();
  #running: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;
  /** `wake` was called while reports were gathered or sent. */
  #hasNews = false;
  /** The sender waits for further reports of a scan. */
  #isCollecting = false;
  #stopped = false;
  #failures = 0;
  /** The last request reached no server, and nothing said when to try again. */
  #wasUnreachable = false;
  /** Number of reports refused for good, and of the file's later reports, which were set aside with them. */
  setAside = 0;
  /**
   * When the reports of the last request that is over were gathered, in ms of `performance.now`: the server did not take those that could
   * be sent then and still wait.
   */
  gatheredMs = -Infinity;
  /** Why the last reports must be sent again; undefined when the server took them. */
  problem: string | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Starts a request for new reports; does nothing after a failure, whose retry is already planned. */
  wake(): void {
    if (this.#failures > 0) return;
    this.#hasNews = true;
    if (!this.#isCollecting || !this.#options.isScanning()) this.#wake?.();
  }

  /** Makes the planned retry now, because another call found that the server answers again. */
  retryAfterOutage(): void {
    if (!this.#wasUnreachable) return;
    this.#wasUnreachable = false;
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#options.server.close();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#hasNews = false;
      const nowMs = performance.now();
      const lines = await this.#gather();
      if (lines.length === 0 && this.problem !== undefined && !this.#isAnyWaiting()) this.problem = undefined;
      const pause = lines.length === 0 ? this.#pauseOfNothing() : await this.#send(lines);
      if (this.#stopped) return;
      const isEmpty = lines.length === 0;
      if (!isEmpty) this.gatheredMs = nowMs;
      const isNews = isEmpty && this.#failures === 0 && this.#hasNews;
      if (!isNews && (pause !== undefined || isEmpty)) await this.#sleep(pause);
      else if (!isEmpty && lines.length < LINES_PER_REQUEST && this.#options.isScanning())
        await this.#collect();
    }
  }

  /** Whether reports wait, also those that may not be sent now. */
  #isAnyWaiting(): boolean {
    for (const task of this.#options.tasks().values()) if (task.newestSequence > 0) return true;
    return false;
  }

  /** Waits for further reports until the scan ends, `collectMs` at most. */
  async #collect(): Promise<void> {
    this.#isCollecting = true;
    await this.#sleep(this.#options.collectMs ?? COLLECT_MS);
    this.#isCollecting = false;
  }

  /** Returns the oldest reports of every file, each file's in order. */
  async #gather(): Promise<Line[]> {
    const lines: Line[] = [];
    const failing = this.#failures > 0;
    const most = failing ? LINES_WHILE_FAILING : LINES_PER_REQUEST;
    let bytes = 0;
    for (const task of this.#options.tasks().values()) {
      if (task.newestSequence === 0) continue;
      const doubt = this.#doubts.get(task);
      if (!task.maySend || (doubt !== undefined && performance.now() < doubt.untilMs)) continue;
      const isTest = failing || doubt !== undefined;
      const sentUpTo = Math.max(this.#sentUpTo.get(task) ?? 0, task.earlierSequence);
      for (let from = 0; lines.length < most && bytes < BYTES_PER_REQUEST; from += LINES_PER_TURN) {
        const count = isTest ? 1 : Math.min(LINES_PER_TURN, most - lines.length);
        const entries = task.read(from, count);
        for (const entry of entries) {
          const text = JSON.stringify({ fileId: task.id, ...entry.report });
          bytes += text.length;
          lines.push({ task, entry, text, sentBefore: entry.report.sequence <= sentUpTo });
        }
        if (isTest || entries.length < LINES_PER_TURN) break;
        await new Promise((resolve) => setImmediate(resolve)); // let looks and answers run
      }
    }
    return lines;
  }

  /** Sends reports. @returns the ms to wait before the next request; undefined to continue at once */
  async #send(lines: readonly Line[]): Promise<number | undefined> {
    for (const { task, entry } of lines)
      this.#sentUpTo.set(task, Math.max(this.#sentUpTo.get(task) ?? 0, entry.report.sequence));
    const answer = await this.#options.server.bulk(lines.map(({ text }) => text));
    if (this.#stopped) return undefined;
    this.#wasUnreachable = answer.kind === 'unreachable' && answer.retryAfterMs === undefined;
    if (answer.kind !== 'ok') return this.#notTaken(answer);
    const { receipt, rejected } = answer.value;
    const refused = new Map(rejected.map((one) => [one.line - 1, one]));
    await this.#options.receipts.take(lines, receipt, new Set(rejected.map(({ line }) => line)));
    const byTask = new Map<ReportSource, { entry: Spooled; problem: Rejected | undefined }[]>();
    for (const [index, { task, entry }] of lines.entries()) {
      const of = byTask.get(task) ?? [];
      if (of.length === 0) byTask.set(task, of);
      of.push({ entry, problem: refused.get(index) });
    }
    this.problem = this.#problemOfDoubts(byTask);
    // In parallel, so that one write makes all of them durable.
    const holds = await Promise.all([...byTask].map(([task, results]) => this.#take(task, results)));
    const held = holds.includes(true);
    if (!held) this.#failures = 0;
    return held ? this.#backOff() : undefined;
  }

  /** Handles the answers for one file's reports. @returns whether some reports must wait */
  async #take(task: ReportSource, results: readonly { entry: Spooled; problem: Rejected | undefined }[]) {
    const { taken, verdict, refused } = outcomeOf(results.map(({ problem }) => problem?.code));
    const last = taken === 0 ? undefined : results[taken - 1];
    const passed = refused.flatMap((index) => results[index]?.entry.report.sequence ?? []);
    // The server has them, whether or not the state can be written: the reports of other files must not wait for that.
    if (last !== undefined)
      await task.accepted(last.entry, passed).catch((error: unknown) => task.onSpoolError(error));
    for (const index of refused) this.#refused(task, results[index]?.problem);
    this.setAside += refused.length;
    if (verdict !== 'doubt' && verdict !== 'ahead') this.#doubts.delete(task);
    try {
      return await this.#rest(task, verdict, results[taken]?.problem);
    } catch (error) {
      task.onSpoolError(error);
      return true;
    }
  }

  async #rest(task: ReportSource, verdict: Verdict, problem: Rejected | undefined): Promise<boolean> {
    switch (verdict) {
      case 'none':
        this.#renumbered.delete(task);
        return false;
      case 'later':
        this.problem = notTakenBy(problem);
        return true;
      case 'doubt':
        this.problem = notTakenBy(problem);
        this.#options.onConfigurationDoubt();
        this.#doubt(task, this.problem);
        return false;
      case 'ahead':
        if (await this.#renumber(task)) this.#doubts.delete(task);
        else this.#waitForTime(task, problem);
        return false;
      case 'refused':
        break;
    }
    this.#refused(task, problem);
    const count = await task.refused();
    this.setAside += count;
    return true;
  }

  #refused(task: ReportSource, problem: Rejected | undefined): void {
    const why = `${problem?.code ?? ''}: ${problem?.detail ?? ''}`;
    this.#options.log('error', `report of ${task.id} refused for good: ${why}`);
    this.#options.notice('REPORT_REFUSED', `The server refused a report for good: ${why}`, task.id);
  }

  async #renumber(task: ReportSource): Promise<boolean> {
    const times = this.#renumbered.get(task) ?? 0;
    if (times >= RENUMBERED_AT_MOST || !(await task.renumber(this.#options.serverMs()))) return false;
    this.#renumbered.set(task, times + 1);
    this.#sentUpTo.delete(task);
    this.#options.log(
      'warn',
      `${task.id}: sequences were too far ahead; reports are renumbered and sent again`,
    );
    const message =
      'The clock was too far ahead. Reports with refused sequences were renumbered and sent again.';
    this.#options.notice('RENUMBERED', message, task.id);
    return true;
  }

  /**
   * Keeps reports that the server takes only later: it has judged a sequence of a time to come, when its own clock was ahead, so that no
   * sequence of now would count.
   */
  #waitForTime(task: ReportSource, problem: Rejected | undefined): void {
    this.problem = notTakenBy(problem);
    if (!this.#doubts.has(task))
      this.#options.log(
        'warn',
        `${task.id}: ${this.problem}: the server has reports of a time to come, from when its clock was ahead; what is found waits until then`,
      );
    this.#doubt(task, this.problem);
  }

  #notTaken(answer: Exclude<Answer<BulkAnswer>, { kind: 'ok' }>): number {
    if (answer.kind === 'refused') {
      this.problem = `reports are not taken (${answer.status} ${answer.code})`;
      this.#options.log('warn', `${this.problem}; they are kept`);
      this.#options.onConfigurationDoubt();
      return this.#backOff();
    }
    this.problem = `reports are not taken (${answer.detail})`;
    if (this.#failures === 0)
      this.#options.log('warn', `the server cannot be reached (${answer.detail}); reports wait`);
    return this.#backOff(retryAfterOf(answer));
  }

  #doubt(task: ReportSource, problem: string): void {
    const failures = (this.#doubts.get(task)?.failures ?? 0) + 1;
    this.#doubts.set(task, { problem, failures, untilMs: performance.now() + this.#waitMs(failures) });
  }

  /** Returns why reports of a file wait that is not in this request; undefined without such a file. */
  #problemOfDoubts(request: ReadonlyMap<ReportSource, unknown>): string | undefined {
    for (const task of this.#options.tasks().values())
      if (!request.has(task) && task.newestSequence > 0 && this.#doubts.has(task))
        return this.#doubts.get(task)?.problem;
    return undefined;
  }

  #backOff(retryAfterMs?: number): number {
    this.#failures += 1;
    return this.#waitMs(this.#failures, retryAfterMs);
  }

  #waitMs(failures: number, retryAfterMs?: number): number {
    const firstMs = this.#options.retryMs ?? RETRY_MS;
    return backOffMs({ firstMs, longestMs: RETRY_MAX_MS }, failures, Math.random(), retryAfterMs);
  }

  /**
   * Returns the wait without reports to send, in ms; undefined: until there are some. After a failure `wake` does nothing, so
   * the sender polls.
   */
  #pauseOfNothing(): number | undefined {
    if (this.#failures > 0) return this.#backOff();
    let untilMs = Infinity;
    for (const task of this.#options.tasks().values()) {
      const doubt = this.#doubts.get(task);
      if (doubt !== undefined && task.maySend && task.newestSequence > 0)
        untilMs = Math.min(untilMs, doubt.untilMs);
    }
    return untilMs === Infinity ? undefined : Math.max(0, untilMs - performance.now());
  }

  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => this.#wake?.(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

type Rejected = BulkAnswer['rejected'][number];

/** Returns why reports wait, by the answer to the first of them that was not taken. */
const notTakenBy = (problem: Rejected | undefined): string =>
  `reports are not taken (${problem?.code ?? ''})`;
