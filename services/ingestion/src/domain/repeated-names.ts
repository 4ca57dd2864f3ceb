import type { Report } from '@sentinel-node/contracts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COLONS_OF_A_TIMESTAMP = 2;
const MEMBERS_OF_A_VERSION = 2;

/**
 * Whether a member name stands twice in an object of `text`. Readers of such JSON disagree on the value (RFC 8259
 * section 4), so the bytes of a report would be no evidence of what it said; I-JSON (RFC 7493) forbids it.
 * @param text JSON that gave `report`, which fits its schema
 */
export function hasRepeatedNames(text: string, report: Report): boolean {
  const countable =
    report.archives === undefined &&
    report.error === undefined &&
    report.signature === undefined &&
    !text.includes('\\');
  if (!countable) return scanForRepeatedNames(text);
  // No string but the timestamp holds a colon, so each further colon is a member: one too many is a repeated one.
  const members = Object.keys(report).length + report.versions.length * MEMBERS_OF_A_VERSION;
  return countColons(text) !== members + COLONS_OF_A_TIMESTAMP;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

/** `text` is valid JSON. A string is a name when a colon follows it. */
function scanForRepeatedNames(text: string): boolean {
  const open: Set<string>[] = [];
  let lastString = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      lastString = text.slice(at, end + 1);
      at = end;
    } else if (code === OPEN_BRACE) open.push(new Set());
    else if (code === CLOSE_BRACE) open.pop();
    else if (code === COLON) {
      const names = open.at(-1);
      const name = JSON.parse(lastString) as string;
      if (names === undefined || names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
