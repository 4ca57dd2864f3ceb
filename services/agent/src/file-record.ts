import { messageOf } from '@sentinel-node/contracts/thrown';
import type { HeartbeatAnswer } from '@sentinel-node/contracts';
import type { AgentClock } from './clock.ts';
import type { FileNotices } from './file-notices.ts';
import { FileSpool, type Spooled, type SpoolRoom, type Waiting } from './state/spool.ts';
import type { StateStore } from './state/store.ts';

export type ServerFile = HeartbeatAnswer['files'][number];

/** The task of the record's file. */
export interface RecordOwner {
  readonly id: string;
  /** Path and frequency, as in `StepContext`. */
  readonly identity: string;
  readonly notices: FileNotices;
  /** The record changed since the last look was compared with it. */
  onOtherRecord(): void;
  /** A look is useful now: the record became usable or needs repair. */
  onRecord(): void;
  /** The file must be reported again, changed or not: the server does not have what was reported. */
  reportAgain(): void;
  /** The state folder cannot be written or read. */
  onSpoolError(error: unknown): void;
}

export interface RecordsOfAgent {
  readonly store: StateStore;
  readonly room: SpoolRoom;
  readonly clock: AgentClock;
  /** Asks for a heartbeat soon, whose answer has the server's record. */
  readonly onProblem: () => void;
  /** Returns whether a heartbeat of this agent was answered, or has failed. */
  readonly hasAskedServer: () => boolean;
}

/** Most that an accepted sequence can be ahead of the server's time, in ms. */
const AHEAD_MS = 24 * 3_600_000;
const US_PER_MS = 1_000;

/** The saved state of one file and the server's record of the file; the next look continues from them. */
export class FileRecord {
  readonly #owner: RecordOwner;
  readonly #agent: RecordsOfAgent;
  #spool: FileSpool | undefined;
  /** Why a waiting report cannot be read; the spool must be opened again. */
  #unread: string | undefined;
  /** Sequence in the server's last answer; 0 before the first. It may be lower than it was: sequences of the file itself never are. */
  #answeredSequence = 0;
  #serverAnswered = false;
  /** The state is older than the server's record, which could not be written. */
  #isOutdated = false;
  /** The server refused the last report for good. */
  #isRefused = false;

  constructor(owner: RecordOwner, agent: RecordsOfAgent) {
    this.#owner = owner;
    this.#agent = agent;
  }

