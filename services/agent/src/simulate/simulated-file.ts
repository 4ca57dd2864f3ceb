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
import { isDue, step } from '../domain/step.ts';
import type { ReportSource } from '../sender.ts';
import type { Tally } from './tally.ts';

/** Bytes that a made-up file grows by with each version. */
const STEP_BYTES = 64;

/** Returns the next version of a made-up file: longer than `last`, with a new hash. */
export function nextVersion(fileId: string, last: Version | null): Version {
  const hash = createHash('sha256').update(`${fileId} ${last?.hash ?? ''}`);
  return { length: (last?.length ?? 0) + STEP_BYTES, hash: hash.digest('hex') };
}

/** Returns attributes with constant permissions and owner. */
const madeUp = ({ length }: Version): Attributes => ({
  kind: 'FILE',
  mode: '0644',
  owner: 0,
  group: 0,
  size: length,
});

/** Number and limit of waiting reports of all files together. */
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

/** A file that does not exist: its versions are made up, and the agent's `step` makes its reports. */
export class SimulatedFile implements ReportSource {
  /** Always true, because the file needs no look before sending. */
  readonly maySend = true;
  /** 0, because reports are kept in memory only. */
  readonly earlierSequence = 0;
  readonly id: string;
  readonly #options: SimulatedFileOptions;
  readonly #identity: string;
  #memory = NO_MEMORY;
  /** State after the last accepted report. */
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

  /** Timestamp of the oldest waiting report, ISO 8601. */
  get oldestUnsent(): string | null {
    return this.#waiting[0]?.report.timestamp ?? null;
  }

  /** Whether the server has sent its record of the file, from which the first report continues. */
  get isReady(): boolean {
    return this.#serverAnswered;
  }

  applyServerRecord({ lastSequence, length, hash }: HeartbeatAnswer['files'][number]): void {
    if (this.#serverAnswered) return;
    this.#serverAnswered = true;
    const last = length === null || hash === null ? null : { length, hash };
    const identity = last === null ? null : this.#identity;
    const repeatedAt = this.#options.clock.wallMs();
    this.#memory = { ...NO_MEMORY, last, sequence: lastSequence, identity, repeatedAt };
    this.#accepted = this.#memory;
  }

  /** Makes the next version and its report. @returns false when too many reports wait, and then makes none */
  change(): boolean {
    return this.#see(nextVersion(this.id, this.#memory.last));
  }

  /**
   * Reports the file as it is when its last report is an hour ago, as the agent does: a server takes the contact of a file that is
   * in heartbeats alone. @returns whether a report was made
   */
  repeat(): boolean {
    if (!this.#serverAnswered || !isDue(this.#memory, this.#options.clock.wallMs())) return false;
    return this.#see(this.#memory.last ?? nextVersion(this.id, null));
  }

  #see(now: Version): boolean {
    const { clock, configVersion, file, instanceId, room, tally } = this.#options;
    if (room.kept >= room.maxKept) {
      tally.skipped += 1;
      return false;
    }
    const { last } = this.#memory;
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
    if (made === undefined) throw new Error('a new version, or an hour, is always worth a report');
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

  /** Drops all waiting reports, as the agent does after a refusal. */
  refused(): Promise<number> {
    const { room, tally } = this.#options;
    const count = this.#waiting.length;
    tally.refused += count;
    room.kept -= count;
    this.#waiting = [];
    this.#memory = this.#accepted;
    return Promise.resolve(count);
  }

  /** Never renumbers: simulated sequences follow the server's time, so one too far ahead is a fault. */
  renumber(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Throws: a simulated file writes nothing to disk, so an error is a fault of this program. */
  onSpoolError(error: unknown): void {
    throw error;
  }
}
