import type { AgentConfiguration, HeartbeatAnswer } from '@sentinel-node/contracts';
import { step } from './domain/step.ts';
import { FileWatch } from './io/file-watch.ts';
import { FileSpool } from './io/spool.ts';

export interface FileTaskOptions {
  readonly file: AgentConfiguration['files'][number];
  /** Absolute. */
  readonly path: string;
  readonly folder: string;
  readonly lookMs: number;
  readonly repeatMs: number;
  readonly instanceId: string;
  readonly configVersion: () => number | undefined;
  readonly now: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  readonly onReport: () => void;
}

/** Looks at one file again and again, and spools a report whenever there is something to say. */
export class FileTask {
  readonly id: string;
  readonly spool: FileSpool;
  /** Milliseconds of the last look that worked. */
  checkedAt: number | undefined;
  readonly #options: FileTaskOptions;
  readonly #watch: FileWatch;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  #first = true;
  #serverSequence = 0;
  #serverAnswered = false;
  #trouble = '';

  private constructor(options: FileTaskOptions, spool: FileSpool) {
    this.id = options.file.id;
    this.#options = options;
    this.spool = spool;
    const rolledPattern = options.file.rolled ? options.file.rolledfilenameregexp : undefined;
    this.#watch = new FileWatch(
      { path: options.path, frequency: options.file.type, rolledPattern },
      options.now,
    );
  }

  static async start(options: FileTaskOptions): Promise<FileTask> {
    const task = new FileTask(options, await FileSpool.open(options.folder));
    task.#schedule(0);
    return task;
  }

  /** Whether the running task does what these options ask for. */
  isFor(options: FileTaskOptions): boolean {
    const mine = this.#options;
    return (
      JSON.stringify([mine.file, mine.path, mine.lookMs]) ===
      JSON.stringify([options.file, options.path, options.lookMs])
    );
  }

  /** Nothing is remembered here, and the server has not said yet what it has: a FIRST now could hide a change. */
  get waitsForServer(): boolean {
    return this.spool.memory.sequence === 0 && !this.#serverAnswered;
  }

  /** An agent that lost its state goes on from what the server has on record. */
  async serverKnows(file: HeartbeatAnswer['files'][number]): Promise<void> {
    this.#serverSequence = Math.max(this.#serverSequence, file.lastSequence);
    if (this.#serverAnswered) return;
    if (this.spool.memory.sequence === 0 && file.lastSequence > 0) {
      const last =
        file.length === null || file.hash === null ? null : { length: file.length, hash: file.hash };
      const identity = last === null ? null : this.#identity;
      await this.spool.adopt({ ...this.spool.memory, last, sequence: file.lastSequence, identity });
      this.#options.log(
        'warn',
        `${this.#options.path}: no own state; goes on from what the server has on record`,
      );
    }
    this.#serverAnswered = true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  get #identity(): string {
    return `${this.#options.file.type}:${this.#options.path}`;
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#schedule(this.#options.lookMs));
    }, ms);
  }

  async #look(): Promise<void> {
    if (this.waitsForServer || this.spool.full) return;
    const now = this.#options.now();
    const due = now - this.spool.memory.repeatedAt >= this.#options.repeatMs;
    const seen = await this.#watch.look(this.spool.memory, this.#first || due);
    if (seen?.kind !== 'error') this.checkedAt = now;
    if (seen === undefined) return;
    const next = step(this.spool.memory, seen, {
      nowMs: now,
      frequency: this.#options.file.type,
      identity: this.#identity,
      serverSequence: this.#serverSequence,
      configVersion: this.#options.configVersion(),
      instanceId: this.#options.instanceId,
      first: this.#first,
    });
    this.#first = false;
    if (next === undefined) return;
    try {
      await this.spool.push(next);
      this.#trouble = '';
      this.#options.onReport();
    } catch (error) {
      this.#watch.invalidate();
      this.#complain(
        `the spool cannot be written (${(error as NodeJS.ErrnoException).code ?? 'error'}); looking again`,
      );
    }
  }

  /** Says a trouble once, not at every look. */
  #complain(message: string): void {
    if (message === this.#trouble) return;
    this.#trouble = message;
    this.#options.log('error', `${this.#options.path}: ${message}`);
  }
}