  /** Opens the spool; when the state folder cannot be read, `usable` tries again. */
  open(): void {
    const { store, room, clock } = this.#agent;
    this.#spool?.close();
    this.#spool = undefined;
    try {
      this.#spool = FileSpool.open(store, this.#owner.id, room, clock);
    } catch (error) {
      return this.#owner.onSpoolError(error);
    }
    const broken = [...this.#spool.broken, ...(this.#unread === undefined ? [] : [this.#unread])];
    this.#unread = undefined;
    if (broken.length === 0) return;
    this.#owner.onOtherRecord();
    this.#owner.notices.stateBroken(broken);
  }

  close(): void {
    this.#spool?.close();
  }

  /** undefined when the spool must be opened again before the next look. */
  get spool(): FileSpool | undefined {
    return this.#unread === undefined && this.#spool?.isCurrent === true ? this.#spool : undefined;
  }

  /** Opens the spool again when necessary. @returns undefined when there is no state for a look */
  usable(): FileSpool | undefined {
    if (this.spool === undefined) this.#reopen();
    return this.waitsForServer ? undefined : this.#spool;
  }

  get waiting(): readonly Waiting[] {
    return this.#spool?.waiting ?? [];
  }

  /** As in `FileSpool`; 0 without a spool. */
  get earlierSequence(): number {
    return this.#spool?.earlierSequence ?? 0;
  }

  /**
   * True while there is no state here and no answer from the server yet: a FIRST now could hide a change. With a state, until
   * the first heartbeat is over: the state may be older than the server's record, as a restored one or that of a clone is, and a
   * report made from it would tell of a change back. A record that could not be written counts as no answer.
   */
  get waitsForServer(): boolean {
    if (this.#spool === undefined || this.#isOutdated) return true;
    if (this.#serverAnswered) return false;
    return this.#spool.memory.sequence === 0 || !this.#agent.hasAskedServer();
  }

  /**
   * Returns whether a look has a spool and could not use it: it waits for the server, and asks it again for a record that could not
   * be written.
   */
  waits(): boolean {
    if (this.spool === undefined || !this.waitsForServer) return false;
    if (this.#isOutdated) this.#agent.onProblem();
    return true;
  }

  /** As `#answeredSequence`. */
  get serverSequence(): number {
    return this.#answeredSequence;
  }

  /**
   * Takes the server's record of the file; an agent with a lost or old state continues from that record.
   * @returns undefined when the server answered before or no spool is open
   */
  applyServerRecord(file: ServerFile): Promise<void> | undefined {
    // The server's record is older than it was, as after the restore of a backup.
    if (file.lastSequence < this.#answeredSequence) this.#owner.reportAgain();
    this.#answeredSequence = file.lastSequence;
    return this.#serverAnswered || this.#spool === undefined
      ? undefined
      : this.#takeRecord(this.#spool, file);
  }

  async #takeRecord(spool: FileSpool, { hash, lastSequence, length }: ServerFile): Promise<void> {
    if (lastSequence > spool.memory.sequence && spool.waiting.length === 0) {
      const last = length === null || hash === null ? null : { length, hash };
      const identity = last === null ? null : this.#owner.identity;
      try {
        await spool.adopt({ ...spool.memory, last, sequence: lastSequence, identity });
      } catch (error) {
        this.#isOutdated = true;
        return this.#owner.onSpoolError(error);
      }
      this.#owner.notices.stateRecovered();
    }
    this.#isOutdated = false;
    this.#serverAnswered = true;
    this.#owner.onRecord();
  }

  /** Returns `count` waiting reports from index `from` on, oldest first, and marks them as sent. */
  read(from: number, count: number): Spooled[] {
    try {
      return this.#spool?.read(from, count) ?? [];
    } catch (error) {
      this.#unread = messageOf(error);
      this.#owner.onRecord();
      return [];
    }
  }

  /** Removes all reports up to `entry`, as `Spool` does. @throws Error the state cannot be written */
  async accepted(entry: Spooled, refused: readonly number[]): Promise<void> {
    await this.#spool?.accepted(entry, refused);
    this.#isRefused = false;
  }

  /**
   * Sets all waiting reports aside after the server refused the oldest for good.
   * @returns the number of reports set aside
   * @throws Error the state cannot be written
   */
  async refused(): Promise<number> {
    const count = (await this.#spool?.refused()) ?? 0;
    this.#owner.onOtherRecord();
    // The server shows the file as lost until it takes a report, also of a file that is as it was before. One more report: a
    // server that refuses all of them would get nothing else.
    if (!this.#isRefused) this.#owner.reportAgain();
    this.#isRefused = true;
    return count;
  }

  /**
   * Renumbers the waiting reports to fit the server's time. @returns false when no lower sequences are free for them
   * @throws Error the state cannot be written
   */
  async renumber(serverMs: number): Promise<boolean> {
    const spool = this.#spool;
    const oldest = spool?.waiting[0];
    if (spool === undefined || oldest === undefined) return false;
    const now = Math.floor(serverMs) * US_PER_MS;
    const taken = spool.acceptedSequence <= now + AHEAD_MS * US_PER_MS ? spool.acceptedSequence : 0;
    const first = Math.max(taken + 1, this.#answeredSequence + 1, now);
    if (first + spool.waiting.length > oldest.sequence) return false;
    await spool.renumber(first);
    return true;
  }

  /** Opens the spool again; when it is empty, asks the server for its record. */
  #reopen(): void {
    this.open();
    if (this.#spool?.memory.sequence !== 0) return;
    this.#serverAnswered = false;
    this.#agent.onProblem();
  }
}
