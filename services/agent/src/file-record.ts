import { messageOf } from '@sentinel-node/contracts/thrown';
import type { HeartbeatAnswer } from '@sentinel-node/contracts';
import type { FileNotices } from './file-notices.ts';
import { FileSpool, type Spooled, type SpoolRoom, type Waiting } from './state/spool.ts';
import type { StateStore } from './state/store.ts';

export type ServerFile = HeartbeatAnswer['files'][number];

/** The task whose file it is. */
export interface RecordOwner {
  readonly id: string;
  /** Path and frequency, as of `StepContext`. */
  readonly identity: string;
  readonly notices: FileNotices;
  /** What is kept is another than what the last look was compared with. */
  onOtherRecord(): void;
  /** A look would find something to go on from, or to mend. */
  onRecord(): void;
  /** The disk does not take what there is to keep, or cannot be read. */
  spoolFails(error: unknown): void;
}

export interface RecordsOfAgent {
  readonly store: StateStore;
  readonly room: SpoolRoom;
  /** The server has to be asked what it has. */
  readonly onProblem: () => void;
}

/** How far ahead of the server's time a sequence can have been taken, in ms. */
const AHEAD_MS = 24 * 3_600_000;
const US_PER_MS = 1_000;

/** What is kept of one file, and what the server has on record of it: where the next look goes on from. */
export class FileRecord {
  readonly #owner: RecordOwner;
  readonly #agent: RecordsOfAgent;
  #spool: FileSpool | undefined;
  /** Why a report that waits cannot be read: the spool is to be opened anew. */
  #unread: string | undefined;
  #serverSequence = 0;
  #serverAnswered = false;

  constructor(owner: RecordOwner, agent: RecordsOfAgent) {
    this.#owner = owner;
    this.#agent = agent;
  }

  /** A state folder that cannot be read now is tried again by `usable`. */
  open(): void {
    const { store, room } = this.#agent;
    this.#spool?.close();
    this.#spool = undefined;
    try {
      this.#spool = FileSpool.open(store, this.#owner.id, room);
    } catch (error) {
      return this.#owner.spoolFails(error);
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

  /** undefined: it has to be opened anew before there can be a look. */
  get spool(): FileSpool | undefined {
    return this.#unread === undefined && this.#spool?.isCurrent === true ? this.#spool : undefined;
  }

  /** Opens it anew where that is needed. @returns undefined: there is nothing to look from */
  usable(): FileSpool | undefined {
    if (this.spool === undefined) this.#reopen();
    return this.waitsForServer ? undefined : this.#spool;
  }

  get waiting(): readonly Waiting[] {
    return this.#spool?.waiting ?? [];
  }

  /** Nothing is remembered here, and the server has not said yet what it has: a FIRST now could hide a change. */
  get waitsForServer(): boolean {
    return this.#spool === undefined || (this.#spool.memory.sequence === 0 && !this.#serverAnswered);
  }

  /** Highest sequence that the server has told; 0: it has told none. */
  get serverSequence(): number {
    return this.#serverSequence;
  }

  /**
   * An agent that lost its state, or has an old one, goes on from what the server has on record.
   * @returns undefined: the server has told it before, or there is no state to keep it in
   */
  serverKnows(file: ServerFile): Promise<void> | undefined {
    this.#serverSequence = Math.max(this.#serverSequence, file.lastSequence);
    return this.#serverAnswered || this.#spool === undefined ? undefined : this.#hear(this.#spool, file);
  }

  async #hear(spool: FileSpool, { hash, lastSequence, length }: ServerFile): Promise<void> {
    if (lastSequence > spool.memory.sequence && spool.waiting.length === 0) {
      const last = length === null || hash === null ? null : { length, hash };
      const identity = last === null ? null : this.#owner.identity;
      this.#owner.notices.stateRecovered();
      try {
        await spool.adopt({ ...spool.memory, last, sequence: lastSequence, identity });
      } catch (error) {
        this.#owner.spoolFails(error);
      }
    }
    this.#serverAnswered = true;
    this.#owner.onRecord();
  }

  /** Reports from the `from`-th on, oldest first; they count as sent. */
  read(from: number, count: number): Spooled[] {
    try {
      return this.#spool?.read(from, count) ?? [];
    } catch (error) {
      this.#unread = messageOf(error);
      this.#owner.onRecord();
      return [];
    }
  }

  /** All up to this one were answered 202. @throws Error the state cannot be written */
  async accepted(entry: Spooled): Promise<void> {
    await this.#spool?.accepted(entry);
  }

  /** The oldest was refused for good. @throws Error the state cannot be written */
  async refused(): Promise<void> {
    await this.#spool?.refused();
    this.#owner.onOtherRecord();
  }

  /**
   * Gives what waits sequences that fit the server's time. @returns false: there is no room for them
   * @throws Error the state cannot be written
   */
  async renumber(serverMs: number): Promise<boolean> {
    const spool = this.#spool;
    const oldest = spool?.waiting[0];
    if (spool === undefined || oldest === undefined) return false;
    const now = Math.floor(serverMs) * US_PER_MS;
    const taken = spool.acceptedSequence <= now + AHEAD_MS * US_PER_MS ? spool.acceptedSequence : 0;
    const first = Math.max(taken + 1, this.#serverSequence + 1, now);
    if (first + spool.waiting.length > oldest.sequence) return false;
    await spool.renumber(first);
    return true;
  }

  /** What is kept is another than was read: the server is asked again what it has, where nothing is kept. */
  #reopen(): void {
    this.open();
    if (this.#spool?.memory.sequence !== 0) return;
    this.#serverAnswered = false;
    this.#agent.onProblem();
  }
}
