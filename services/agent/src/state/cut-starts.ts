/** Detects a state file at which libsql crashes the whole process, so that a later start can set the file aside. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = 'opening';

/** Counts consecutive starts that ended during the first reading of a state file. */
export class CutStarts {
  readonly #mark: string;

  /** @param folder the state folder */
  constructor(folder: string) {
    this.#mark = join(folder, MARK);
  }

  /** Records that reading the file begins. @returns the number of earlier starts that ended at the file */
  begin(file: string): number {
    const count = this.#countOf(file);
    try {
      writeFileSync(this.#mark, `${file} ${count + 1}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not make the start fail; this start is not counted.
    }
    return count;
  }

  /** Records that the process survived reading the file, with or without success. */
  end(): void {
    try {
      rmSync(this.#mark, { force: true });
    } catch {
      // A mark that stays counts one start too many, until the next successful start.
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
