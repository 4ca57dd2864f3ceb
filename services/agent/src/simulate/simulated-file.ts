import { createHash } from 'node:crypto';
import type {
  Attributes,
  AgentConfiguration,
  HeartbeatAnswer,
  Report,
  Version,
} from '@sentinel-node/contracts';
import type { AgentClock } from '../clock.ts';
import { NO_MEMORY, type FileMemory } from '../domain/memory.ts';
import { step } from '../domain/step.ts';
import type { ReportSource } from '../sender.ts';
import type { Tally } from './tally.ts';

/** By how many bytes a made-up file grows with each version. */
const STEP_BYTES = 64;

/** The version that follows `last` of a made-up file: longer, and with a hash of its own. */
export function nextVersion(fileId: string, last: Version | null): Version {
  const hash = createHash('sha256').update(`${fileId} ${last?.hash ?? ''}`);
  return { length: (last?.length ?? 0) + STEP_BYTES, hash: hash.digest('hex') };
}

/** A made-up file keeps its permissions and owner. */
const madeUp = ({ length }: Version): Attributes => ({
  kind: 'FILE',
  mode: '0644',
  owner: 0,
  group: 0,
  size: length,
});

/** Reports that wait, of all files together. */
export interface Room {
  kept: number;
  readonly maxKept: number;
}

export interface SimulatedFileOptions {
  readonly file: AgentConfiguration['files'][number];
  readonly instanceId: string;
  readonly clock: AgentClock;
  readonly configVersion: () => number | undefined;
  readonly tally: Tally;
  readonly room: Room;
}

interface Kept {
  readonly report: Report;
  readonly memory: FileMemory;
  readonly madeAtSteadyMs: number;
}

/** A file that does not exist: its versions are made up, its reports come from the agent's own `step`. */
export class SimulatedFile implements ReportSource {
  /** It is looked at whenever something is to be sent. */
  readonly maySend = true;
  readonly id: string;
  readonly #options: SimulatedFileOptions;
  readonly #identity: string;
  #memory = NO_MEMORY;
  /** After the last report that was answered 202. */
  #accepted = NO_MEMORY;
  #waiting: Kept[] = [];
  #serverAnswered = false;

  constructor(options: SimulatedFileOptions) {
    this.id = options.file.id;
    this.#options = options;
    this.#identity = `${options.file.type}:${options.file.path}`;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get newestSequence(): number {
    return this.#waiting.at(-1)?.report.sequence ?? 0;
  }

  /** ISO 8601, of the oldest report that waits. */
  get oldestUnsent(): string | null {
    return this.#waiting[0]?.report.timestamp ?? null;
  }

  /** The server has said what it has on record, so that the first report goes on from there. */
  get isReady(): boolean {
    return this.#serverAnswered;
  }

  serverKnows({ lastSequence, length, hash }: HeartbeatAnswer['files'][number]): void {
    if (this.#serverAnswered) return;
    this.#serverAnswered = true;
    const last = length === null || hash === null ? null : { length, hash };
    const identity = last === null ? null : this.#identity;
    this.#memory = { ...NO_MEMORY, last, sequence: lastSequence, identity };
    this.#accepted = this.#memory;
  }

  /** Makes the next version and keeps its report. @returns false: too many wait, so none was made */
  change(): boolean {
    const { clock, configVersion, file, instanceId, room, tally } = this.#options;
    if (room.kept >= room.maxKept) {
      tally.skipped += 1;
      return false;
    }
    const { last } = this.#memory;
    const now = nextVersion(this.id, last);
    const attributes = file.attributes === true ? { attributes: madeUp(now) } : {};
    const seen = { kind: 'file', what: 'file', now, prefix: last, reread: false, ...attributes } as const;
    const made = step(this.#memory, seen, {
      nowMs: clock.wallMs(),
      sequenceMs: clock.serverMs(),
      frequency: file.type,
      identity: this.#identity,
      serverSequence: 0,
      configVersion: configVersion(),
      instanceId,
      first: false,
    });
    if (made === undefined) throw new Error('a new version is always worth a report');
    this.#memory = made.memory;
    this.#waiting.push({ ...made, madeAtSteadyMs: clock.steadyMs() });
    room.kept += 1;
    tally.made += 1;
    return true;
  }

  read(from: number, count: number): Kept[] {
    return this.#waiting.slice(from, from + count);
  }

  accepted({ report, memory }: Pick<Kept, 'report' | 'memory'>): Promise<void> {
    const { clock, room, tally } = this.#options;
    const rest = this.#waiting.findIndex((one) => one.report.sequence > report.sequence);
    const done = this.#waiting.splice(0, rest === -1 ? this.#waiting.length : rest);
    for (const { madeAtSteadyMs } of done) tally.acceptedMs.add(clock.steadyMs() - madeAtSteadyMs);
    tally.accepted += done.length;
    tally.lastAcceptedMs = clock.wallMs();
    room.kept -= done.length;
    this.#accepted = memory;
    return Promise.resolve();
  }

  /** As the agent does it: the oldest is set aside, with all that builds on it. */
  refused(): Promise<void> {
    const { room, tally } = this.#options;
    tally.refused += this.#waiting.length;
    room.kept -= this.#waiting.length;
    this.#waiting = [];
    this.#memory = this.#accepted;
    return Promise.resolve();
  }

  /** Sequences follow the server's time here: one that is too far ahead is a fault, and is refused. */
  renumber(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Nothing is written, so that nothing fails but by a fault of this program. */
  spoolFails(error: unknown): void {
    throw error;
  }
}
