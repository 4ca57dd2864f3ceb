/** Returns whether a `Prefer` header (RFC 7240) names the preference, with any value or parameters. */
export function prefers(header: string | string[] | undefined, preference: string): boolean {
  const preferences = [header ?? []].flat().join(',').split(',');
  return preferences.some((one) => /^[^=;]*/.exec(one)![0].trim().toLowerCase() === preference);
}
