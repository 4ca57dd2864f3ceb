/**
 * Runs the installed agent as a process of another user and keeps its output and times. Times are ms since
 * 1970.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { SENTINEL } from '../support/node.ts';
import { aheadWhenWritten, type Claim, type ClockSet, type Span } from './history.ts';

export interface Said {
  readonly at: number;
  readonly line: string;
}

export interface TestedAgentOptions {
  readonly config: string;
  readonly state: string;
  /** Command of `otherUser`. */
  readonly as: readonly string[];
  /** Path from `faketimeLibrary`. */
  readonly faketime: string | undefined;
  /** Number of devices of the agent. */
  readonly devices: number;
  /** File with the error of the agent's clock. */
  readonly clock: string;
}

/** The used part of a device's entry in `sentinel agent status --json`. */
interface Status {
  readonly stateDir: string;
  readonly running: boolean;
  readonly status: {
    readonly at: string;
    readonly waiting: number;
    readonly eventsWaiting: number;
    readonly problem: string | null;
    readonly lastHeartbeatAt: string | null;
    readonly files: readonly {
      readonly id: string;
      readonly checkedAt: string | null;
      readonly problem: string | null;
    }[];
  } | null;
}

const STATUS_FILE = 'status.json';
/** Time after which a second agent is killed because it does not end by itself, in ms. */
const TWIN_MS = 180_000;
const MS_PER_SECOND = 1_000;

export class TestedAgent {
  readonly said: Said[] = [];
  readonly starts: number[] = [];
  readonly claims = new Map<string, Claim[]>();
  /** Times without a running process, or with a stopped one. */
  readonly away: Span[] = [];
  /** Settings of the clock. */
  readonly #clocks: ClockSet[] = [{ from: 0, byMs: 0 }];
  readonly #options: TestedAgentOptions;
  readonly #children = new Set<ChildProcess>();
  #child: ChildProcess | undefined;
  #awaySince: number | undefined = 0;
  /** Unexpected end of the main process. */
  unexpectedEnd: string | undefined;

