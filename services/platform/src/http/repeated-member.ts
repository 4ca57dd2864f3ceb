const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The problem text for the member that `repeatedMember` names. */
export const REPEATED = 'must not be given twice';

/** Longest pointer that is returned to the client, in characters. */
const MAX_POINTER_CHARACTERS = 200;

/** An object or an array that is open at the current position. */
interface Open {
  /** Names of an object's members so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** Member or index at the current position. */
  at: string | number;
}

/**
 * Returns the JSON pointer (RFC 6901) of the first repeated member of an object; undefined when no member repeats.
 * Readers disagree on the value of a repeated member (RFC 8259 section 4): one process could check one value and
 * another use the other.
 * @param json valid JSON
 */
export function repeatedMember(json: string): string | undefined {
  const open: Open[] = [];
  let stringStart = 0;
  let stringEnd = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    // Most characters are inside strings, which are skipped, or are not structural.
    if (code === QUOTE) {
      stringStart = at;
      stringEnd = at = endOfString(json, at);
    } else if (code === COLON) {
      const object = open[open.length - 1]!;
      const name = nameOf(json, stringStart, stringEnd);
      object.at = name;
      if (object.names!.has(name)) return pointerOf(open);
      object.names!.add(name);
    } else if (code === OPEN_BRACE) open.push({ names: new Set(), at: '' });
    else if (code === OPEN_BRACKET) open.push({ names: undefined, at: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === COMMA) countUp(open[open.length - 1]!);
  }
  return undefined;
}

function countUp(innermost: Open): void {
  if (typeof innermost.at === 'number') innermost.at += 1;
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns the decoded name, so that two spellings of a name are equal. */
function nameOf(json: string, start: number, end: number): string {
  const written = json.slice(start + 1, end);
  return written.includes('\\') ? String(JSON.parse(json.slice(start, end + 1))) : written;
}

function pointerOf(open: readonly Open[]): string {
  const tokens = open.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return tokens.join('').slice(0, MAX_POINTER_CHARACTERS);
}
