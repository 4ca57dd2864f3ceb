export type Level = 'info' | 'warn' | 'error';

export interface NoticesOfFile {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  readonly log: (level: Level, message: string) => void;
  /** Becomes an event. */
  readonly notice: (code: string, message: string, fileId: string | null) => void;
}

/** Says what an operator should know of one file, in the log and as events of the agent. */
export class FileNotices {
  readonly #file: NoticesOfFile;
  #dropped = 0;
  #torn = false;
  /** Of archives, as they were told last. */
  #faults = '';

  constructor(file: NoticesOfFile) {
    this.#file = file;
  }

  stateRecovered(): void {
    this.#log('warn', 'no own state, or an old one; goes on from what the server has on record');
    this.#tell(
      'STATE_RECOVERED',
      "the agent had no state of its own, or an old one, and goes on from the server's record.",
    );
  }

  /** @param broken what was found broken, in a few words each */
  stateBroken(broken: readonly string[]): void {
    const text = `the agent's state of the file was broken and set aside (${broken.join(', ')}).`;
    this.#log('error', text);
    this.#tell('STATE_BROKEN', text);
  }

  kindChanged(change: string): void {
    this.#log('warn', `${change}.`);
    this.#tell('FILE_KIND', `${change}.`);
  }

  /** Versions that no report tells any more; told once the server takes reports again. */
  dropped(versions: number): void {
    this.#dropped += versions;
  }

  tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#tell(
      'VERSIONS_MERGED',
      `${this.#dropped} versions seen while the server was away were merged into later ones.`,
    );
    this.#dropped = 0;
  }

  archivesRemoved(names: readonly string[]): void {
    if (names.length > 0) this.#tell('ARCHIVE_REMOVED', `old archives are gone: ${names.join(', ')}.`);
  }

  /** An archive that cannot be read is why its rotation looks like a change. */
  archivesUnreadable(faults: readonly string[]): void {
    const text = faults.join('; ');
    if (text === '' || text === this.#faults) return;
    this.#faults = text;
    this.#log('warn', `archives cannot be read: ${text}`);
    this.#tell('ARCHIVE_UNREADABLE', `archives cannot be read: ${text}.`);
  }

  /** What was read may be of two moments; told once until the file holds still. */
  changedWhileRead(torn: boolean): void {
    if (torn && !this.#torn)
      this.#tell(
        'CHANGED_WHILE_READ',
        'the file changed each time while it was read; what is reported may never have been there at one moment.',
      );
    this.#torn = torn;
  }

  notChecked(problem: string, why: string): void {
    this.#log('error', why);
    this.#tell(problem, `${why}.`);
  }

  #log(level: Level, message: string): void {
    this.#file.log(level, `${this.#file.path}: ${message}`);
  }

  #tell(code: string, message: string): void {
    this.#file.notice(code, `${this.#file.path}: ${message}`, this.#file.id);
  }
}