  constructor(t: Test, options: TestedAgentOptions) {
    this.#options = options;
    writeFileSync(options.clock, '+0\n', { mode: 0o644 });
    t.teardown(() => {
      for (const child of this.#children) child.kill('SIGKILL');
    });
  }

  get isRunning(): boolean {
    return this.#awaySince === undefined;
  }

  get jumps(): readonly ClockSet[] {
    return this.#clocks.slice(1);
  }

  /** Returns the times of absence up to `now`, with a present absence. */
  awayUntil(now: number): readonly Span[] {
    return this.#awaySince === undefined ? this.away : [...this.away, { from: this.#awaySince, to: now }];
  }

  start(): void {
    this.#back();
    this.starts.push(Date.now());
    const child = this.#run([], (text) => this.#hear(text));
    this.#child = child;
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') this.unexpectedEnd = `the agent ended with ${code ?? signal}`;
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    this.#awaySince = Date.now();
  }

  hang(): void {
    this.#child?.kill('SIGSTOP');
    this.#awaySince = Date.now();
  }

  wake(): void {
    this.#back();
    this.#child?.kill('SIGCONT');
  }

  /** Whether the agent holds the state folder since its last start, so that a second agent must end. */
  get hasState(): boolean {
    const since = this.starts.at(-1) ?? Infinity;
    const { devices } = this.#options;
    return (
      this.isRunning &&
      this.said.filter(({ at, line }) => at >= since && / watching /.test(line)).length >= devices
    );
  }

  /**
   * Runs a second agent on the same state folder. @returns its exit code, null when it was killed; and its
   * lines
   */
  async twin(): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
    let text = '';
    const child = this.#run([], (more) => (text += more));
    const late = setTimeout(() => child.kill('SIGKILL'), TWIN_MS);
    child.once('close', () => clearTimeout(late));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, lines: text.split('\n').filter((line) => line !== '') };
  }

  setClock(bySeconds: number): void {
    writeFileSync(this.#options.clock, `${bySeconds < 0 ? '' : '+'}${bySeconds}\n`);
    this.#clocks.push({ from: Date.now(), byMs: bySeconds * MS_PER_SECOND });
  }

  /** Returns the agent's present status, and keeps its claims of looks. */
  async status(): Promise<readonly NonNullable<Status['status']>[]> {
    const written = this.#whenWritten();
    let text = '';
    const child = spawn(...this.#command(['status', '--state', this.#options.state, '--json']), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.add(child);
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    await new Promise((resolve) => child.once('close', resolve));
    this.#children.delete(child);
    const since = this.#whenWritten();
    const devices: readonly Status[] = text.startsWith('[') ? JSON.parse(text) : [];
    return devices.flatMap(({ stateDir, status }) => {
      if (status === null) return [];
      const writtenMs = written.get(stateDir);
      if (writtenMs === undefined || since.get(stateDir) !== writtenMs) return [status];
      const aheadMs = aheadWhenWritten(Date.parse(status.at), writtenMs, this.#clocks);
      if (aheadMs !== undefined) this.#keepClaims(status, aheadMs);
      return [status];
    });
  }

  /**
   * Returns the times of writing the status files by state folder, from the kernel's clock, which is never
   * wrong.
   */
  #whenWritten(): ReadonlyMap<string, number> {
    const { state } = this.#options;
    const entries = readdirSync(state, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(state, name));
    return new Map(
      folders.flatMap((folder) => {
        const about = statSync(join(folder, STATUS_FILE), { throwIfNoEntry: false });
        return about === undefined ? [] : [[folder, about.mtimeMs] as const];
      }),
    );
  }

  #keepClaims(status: NonNullable<Status['status']>, aheadMs: number): void {
    const at = Date.parse(status.at) - aheadMs;
    for (const { id, checkedAt } of status.files) {
      if (checkedAt === null) continue;
      const claims = this.claims.get(id) ?? [];
      if (claims.length === 0) this.claims.set(id, claims);
      if (claims.at(-1)?.at !== at) claims.push({ at, checkedAt: Date.parse(checkedAt) - aheadMs });
    }
  }

  #back(): void {
    if (this.#awaySince !== undefined) this.away.push({ from: this.#awaySince, to: Date.now() });
    this.#awaySince = undefined;
  }

  #run(more: readonly string[], hear: (text: string) => void): ChildProcess {
    const { config, state } = this.#options;
    const args = ['--config', config, '--state', state, '--nice', '0', ...more];
    const child = spawn(...this.#command(args, this.#wrongClock()), { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#children.add(child);
    child.once('close', () => {
      this.#children.delete(child);
      removeTraces(child.pid ?? 0);
    });
    child.stderr.setEncoding('utf8').on('data', hear);
    return child;
  }

  /**
   * Returns the variables for a wrong clock of the agent alone: only the user who starts first can open the
   * library's memory.
   */
  #wrongClock(): string[] {
    const { clock, faketime } = this.#options;
    if (faketime === undefined) return [];
    return [
      `LD_PRELOAD=${faketime}`,
      `FAKETIME_TIMESTAMP_FILE=${clock}`,
      'FAKETIME_NO_CACHE=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
      'DONT_FAKE_MONOTONIC=1',
      'NO_FAKE_STAT=1',
    ];
  }

  #command(args: readonly string[], env: readonly string[] = []): [string, string[]] {
    const [first, ...rest] = [
      ...this.#options.as,
      'env',
      ...env,
      process.execPath,
      SENTINEL,
      'agent',
      ...args,
    ];
    return [first!, rest];
  }

  #hear(text: string): void {
    const at = Date.now();
    for (const line of text.split('\n')) if (line !== '') this.said.push({ at, line });
  }
}

/** Removes the shared memory that a killed process with a wrong clock leaves behind. */
function removeTraces(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
    rmSync(join('/dev/shm', name), { force: true });
}
