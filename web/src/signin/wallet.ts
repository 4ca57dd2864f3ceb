import type { ConsoleConfig } from '../api/console-config.ts';
import { paths } from '../paths.ts';

const STORED_STATE = 'sentinel.login-state';
const SOURCE = 'sentinel-node';
const STATE_BYTES = 16;

function newState(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(STATE_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the address of the wallet's sign-in page. Stores the `state` that the return must carry. */
export function walletLoginUrl(config: ConsoleConfig, search: string): string {
  const state = newState();
  sessionStorage.setItem(STORED_STATE, state);
  const redirect = new URL(paths.authentication, location.origin);
  redirect.searchParams.set('state', state);
  const callback = new URL(`${config.apiBase}/e2walletlogin`, location.origin);
  const url = new URL(config.walletUrl, location.origin);
  url.searchParams.set('source', SOURCE);
  url.searchParams.set('redirect', redirect.href);
  url.searchParams.set('callback', callback.href);
  // The demonstration's sign-in link says who signs in; only the development wallet may be prefilled.
  const asked = new URLSearchParams(search);
  for (const name of ['email', 'name']) {
    const value = asked.get(name);
    if (value !== null && config.developmentParts.includes('wallet')) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Returns whether the return belongs to this tab's sign-in. Removes the stored state, so it works only once. */
export function takeLoginState(state: string | null): boolean {
  const kept = sessionStorage.getItem(STORED_STATE);
  sessionStorage.removeItem(STORED_STATE);
  return kept !== null && kept === state;
}
