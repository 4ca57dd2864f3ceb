/** RFC 7240: whether a `Prefer` header names the preference, whatever value or parameters it gives. */
export function prefers(header: string | string[] | undefined, preference: string): boolean {
  // What nearly all calls have: no header, or this preference alone.
  if (header === undefined || header === preference) return header === preference;
  const preferences = [header].flat().join(',').split(',');
  return preferences.some((one) => /^[^=;]*/.exec(one)![0].trim().toLowerCase() === preference);
}
