/** Filters, pages and open panels as URL parameters, so that a view can be shared and Back works. */
import { useSearch } from 'wouter';
import { isRecord } from '../narrow.ts';
import { navigate } from './guard.ts';

/** Parameters to set; null or an empty text removes one. */
export type UrlChange = Record<string, string | null>;

interface Options {
  /** Adds a step to the history, which Back undoes; otherwise the current step is replaced. */
  push?: boolean;
}

/** State of a history step that opened a panel; closing the panel then goes back. */
const OPENED = { opened: true };

export function useUrlParams(): URLSearchParams {
  return new URLSearchParams(useSearch());
}

/** Returns the current URL with some parameters changed. */
export function addressWith(change: UrlChange): string {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === '') params.delete(name);
    else params.set(name, value);
  }
  return params.size === 0 ? location.pathname : `${location.pathname}?${params}`;
}

export function setUrlParams(change: UrlChange, { push = false }: Options = {}): void {
  const address = addressWith(change);
  if (address === location.pathname + location.search) return;
  if (push) navigate(address);
  else navigate(address, { replace: true, state: history.state as unknown });
}

/** Opens a panel by its parameters, as a new history step. */
export const openByUrl = (change: UrlChange): void => navigate(addressWith(change), { state: OPENED });

/** Closes a panel: goes back to its opener, or removes its parameters when the page started with the panel. */
export function closeByUrl(change: UrlChange): void {
  const state: unknown = history.state;
  if (isRecord(state) && state['opened'] === true) return history.back();
  setUrlParams(change);
}
