/**
 * Computes the size of the program that an RE2 expression compiles to, without compiling. Every RE2 engine unrolls
 * counted repetition, so a few characters can demand millions of instructions; the time for compiling, and for matching
 * a name, grows with the size.
 */

/** Cost of a table of Unicode ranges (`\pL`) in instructions; the table is read once per mention. */
const UNICODE_CLASS_STEPS = 10;
/** Start and end of every program. */
const FRAME_STEPS = 2;
const CAPTURE_STEPS = 2;
const REPEAT = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/;
/** `(?i)` sets flags and is not an atom: a quantifier after it repeats the atom before it. */
const FLAGS = /^\(\?[a-zA-Z-]*\)/;
const GROUP_OPENING = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/;
const POSIX_CLASS = /^\[:\^?[a-z]+:\]/;
const ESCAPE = /^\\(?:[pP](?:\{[^}]*\}|[^])|x\{[^}]*\}|x[^][^]|[0-7]{1,3}|[^]?)/;

/**
 * Returns an upper bound of the instructions that `pattern` (RE2 syntax) compiles to, in one pass over the pattern. Does
 * not check the syntax: the result for an invalid expression has no meaning.
 */
export function regexpProgramSteps(pattern: string): number {
  return new SizeReader(pattern).size();
}

/** An open group: the size of its finished alternatives (`steps`) and of the current one. */
interface Frame {
  readonly outside: number;
  steps: number;
  alternative: number;
  /** The last atom of the alternative, which a quantifier repeats. */
  atom: number;
}

class SizeReader {
  readonly #pattern: string;
  #at = 0;
  #tables = 0;
  readonly #open: Frame[] = [frame(0)];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  size(): number {
    while (this.#at < this.#pattern.length) this.#step();
    while (this.#open.length > 1) this.#close();
    return FRAME_STEPS + whole(this.#open[0]!) + this.#tables * UNICODE_CLASS_STEPS;
  }

  #step(): void {
    const top = this.#open.at(-1)!;
    const rest = this.#pattern.slice(this.#at);
    const [first = ''] = rest;
    if (first === '\\') this.#escape(rest);
    else if (first === '[') this.#class();
    else if (first === '(') this.#openGroup(rest);
    else if (first === ')') this.#close();
    else if (first === '|') this.#alternative(top);
    else if (first === '*' || first === '+' || first === '?') this.#quantify(first, 1);
    else if (REPEAT.test(rest)) this.#repeat(REPEAT.exec(rest)!);
    else this.#atom(1, 1);
  }

  /** Adds an atom of `steps` instructions, which takes `characters` of the pattern. */
  #atom(steps: number, characters: number): void {
    const top = this.#open.at(-1)!;
    top.alternative += top.atom;
    top.atom = steps;
    this.#at += characters;
  }

  #alternative(top: Frame): void {
    top.steps += Math.max(1, top.alternative + top.atom) + 1;
    top.alternative = 0;
    top.atom = 0;
    this.#at++;
  }

  #openGroup(rest: string): void {
    const flags = FLAGS.exec(rest)?.[0];
    const opening = flags ?? GROUP_OPENING.exec(rest)![0];
    this.#at += opening.length;
    if (flags === undefined) this.#open.push(frame(opening.endsWith(':') ? 0 : CAPTURE_STEPS));
  }

  #close(): void {
    if (this.#open.length === 1) return this.#atom(1, 1);
    const closed = this.#open.pop()!;
    this.#atom(closed.outside + whole(closed), 1);
  }

  /** `x{0,}` can be an empty loop, which takes one instruction more than a loop. */
  #quantify(sign: string, characters: number): void {
    const top = this.#open.at(-1)!;
    top.atom += sign === '?' ? 1 : 2;
    this.#at += characters;
  }

  #repeat([text, min = '0', comma, max = '']: RegExpExecArray): void {
    const top = this.#open.at(-1)!;
    const least = Number(min);
    const most = comma === undefined ? least : max === '' ? undefined : Number(max);
    const optional = most === undefined ? 0 : Math.max(0, most - least);
    // At least one copy: RE2 may keep an empty instruction for zero copies.
    const copies = Math.max(1, least) * Math.max(1, top.atom);
    top.atom = copies + (most === undefined ? 2 : 0) + optional * (top.atom + 1);
    this.#at += text.length;
  }

  #escape(rest: string): void {
    if (rest.startsWith('\\Q')) return this.#quoted(rest);
    const text = ESCAPE.exec(rest)![0];
    if (/^\\[pP]/.test(text)) this.#tables++;
    this.#atom(1, text.length);
  }

  /** `\Q…\E`: each character stands for itself. */
  #quoted(rest: string): void {
    const end = rest.indexOf('\\E');
    const quoted = end === -1 ? rest.slice(2) : rest.slice(2, end);
    for (let n = 0; n < quoted.length; n++) this.#atom(1, 1);
    this.#at += end === -1 ? 2 : 4;
  }

  #class(): void {
    let at = this.#at + 1;
    if (this.#pattern[at] === '^') at++;
    // A bracket at the beginning stands for itself.
    if (this.#pattern[at] === ']') at++;
    while (at < this.#pattern.length && this.#pattern[at] !== ']') {
      const rest = this.#pattern.slice(at);
      const escape = ESCAPE.exec(rest)?.[0];
      if (escape !== undefined && /^\\[pP]/.test(escape)) this.#tables++;
      at += escape?.length ?? POSIX_CLASS.exec(rest)?.[0].length ?? 1;
    }
    this.#atom(1, at + 1 - this.#at);
  }
}

const frame = (outside: number): Frame => ({ outside, steps: 0, alternative: 0, atom: 0 });
const whole = ({ steps, alternative, atom }: Frame): number => steps + Math.max(1, alternative + atom);
