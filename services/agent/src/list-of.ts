/** Longest list in the log, in a status and in what `--dry-run` prints, in characters. */
export const LIST_CHARACTERS = 400;

/** Returns the entries in at most so many characters, with the number of those that are left out. */
export function listOf(entries: readonly string[], between: string, characters: number): string {
  const all = entries.length <= characters ? entries.join(between) : undefined;
  if (all !== undefined && all.length <= characters) return all;
  const othersOf = (shown: number): string => {
    const others = entries.length - shown;
    return others === 0 ? '' : `${between}and ${others} ${others === 1 ? 'other' : 'others'}`;
  };
  const [first = ''] = entries;
  const room = characters - othersOf(1).length;
  let text = first.length <= room ? first : `${first.slice(0, room - 1)}…`;
  let shown = 1;
  for (; shown < entries.length; shown += 1) {
    const longer = `${text}${between}${entries[shown]}`;
    if (longer.length + othersOf(shown + 1).length > characters) break;
    text = longer;
  }
  return `${text}${othersOf(shown)}`;
}
