import { MACHINE_TIME, type TimeSource } from '../clock.ts';
import { merge } from '../domain/merge.ts';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import { contentsOf, sharedIfEmpty, parsedReport, type Spooled, type Waiting } from './file-rows.ts';
import type { Change, StateStore } from './store.ts';

export type { Spooled, Waiting } from './file-rows.ts';

/** Most waiting reports of one file; beyond them only reports that merge into the newest are spooled. */
export const SPOOL_REPORTS_PER_FILE = 10_000;
/** Number of waiting reports from which changes of one kind share a report, so that days of an outage fit. */
const MERGE_FROM_REPORTS = 100;
/** Most versions of a merged report, because each merge writes the whole report again. */
const MERGED_VERSIONS = 100;
/** Most bytes of the waiting reports of all files. */
export const SPOOL_BYTES = 1_073_741_824;
/** Most refused and most broken rows kept per file for the operator; the oldest are dropped first. */
const ASIDE_ROWS = 100;

type SteadyClock = Pick<TimeSource, 'steadyMs'>;

/** Bytes used by all spools of an agent, with their limit. */
export interface SpoolRoom {
  bytes: number;
  readonly maxBytes: number;
}

/**
 * Result of `push`: `kept` with the number of versions that merging dropped, or not kept because the report is stale
 * or the spool is full.
 */
export type Pushed =
  | { readonly kept: true; readonly dropped: number }
  | { readonly kept: false; readonly full: boolean };

const STALE: Pushed = { kept: false, full: false };

/**
 * Unsent reports and saved state of one file, so that neither a restart nor a long outage loses a version. A report is
 * durable before it counts as made.
 */
export class FileSpool {
  readonly #store: StateStore;
  readonly #file: string;
  readonly #room: SpoolRoom;
  readonly #clock: SteadyClock;
  readonly #epoch: number;
  #memory: FileMemory;
  /** Memory after the last accepted report. */
  #accepted: FileMemory;
  #archives: readonly ArchiveMemory[];
  #waiting: readonly Waiting[];
  /** The newest report until it is sent; later reports can be merged into it. */
  #tail: Spooled | undefined;
  /** Sequence of the report being written, which must not be read meanwhile. */
  #writing: number | undefined;
  /** The last started change of the memory; changes run one at a time. */
  #changing: Promise<unknown> | undefined;
  #closed = false;
  #earlierSequence: number;
  /** Damaged rows that were found and set aside at opening. */
  readonly broken: readonly string[];

  private constructor(store: StateStore, file: string, room: SpoolRoom, clock: SteadyClock) {
    this.#store = store;
    this.#file = file;
    this.#room = room;
    this.#clock = clock;
    const contents = contentsOf(store.rows(file), Math.floor(clock.steadyMs()));
    const { accepted, archives, waiting, newest, broken, changes } = contents;
    this.#epoch = store.epoch;
    this.#accepted = accepted;
    this.#memory = newest ?? accepted;
    this.#archives = archives;
    this.#waiting = waiting;
    this.broken = broken;
    this.#earlierSequence = waiting.at(-1)?.sequence ?? 0;
    room.bytes += bytesOf(waiting);
    if (changes.length > 0) void this.#commit([...changes, ...this.#pruned()]).catch(() => undefined);
  }

