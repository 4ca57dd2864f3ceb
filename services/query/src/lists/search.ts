/** Searches events and alerts by name, file, device, date and time, as the console shows them. */
import { containsText, searchedTimes, shownDateTime } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { isTimeZone } from '../registry/zoned-time.ts';
import { namesOf, type Subject } from '../views/index.ts';
import { mayBeInTime } from './shown-times.ts';

interface Searched extends Subject {
  readonly timestamp: number;
}

/** The parameters of a search; `timeZone` is checked also when nothing is searched. */
export interface Search {
  readonly search?: string;
  readonly timeZone?: string;
}

/**
 * Keeps the documents with a shown text that contains `search`, ignoring case; undefined when nothing is searched.
 * @param wordsOf returns the words of the events or alerts themselves
 * @throws ApiError VALIDATION_FAILED for an unknown time zone
 */
export function searchMatcher<T extends Searched>(
  store: DocumentStore,
  { search = '', timeZone = 'UTC' }: Search,
  wordsOf: (documents: readonly T[]) => Promise<(document: T) => readonly string[]>,
): ((documents: readonly T[]) => Promise<readonly T[]>) | undefined {
  checkTimeZone(timeZone);
  if (search.trim() === '') return undefined;
  const timesOf = mayBeInTime(search)
    ? ({ timestamp }: Searched) => searchedTimes(shownDateTime(timestamp, timeZone))
    : () => [];
  return async (documents) => {
    const [names, words] = await Promise.all([namesOf(store, documents), wordsOf(documents)]);
    return documents.filter((document) => {
      const shown = [
        ...words(document),
        names.device(document.deviceId),
        names.file(document.fileId),
        ...timesOf(document),
      ];
      return containsText(shown, search);
    });
  };
}

/** @throws ApiError VALIDATION_FAILED for an unknown time zone */
export function checkTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return;
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'the query is not valid',
    errors: [{ path: '/timeZone', message: 'is no IANA time zone' }],
  });
}
