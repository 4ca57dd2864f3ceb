/** Address to return to after sign-in, stored for this tab during the visit to the wallet. */
const STORED_PLACE = 'sentinel.return';

export function saveReturnPath(): void {
  sessionStorage.setItem(STORED_PLACE, location.pathname + location.search);
}

/** Returns the stored address, always one of this console; null without one. */
export function readReturnPath(): string | null {
  const place = sessionStorage.getItem(STORED_PLACE);
  return place !== null && /^\/(?![/\\])/.test(place) ? place : null;
}

export function clearReturnPath(): void {
  sessionStorage.removeItem(STORED_PLACE);
}