  /** Opens a file's spool. @throws Error the state cannot be read now */
  static open(
    store: StateStore,
    file: string,
    room: SpoolRoom = { bytes: 0, maxBytes: SPOOL_BYTES },
    clock: SteadyClock = MACHINE_TIME,
  ): FileSpool {
    return new FileSpool(store, file, room, clock);
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
  /** Highest sequence of the reports that waited at opening, which an earlier run may have sent; 0 without such reports. */
  get earlierSequence(): number {
    return this.#earlierSequence;
  }
  /** False when the state file was set aside since opening, so that this spool is outdated. */
  get isCurrent(): boolean {
    return this.#epoch === this.#store.epoch;
  }

  /** Takes over the server's record. @throws Error, with nothing changed */
  adopt(memory: FileMemory): Promise<void> {
    return this.#alone(async () => {
      if (this.#closed) return;
      await this.#commit([
        { do: 'put', part: 'memory', number: memory.sequence, text: JSON.stringify(memory) },
        ...this.#withoutOldMemory(memory.sequence),
      ]);
      this.#memory = memory;
      this.#accepted = memory;
    });
  }

  /** Saves the known archives. @throws Error, with nothing changed */
  async keepArchives(archives: readonly ArchiveMemory[]): Promise<void> {
    if (this.#closed) return;
    await this.#commit([archivesChange(archives)]);
    this.#archives = archives;
  }

  /**
   * Saves a report until the server answers it, together with the known archives. `from` is the memory that the report was
   * made from: when the memory has changed since, or the spool is closed, the report is stale and not saved.
   * @throws Error (ENOSPC, …), with nothing changed
   */
  push(entry: Spooled, from: FileMemory, archives?: readonly ArchiveMemory[]): Promise<Pushed> {
    return this.#alone(async () => {
      if (this.#closed || this.#memory !== from) return STALE;
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
    const newest = this.#waiting.at(-1);
    const others = this.#waiting.filter((one) => one.sequence !== sequence);
    const keptMs = newest?.sequence === sequence ? newest.keptMs : Math.floor(this.#clock.steadyMs());
    const written = { sequence, bytes: text.length, timestamp: entry.report.timestamp, keptMs };
    this.#room.bytes += bytesOf(others) + written.bytes - bytesOf(this.#waiting);
    this.#waiting = [...others, written];
    this.#tail = withSequence(entry, sequence);
    this.#memory = this.#tail.memory;
  }

  /**
   * Returns `count` reports at most from index `from` on, oldest first. They count as sent: no later report is merged.
   * @throws Error a report is missing, unreadable or damaged; the spool must be opened again
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

  /**
   * Removes all reports up to this one, which the server accepted.
   * @param refused sequences of those before it that the server refused for good; they are kept for the operator
   * @throws Error; they count as accepted until the process ends
   */
  async accepted({ report: { sequence }, memory }: Spooled, refused: readonly number[] = []): Promise<void> {
    if (this.#closed) return;
    const left = this.#waiting.filter((one) => one.sequence > sequence);
    const answered = this.#waiting.length - left.length;
    this.#room.bytes -= bytesOf(this.#waiting) - bytesOf(left);
    const changes: Change[] = [
      { do: 'move', from: 'report', fromNumber: sequence, to: 'memory', toNumber: sequence },
      ...this.#withoutOldMemory(sequence),
      ...refused.map((number): Change => ({
        do: 'move',
        from: 'report',
        fromNumber: number,
        to: 'refused',
        toNumber: number,
      })),
      ...(refused.length === 0 ? [] : this.#pruned()),
      ...(answered === 1 ? [] : [{ do: 'removeBelow', part: 'report', number: sequence } as const]),
    ];
    this.#waiting = sharedIfEmpty(left);
    // Share equal objects, which saves memory for ten thousand files.
    this.#accepted = this.#memory.sequence === sequence ? this.#memory : memory;
    await this.#commit(changes);
  }

  /**
   * Sets all waiting reports aside after the server refused the oldest for good: the later ones build on it. The file
   * continues from the last accepted version. @returns the number of reports set aside @throws Error
   */
  refused(): Promise<number> {
    return this.#alone(async () => {
      if (this.#closed) return 0;
      const count = this.#waiting.length;
      this.#room.bytes -= bytesOf(this.#waiting);
      this.#waiting = [];
      this.#tail = undefined;
      this.#memory = { ...this.#accepted };
      await this.#commit([{ do: 'moveAll', from: 'report', to: 'refused' }, ...this.#pruned()]);
      return count;
    });
  }

  /**
   * Renumbers the waiting reports from `first` on, in order. All new sequences must be below the waiting ones, which the server
   * refused: no earlier run has sent reports with the new ones.
   * @throws Error, with nothing changed
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
      this.#earlierSequence = 0;
      this.#memory = { ...this.#memory, sequence: renumbered.at(-1)?.sequence ?? first };
    });
  }

  /**
   * Releases the reports' share of the room. A later answer or look changes nothing: another spool may own the rows by then and
   * send the reports again, and the server takes a sequence once.
   */
  close(): void {
    this.#closed = true;
    this.#room.bytes -= bytesOf(this.#waiting);
    this.#waiting = [];
  }

  /** Runs changes one after the other, so that a decision from the memory is durable before the memory changes. */
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

function withSequence(entry: Spooled, sequence: number): Spooled {
  const { report, memory } = entry;
  if (report.sequence === sequence && memory.sequence === sequence) return entry;
  return { report: { ...report, sequence }, memory: { ...memory, sequence } };
}

const archivesChange = (archives: readonly ArchiveMemory[]): Change => ({
  do: 'put',
  part: 'archives',
  number: 0,
  text: JSON.stringify(archives),
});

const bytesOf = (reports: readonly Waiting[]): number => reports.reduce((sum, { bytes }) => sum + bytes, 0);
