/** Returns whether a `Prefer` header (RFC 7240) names the preference, with any value or parameters. */
export function prefers(header: string | string[] | undefined, preference: string): boolean {
  // Nearly all calls have no header, or this preference alone.
  if (header === undefined || header === preference) return header === preference;
  const preferences = [header].flat().join(',').split(',');
  return preferences.some((one) => /^[^=;]*/.exec(one)![0].trim().toLowerCase() === preference);
}
