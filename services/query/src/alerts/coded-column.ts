/** A column of texts that stores equal texts as one number, so that counts compare and add numbers only. */
const FIRST_ROWS = 256;

/** A code that no row has. */
export const NO_CODE = 0xffff_ffff;
/** The code of null. */
export const NULL_CODE = 0;

/** @boundedBy the rows that are set */
export class CodedColumn {
  readonly #codeOf = new Map<string, number>();
  readonly #texts: string[] = [''];
  #codes = new Uint32Array(FIRST_ROWS);

  /** Codes by row, from 0. The array is valid until the next `set`. */
  get codes(): Readonly<Uint32Array> {
    return this.#codes;
  }

  /** Number of different codes; every code is below it. */
  get size(): number {
    return this.#texts.length;
  }

  set(row: number, text: string | null): void {
    if (row >= this.#codes.length) {
      const wider = new Uint32Array(Math.max(row + 1, 2 * this.#codes.length));
      wider.set(this.#codes);
      this.#codes = wider;
    }
    this.#codes[row] = text === null ? NULL_CODE : this.#coded(text);
  }

  /** Returns `NO_CODE` when no row ever had the text. */
  codeOf(text: string): number {
    return this.#codeOf.get(text) ?? NO_CODE;
  }

  codesWhere(isWanted: (text: string) => boolean): Set<number> {
    const found = new Set<number>();
    for (let code = NULL_CODE + 1; code < this.size; code++) if (isWanted(this.textOf(code))) found.add(code);
    return found;
  }

  textOf(code: number): string {
    return this.#texts[code] ?? '';
  }

  #coded(text: string): number {
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    const code = this.#texts.push(text) - 1;
    this.#codeOf.set(text, code);
    return code;
  }
}
