/** Where a person was going before they had to sign in; kept for this tab over the way to the wallet and back. */
const STORED_PLACE = 'sentinel.return';

export function keepPlace(): void {
  sessionStorage.setItem(STORED_PLACE, location.pathname + location.search);
}

/** An address of this console; null: none is kept. */
export function keptPlace(): string | null {
  const place = sessionStorage.getItem(STORED_PLACE);
  return place !== null && /^\/(?![/\\])/.test(place) ? place : null;
}

export function dropPlace(): void {
  sessionStorage.removeItem(STORED_PLACE);
}
