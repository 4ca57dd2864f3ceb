/** Excludes searches for what no shown time contains: writing a time costs as much as all other work on a searched document. */
import { searchedTimes, shownDateTime } from '@sentinel-node/contracts';
import { lazily } from '@sentinel-node/platform';

const MONTHS = 12;
/** Days of the month and hours with one digit and with two, before noon and after. */
const DAYS = [1, 21];
const HOURS = [1, 10, 13, 22];

/** All pairs of neighbouring characters, and all characters, of shown times, in lower case with 0 for each digit. */
const parts = lazily(() => {
  const found = new Set<string>();
  for (let month = 0; month < MONTHS; month++)
    for (const day of DAYS)
      for (const hour of HOURS)
        for (const text of searchedTimes(shownDateTime(Date.UTC(2026, month, day, hour), 'UTC')))
          for (const part of partsOf(text)) found.add(part);
  return found;
});

/** Returns false when no shown time, in no time zone, contains the text. */
export function mayBeInTime(search: string): boolean {
  const known = parts();
  return partsOf(search.trim()).every((part) => known.has(part));
}

function partsOf(text: string): string[] {
  const characters = [...text.toLowerCase().replace(/\d/g, '0')];
  return characters.flatMap((character, at) => [character, character + (characters[at + 1] ?? '')]);
}
