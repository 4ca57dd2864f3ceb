/**
 * Returns the first string after all that begin with `prefix`, by code point (= by UTF-8 byte); undefined when there is
 * none.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  for (;;) {
    const last = points.pop();
    if (last === undefined) return undefined;
    if (last === 0x10_ffff) continue;
    const next = last + 1 === 0xd800 ? 0xe000 : last + 1;
    return String.fromCodePoint(...points, next);
  }
}
