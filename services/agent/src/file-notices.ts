import { LIST_CHARACTERS, listOf } from './list-of.ts';
import { MESSAGE_CHARACTERS } from './notices.ts';

export type Level = 'info' | 'warn' | 'error';

export interface NoticesOfFile {
  readonly id: string;
  /** The absolute path. */
  readonly path: string;
  readonly log: (level: Level, message: string) => void;
  /** Records an event for the server. */
  readonly notice: (code: string, message: string, fileId: string | null) => void;
}

/** Writes log lines and agent events about one file for the operator. */
export class FileNotices {
  readonly #file: NoticesOfFile;
  #dropped = 0;
  #torn = false;
  /** The last reported change of the kind, until its report is kept. */
  #kind: string | undefined;
  /** The logged error of looks; undefined while they succeed. */
  #unreadable: string | undefined;
  /** The last reported faults of archives. @boundedBy the archives in the file's folder */
  #faults: readonly string[] = NONE;

  constructor(file: NoticesOfFile) {
    this.#file = file;
  }

  stateRecovered(): void {
    this.#log('warn', 'no own state, or an old one; goes on from what the server has on record');
    this.#report(
      'STATE_RECOVERED',
      "the agent had no state of its own, or an old one, and goes on from the server's record.",
    );
  }

  /** @param broken a short description of each broken part */
  stateBroken(broken: readonly string[]): void {
    const text = `the agent's state of the file was broken and set aside (${broken.join(', ')}).`;
    this.#log('error', text);
    this.#report('STATE_BROKEN', text);
  }

  /** Reports a change of the kind once, even if saving its report fails repeatedly. */
  kindChanged(change: string): void {
    if (change === this.#kind) return;
    this.#kind = change;
    this.#log('warn', `${change}.`);
    this.#report('FILE_KIND', `${change}.`);
  }

  /** Records that the report is kept: a later change is a new one, even with the same words. */
  reportKept(): void {
    this.#kind = undefined;
  }

  /** Counts versions that merging dropped; `reportDropped` reports them once the server accepts reports again. */
  dropped(versions: number): void {
    this.#dropped += versions;
  }

  reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#report(
      'VERSIONS_MERGED',
      `${this.#dropped} versions seen while the server was away were merged into later ones.`,
    );
    this.#dropped = 0;
  }

  archivesRemoved(names: readonly string[]): void {
    this.#reportList('ARCHIVE_REMOVED', 'old archives are gone', names, ', ');
  }

  /** @param names names of archives that are gone or changed while the file is not there */
  archivesLost(names: readonly string[] = []): void {
    const what = 'old archives are gone, or hold something else, while there is no file';
    this.#reportList('ARCHIVE_REMOVED', what, names, ', ');
  }

  /** Why archives cannot be read, as last reported, in a few hundred characters; null when all can be. */
  get archiveFaults(): string | null {
    return this.#faults.length === 0 ? null : listOf(this.#faults, '; ', LIST_CHARACTERS);
  }

  /**
   * Reports unreadable archives once: their contents are not checked, and a rotation looks like a change.
   * @param faults as in `Look`
   */
  archivesUnreadable(faults: readonly string[] | undefined): void {
    if (faults === undefined || isSame(faults, this.#faults)) return;
    this.#faults = faults;
    const text = this.archiveFaults;
    if (text === null) return;
    this.#log('warn', `archives cannot be read: ${text}`);
    this.#reportList('ARCHIVE_UNREADABLE', 'archives cannot be read', faults, '; ');
  }

  /** Reports once that the content may mix two moments, until a read is whole again. */
  changedWhileRead(torn: boolean): void {
    if (torn && !this.#torn)
      this.#report(
        'CHANGED_WHILE_READ',
        'the file changed each time while it was read; what is reported may never have been there at one moment.',
      );
    this.#torn = torn;
  }

  /**
   * Logs once, in each run of the agent, why looks find no content; the report of the error tells the server.
   * @param code undefined when a look succeeded
   */
  lookEnded(code: string | undefined): void {
    if (code === this.#unreadable) return;
    this.#unreadable = code;
    if (code === undefined) this.#log('info', 'can be looked at again');
    else this.#log('error', `cannot be looked at (${code}); the file is not checked`);
  }

  reportUnchecked(problem: string, why: string): void {
    this.#log('error', why);
    this.#report(problem, `${why}.`);
  }

  #log(level: Level, message: string): void {
    this.#file.log(level, `${this.#file.path}: ${message}`);
  }

  /** Reports as many entries as fit into a notice, and the number of the others. */
  #reportList(code: string, what: string, entries: readonly string[], between: string): void {
    if (entries.length === 0) return;
    const room = MESSAGE_CHARACTERS - `${this.#file.path}: ${what}: .`.length;
    this.#report(code, `${what}: ${listOf(entries, between, Math.max(room, SHORTEST_CHARACTERS))}.`);
  }

  #report(code: string, message: string): void {
    this.#file.notice(code, `${this.#file.path}: ${message}`, this.#file.id);
  }
}

/** One empty list for all files, which saves memory. */
const NONE: readonly string[] = [];
/** Room for a list beside a path that fills the notice, in characters: the end of the message is cut off then. */
const SHORTEST_CHARACTERS = 100;

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
