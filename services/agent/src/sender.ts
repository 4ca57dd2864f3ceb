import type { BulkAnswer } from '@sentinel-node/contracts';
import type { FileTask } from './file-task.ts';
import type { Answer, Server } from './net/server.ts';

/** Reports of one request; far below the server's limits, so that a slow line gets through within a time-out. */
const LINES_PER_REQUEST = 1_000;
const BYTES_PER_REQUEST = 2_097_152;
const RETRY_MS = 500;
const RETRY_MAX_MS = 30_000;
/** Codes with which the server says "not now". */
const PASSING = new Set([
  'RATE_LIMITED',
  'OVERLOADED',
  'NOT_DURABLE',
  'UNAVAILABLE',
  'INTERNAL',
  'REQUEST_TIMEOUT',
]);
/** Codes after which the configuration decides what is kept. */
const CONFIGURATION = new Set(['INVALID_API_KEY', 'NOT_FOUND', 'MONITORING_DISABLED']);

export interface SenderOptions {
  readonly server: Server;
  readonly tasks: () => ReadonlyMap<string, FileTask>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** The server does not know what the configuration names; fetch it. */
  readonly onConfigurationDoubt: () => void;
}

interface Line {
  readonly task: FileTask;
  readonly text: string;
}

/** Sends what the spools hold, one request at a time, so that one request of a file is in flight. */
export class Sender {
  readonly #options: SenderOptions;
  #running: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;
  #stopped = false;
  #failures = 0;
  /** Reports refused for good. */
  setAside = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** There is something new to send. */
  wake(): void {
    if (this.#failures === 0) this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#options.server.close();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const lines = this.#gather();
      const pause = lines.length === 0 ? undefined : await this.#send(lines);
      if (!this.#stopped && (lines.length === 0 || pause !== undefined)) await this.#sleep(pause);
    }
  }

  /** Oldest reports of every file, in the order of each file. */
  #gather(): Line[] {
    const lines: Line[] = [];
    let bytes = 0;
    for (const task of this.#options.tasks().values()) {
      for (const { report } of task.spool.waiting) {
        const text = JSON.stringify({ fileId: task.id, ...report });
        bytes += text.length;
        if (lines.length > 0 && (bytes > BYTES_PER_REQUEST || lines.length >= LINES_PER_REQUEST))
          return lines;
        lines.push({ task, text });
      }
    }
    return lines;
  }

  /** Milliseconds to wait before the next request; undefined: go on at once. */
  async #send(lines: readonly Line[]): Promise<number | undefined> {
    const answer = await this.#options.server.bulk(lines.map(({ text }) => text));
    if (this.#stopped) return undefined;
    if (answer.kind !== 'ok') return this.#notTaken(answer);
    const refused = new Map(answer.value.rejected.map((one) => [one.line - 1, one]));
    const held = new Set<FileTask>();
    for (const [index, { task }] of lines.entries()) {
      if (held.has(task)) continue;
      const problem = refused.get(index);
      if (problem === undefined) await task.spool.accepted();
      else if (await this.#keeps(task, problem)) held.add(task);
      else {
        held.add(task); // what builds on a refused report was set aside with it
        this.setAside += 1;
      }
    }
    if (held.size === 0) this.#failures = 0;
    return held.size === 0 ? undefined : this.#backOff();
  }

  /** Whether the report stays in the spool. */
  async #keeps(task: FileTask, problem: BulkAnswer['rejected'][number]): Promise<boolean> {
    if (PASSING.has(problem.code)) return true;
    if (CONFIGURATION.has(problem.code)) {
      this.#options.onConfigurationDoubt();
      return true;
    }
    this.#options.log('error', `report of ${task.id} refused for good: ${problem.code}: ${problem.detail}`);
    await task.spool.refused();
    return false;
  }

  #notTaken(answer: Exclude<Answer<BulkAnswer>, { kind: 'ok' }>): number {
    if (answer.kind === 'refused') {
      this.#options.log('warn', `reports not taken (${answer.status} ${answer.code}); they are kept`);
      this.#options.onConfigurationDoubt();
      return this.#backOff();
    }
    if (this.#failures === 0)
      this.#options.log('warn', `the server cannot be reached (${answer.detail}); reports wait`);
    return Math.max(answer.retryAfterMs ?? 0, this.#backOff());
  }

  #backOff(): number {
    this.#failures += 1;
    return (
      Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(this.#failures - 1, 10)) * (0.75 + Math.random() / 2)
    );
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
