/** libsql can end the whole process at a file that is not whole: then nobody is left who could set it aside. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = 'opening';

/** Counts the starts in a row that ended while a state file was read for the first time. */
export class CutStarts {
  readonly #mark: string;

  /** @param folder the state folder */
  constructor(folder: string) {
    this.#mark = join(folder, MARK);
  }

  /** The file is about to be read. @returns how many starts before this one ended at it */
  begin(file: string): number {
    const count = this.#countOf(file);
    try {
      writeFileSync(this.#mark, `${file} ${count + 1}\n`, { mode: 0o600 });
    } catch {
      // A full disk: this start is not counted, and must not fail for that.
    }
    return count;
  }

  /** Whatever was read, or not: the process lives. */
  end(): void {
    try {
      rmSync(this.#mark, { force: true });
    } catch {
      // As above: a mark that stays is one start too many at the most, until the next one that goes well.
    }
  }

  #countOf(file: string): number {
    try {
      const [name, count] = readFileSync(this.#mark, 'utf8').trim().split(' ');
      return name === file && /^\d{1,3}$/.test(count ?? '') ? Number(count) : 0;
    } catch {
      return 0;
    }
  }
}
