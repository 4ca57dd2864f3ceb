/** Search over events and alerts: name, file, device, date and time, as the console shows them. */
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { namesOf, type Subject } from '../views/index.ts';
import { shownDateTimeIn } from './shown-time.ts';

interface Searched extends Subject {
  readonly timestamp: number;
}

/**
 * Keeps the documents of which one shown text contains `search`, whatever the case.
 * @param nameOf the event's or alert's own words
 * @throws ApiError VALIDATION_FAILED for an unknown time zone
 */
export function searchMatcher<T extends Searched>(
  store: DocumentStore,
  search: string,
  timeZone: string | undefined,
  nameOf: (document: T) => readonly string[],
): (documents: readonly T[]) => Promise<readonly T[]> {
  const needle = search.trim().toLowerCase();
  const shownTime = zonedTime(timeZone ?? 'UTC');
  return async (documents) => {
    const names = await namesOf(store, documents);
    return documents.filter((document) => {
      const texts = [...nameOf(document), names.device(document.deviceId), names.file(document.fileId)];
      const holds = (text: string | null): boolean => text !== null && text.toLowerCase().includes(needle);
      return texts.some(holds) || shownTimes(shownTime(document.timestamp)).some(holds);
    });
  };
}

/** `Nov 21, 2026, 1:05:09 PM`, and as tables have it, without the second comma. */
const shownTimes = (text: string): string[] => [text, text.replace(/(\d{4}),/, '$1')];

function zonedTime(timeZone: string): (ms: number) => string {
  try {
    return shownDateTimeIn(timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError('VALIDATION_FAILED', 'the query is not valid', [
      { path: '/timeZone', message: 'is no IANA time zone' },
    ]);
  }
}
