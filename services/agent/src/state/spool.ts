import { merge } from '../domain/merge.ts';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import { contentsOf, orNone, parsedReport, type Spooled, type Waiting } from './file-rows.ts';
import type { Change, StateStore } from './store.ts';

export type { Spooled, Waiting } from './file-rows.ts';

/** Reports of one file that may wait; above it only what can be merged into the newest is kept. */
export const SPOOL_REPORTS_PER_FILE = 10_000;
/** From here on steps of one kind share a report, so that days fit. */
const MERGE_FROM_REPORTS = 100;
/** Versions of a report that is merged; each merge writes it anew. */
const MERGED_VERSIONS = 100;
/** All reports of all files. */
export const SPOOL_BYTES = 1_073_741_824;
/** What is kept of a file for a person to look at, of each kind; the oldest go first. */
const ASIDE_ROWS = 100;

/** Bytes that the spools of an agent hold together. */
export interface SpoolRoom {
  bytes: number;
  readonly maxBytes: number;
}

/** What became of a report: `kept` with the versions that no report tells any more, or not kept because it is stale or there is no room. */
export type Pushed =
  { readonly kept: true; readonly dropped: number } | { readonly kept: false; readonly full: boolean };

const STALE: Pushed = { kept: false, full: false };

/**
 * What waits for the server, and what the agent remembers, of one file, so that neither a restart nor a long outage loses
 * a version. A report is durable before it counts as made.
 */
export class FileSpool {
  readonly #store: StateStore;
  readonly #file: string;
  readonly #room: SpoolRoom;
  readonly #epoch: number;
  #memory: FileMemory;
  /** After the last report answered 202. */
  #accepted: FileMemory;
  #archives: readonly ArchiveMemory[];
  #waiting: readonly Waiting[];
  /** The newest report while it was never sent; it can take more steps. */
  #tail: Spooled | undefined;
  /** Sequence of a report that is being written anew; it is not read meanwhile. */
  #writing: number | undefined;
  /** The last change of the memory: one at a time. */
  #changing: Promise<unknown> | undefined;
  #closed = false;
  /** What was found broken, and is set aside. */
  readonly broken: readonly string[];

  private constructor(store: StateStore, file: string, room: SpoolRoom) {
    this.#store = store;
    this.#file = file;
    this.#room = room;
    const { accepted, archives, waiting, newest, broken, changes } = contentsOf(store.rows(file));
    this.#epoch = store.epoch;
    this.#accepted = accepted;
    this.#memory = newest ?? accepted;
    this.#archives = archives;
    this.#waiting = waiting;
    this.broken = broken;
    room.bytes += bytesOf(waiting);
    if (changes.length > 0) void this.#commit([...changes, ...this.#pruned()]).catch(() => undefined);
  }

  /** @throws Error the state cannot be read now */
  static open(
    store: StateStore,
    file: string,
    room: SpoolRoom = { bytes: 0, maxBytes: SPOOL_BYTES },
  ): FileSpool {
    return new FileSpool(store, file, room);
  }

