import { isLoopback } from './loopback.ts';
import type { Parser } from './parsers.ts';

export interface LedgerAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly api: 'arc' | 'arcade';
}

const ARCADE = 'arcade+';
const PROBLEM =
  'give https:// URLs with commas between (arcade+https:// for an Arcade; http:// on this machine only), without user, query or fragment, or dev';

/** Parses `dev`, or the URLs of ARC services in the order in which they are asked. */
export const ledgerAddresses: Parser<'dev' | readonly LedgerAddress[]> = (text) => {
  if (text === 'dev') return { value: text };
  const found = text.split(',').map((entry) => addressOf(entry.trim()));
  const addresses = found.filter((address) => address !== undefined);
  return addresses.length === found.length ? { value: addresses } : { problem: PROBLEM };
};

function addressOf(entry: string): LedgerAddress | undefined {
  const api = entry.startsWith(ARCADE) ? 'arcade' : 'arc';
  const plain = api === 'arcade' ? entry.slice(ARCADE.length) : entry;
  if (!URL.canParse(plain)) return undefined;
  const { protocol, hostname, username, password, search, hash, href } = new URL(plain);
  // Anyone on the way could read a token on a plain connection.
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  const isPlain = [username, password, search, hash].every((part) => part === '');
  return isSafe && isPlain ? { url: href.replace(/\/+$/, ''), api } : undefined;
}

/** Parses one key a service, separated by commas; an empty key means none. */
export const ledgerKeys: Parser<readonly string[]> = (text) =>
  /^[\x21-\x7e]*$/.test(text)
    ? { value: text.split(',') }
    : { problem: 'give visible characters, one key a service, with commas between' };
