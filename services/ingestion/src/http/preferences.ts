/** RFC 7240: whether a `Prefer` header names the preference, whatever value or parameters it gives. */
export function prefers(header: string | string[] | undefined, preference: string): boolean {
  const preferences = [header ?? []].flat().join(',').split(',');
  return preferences.some((one) => /^[^=;]*/.exec(one)![0].trim().toLowerCase() === preference);
}
