/** What a person looks at stands in the address: filters, pages and open panels, so that it can be sent and Back works. */
import { useSearch } from 'wouter';
import { isRecord } from '../narrow.ts';
import { navigate } from './guard.ts';

/** Parameters to set; null or an empty text takes one away. */
export type UrlChange = Record<string, string | null>;

interface Options {
  /** A new step of the history, which Back takes back; without it the present step is changed. */
  push?: boolean;
}

/** Marks a step of the history that opened a panel, so that closing the panel goes back. */
const OPENED = { opened: true };

export function useUrlParams(): URLSearchParams {
  return new URLSearchParams(useSearch());
}

/** The present address with some parameters changed. */
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

/** Opens a panel by its parameters, as a step of the history. */
export const openByUrl = (change: UrlChange): void => navigate(addressWith(change), { state: OPENED });

/** Closes it: back to where it was opened from, or, when the page began with it, to the page without it. */
export function closeByUrl(change: UrlChange): void {
  const state: unknown = history.state;
  if (isRecord(state) && state['opened'] === true) return history.back();
  setUrlParams(change);
}
