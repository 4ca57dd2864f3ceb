import { isRecord } from '../narrow.ts';

/** Address to return to after sign-in, and whose it is, stored for this tab during the visit to the wallet. */
const STORED_PLACE = 'sentinel.return';

/** @param person e-mail of the person whose session ended on the page; null when nobody was signed in */
export function saveReturnPath(person: string | null): void {
  const place = { path: location.pathname + location.search, person };
  sessionStorage.setItem(STORED_PLACE, JSON.stringify(place));
}

/**
 * Returns the stored address, always one of this console; null without one, or when it is another person's.
 * @param person e-mail of the person who signed in
 */
export function readReturnPath(person: string): string | null {
  const place = parsed(sessionStorage.getItem(STORED_PLACE) ?? 'null');
  if (!isRecord(place) || typeof place['path'] !== 'string') return null;
  const isOwn = place['person'] === null || place['person'] === person;
  return isOwn && /^\/(?![/\\])/.test(place['path']) ? place['path'] : null;
}

export function clearReturnPath(): void {
  sessionStorage.removeItem(STORED_PLACE);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An earlier version stored the path alone.
    return null;
  }
}
