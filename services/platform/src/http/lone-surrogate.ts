/** The problem text for a string that `holdsLoneSurrogate` finds. */
export const LONE_SURROGATE = 'must not hold a lone surrogate';

const ESCAPE = /\\(?:u([0-9a-f]{4})|[^u])/gi;

/**
 * Returns whether a string of the JSON has one half of a surrogate pair without the other. Such a string has no UTF-8
 * and no canonical JSON (RFC 7493 section 2.1, RFC 8785 section 3.2.2.2), so that two readers disagree on it.
 * @param json valid JSON that was decoded from UTF-8: only an escape can make a lone surrogate
 */
export function holdsLoneSurrogate(json: string): boolean {
  if (!json.includes('\\u')) return false;
  /** Index at which the second half of a pair must be. */
  let wantedAt: number | undefined;
  for (const { 0: escape, 1: digits = '0', index } of json.matchAll(ESCAPE)) {
    const unit = Number.parseInt(digits, 16);
    const isSecond = unit >= 0xdc00 && unit <= 0xdfff;
    const isWanted = wantedAt === index;
    if (isSecond !== isWanted || (wantedAt !== undefined && !isWanted)) return true;
    wantedAt = unit >= 0xd800 && unit < 0xdc00 ? index + escape.length : undefined;
  }
  return wantedAt !== undefined;
}