  get memory(): FileMemory {
    return this.#memory;
  }
  get archives(): readonly ArchiveMemory[] {
    return this.#archives;
  }
  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }
  get acceptedSequence(): number {
    return this.#accepted.sequence;
  }
  /** false: the state was set aside, and this is no longer what is kept. */
  get isCurrent(): boolean {
    return this.#epoch === this.#store.epoch;
  }

  /** Takes over what the server knows. @throws Error: then nothing has changed */
  adopt(memory: FileMemory): Promise<void> {
    return this.#alone(async () => {
      await this.#commit([
        { do: 'put', part: 'memory', number: memory.sequence, text: JSON.stringify(memory) },
        ...this.#withoutOldMemory(memory.sequence),
      ]);
      this.#memory = memory;
      this.#accepted = memory;
    });
  }

  /** @throws Error: then nothing has changed */
  async keepArchives(archives: readonly ArchiveMemory[]): Promise<void> {
    await this.#commit([archivesChange(archives)]);
    this.#archives = archives;
  }

  /**
   * Keeps a report until it is answered, and what is known of the archives with it. `from` is the memory that the report was
   * made from: when another one counts by now, the report is not kept.
   * @throws Error (ENOSPC, …): then nothing has changed
   */
  push(entry: Spooled, from: FileMemory, archives?: readonly ArchiveMemory[]): Promise<Pushed> {
    return this.#alone(async () => {
      if (this.#memory !== from) return STALE;
      const more = archives === undefined ? [] : [archivesChange(archives)];
      const full = this.#waiting.length >= SPOOL_REPORTS_PER_FILE || this.#room.bytes >= this.#room.maxBytes;
      const newest = this.#waiting.at(-1);
      const merged = this.#merged(entry, full);
      if (merged === undefined && full) return { kept: false, full };
      if (merged === undefined || newest === undefined) await this.#write(entry, entry.report.sequence, more);
      else await this.#write(merged.entry, newest.sequence, more);
      if (archives !== undefined) this.#archives = archives;
      return { kept: true, dropped: merged?.dropped ?? 0 };
    });
  }

  #merged(entry: Spooled, full: boolean): ReturnType<typeof merge> {
    const tail = this.#tail;
    if (tail === undefined || this.#waiting.length < MERGE_FROM_REPORTS) return undefined;
    return merge(tail, entry, MERGED_VERSIONS, full);
  }

  async #write(entry: Spooled, sequence: number, more: readonly Change[]): Promise<void> {
    const text = JSON.stringify(entry);
    this.#writing = sequence;
    try {
      await this.#commit([{ do: 'put', part: 'report', number: sequence, text }, ...more]);
    } finally {
      this.#writing = undefined;
    }
    if (this.#closed) return;
    const others = this.#waiting.filter((one) => one.sequence !== sequence);
    const written = { sequence, bytes: text.length, timestamp: entry.report.timestamp };
    this.#room.bytes += bytesOf(others) + written.bytes - bytesOf(this.#waiting);
    this.#waiting = [...others, written];
    this.#memory = { ...entry.memory, sequence };
    this.#tail = { report: { ...entry.report, sequence }, memory: this.#memory };
  }

  /**
   * The reports from the `from`-th on, at most `count` of them, oldest first; from now on they count as sent.
   * @throws Error one of them is gone, cannot be read or is not whole: the spool has to be opened anew
   */
  read(from: number, count: number): Spooled[] {
    const wanted = this.#waiting.slice(from, from + count).filter((one) => one.sequence !== this.#writing);
    const newest = this.isCurrent ? this.#tail : undefined;
    if (from + wanted.length >= this.#waiting.length) this.#tail = undefined;
    return wanted.map(({ sequence }) => {
      if (newest?.memory.sequence === sequence) return newest;
      const text = this.#store.text(this.#file, 'report', sequence);
      const entry = text === undefined ? undefined : parsedReport(text, sequence);
      if (entry === undefined) throw new Error(`report ${sequence} is not whole`);
      return entry;
    });
  }

  /** All reports up to this one were answered. @throws Error: then they count as answered until the end of the process */
  async accepted({ report: { sequence }, memory }: Spooled): Promise<void> {
    if (this.#closed) return;
    const left = this.#waiting.filter((one) => one.sequence > sequence);
    const answered = this.#waiting.length - left.length;
    this.#room.bytes -= bytesOf(this.#waiting) - bytesOf(left);
    const changes: Change[] = [
      { do: 'move', from: 'report', fromNumber: sequence, to: 'memory', toNumber: sequence },
      ...this.#withoutOldMemory(sequence),
      ...(answered === 1 ? [] : [{ do: 'removeBelow', part: 'report', number: sequence } as const]),
    ];
    this.#waiting = orNone(left);
    // One object for what is the same, for ten thousand files.
    this.#accepted = this.#memory.sequence === sequence ? this.#memory : memory;
    await this.#commit(changes);
  }

  /**
   * The oldest report was refused for ever. It and what builds on it are set aside; the file goes on from the last
   * version answered 202. @throws Error
   */
  refused(): Promise<void> {
    return this.#alone(async () => {
      if (this.#closed) return;
      this.#room.bytes -= bytesOf(this.#waiting);
      this.#waiting = [];
      this.#tail = undefined;
      this.#memory = { ...this.#accepted };
      await this.#commit([{ do: 'moveAll', from: 'report', to: 'refused' }, ...this.#pruned()]);
    });
  }

  /**
   * Gives all that waits new sequences from `first` on, in order. `first` must lie below those that wait.
   * @throws Error: then nothing has changed
   */
  renumber(first: number): Promise<void> {
    return this.#alone(async () => {
      this.#tail = undefined;
      const renumbered = this.#waiting.map((one, index) => ({ ...one, sequence: first + index }));
      await this.#commit(
        this.#waiting.map(({ sequence }, index) => {
          const place = { fromNumber: sequence, toNumber: first + index };
          return { do: 'move', from: 'report', to: 'report', ...place } as const;
        }),
      );
      this.#waiting = renumbered;
      this.#memory = { ...this.#memory, sequence: renumbered.at(-1)?.sequence ?? first };
    });
  }

  /**
   * Lets go of the room that the reports take. An answer that comes later changes nothing: the rows may be another
   * spool's by then, which sends the reports again, and the server takes a sequence once.
   */
  close(): void {
    this.#closed = true;
    this.#room.bytes -= bytesOf(this.#waiting);
    this.#waiting = [];
  }

  /** One after the other, so that what is decided from the memory is durable before the memory is another. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#changing;
    const acting = before === undefined ? act() : before.then(act, act);
    this.#changing = acting;
    const done = (): void => void (this.#changing === acting && (this.#changing = undefined));
    acting.then(done, done);
    return acting;
  }

  #commit(changes: readonly Change[]): Promise<void> {
    return this.#store.commit(this.#file, changes);
  }

  #withoutOldMemory(sequence: number): Change[] {
    return this.#accepted.sequence === 0 ? [] : [{ do: 'removeBelow', part: 'memory', number: sequence }];
  }

  #pruned(): Change[] {
    return (['refused', 'broken'] as const).map((part) => ({ do: 'keepNewest', part, count: ASIDE_ROWS }));
  }
}

const archivesChange = (archives: readonly ArchiveMemory[]): Change => ({
  do: 'put',
  part: 'archives',
  number: 0,
  text: JSON.stringify(archives),
});

const bytesOf = (reports: readonly Waiting[]): number => reports.reduce((sum, { bytes }) => sum + bytes, 0);
