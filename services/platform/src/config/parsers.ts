import { isIP } from 'node:net';
import { mailboxOf } from '../mail/mailbox.ts';
import { isLoopback } from './loopback.ts';

/** `problem` states which value to give instead, so that it can follow "the value is wrong; ". */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };
export type Parser<T> = (text: string) => Parsed<T>;

export const anyText: Parser<string> = (text) => ({ value: text });

export function wholeNumber(minimum: number, maximum: number): Parser<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum
      ? { value }
      : { problem: `give a whole number from ${minimum} to ${maximum}` };
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Parser<T> {
  return (text) => {
    const value = allowed.find((candidate) => candidate === text);
    return value === undefined ? { problem: `give ${allowed.join(' or ')}` } : { value };
  };
}

export function matching(pattern: RegExp, what: string): Parser<string> {
  return (text) => (pattern.test(text) ? { value: text } : { problem: `give ${what}` });
}

/** Accepts an absolute URL with one of `schemes` (`https:`) and returns it unchanged. */
export function url(...schemes: readonly string[]): Parser<string> {
  return (text) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol)
      ? { value: text }
      : { problem: `give a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}` };
}

/** Accepts a URL to which secrets are sent: `https:`, and `http:` on this machine, where nobody is on the way. */
export const secureUrl: Parser<string> = (text) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(parsed.hostname));
  return isSafe
    ? { value: text }
    : { problem: 'give a URL that begins with https:// (http:// on this machine only)' };
};

/** Accepts `http(s)://host[:port]` without path, query or credentials. */
export const origin: Parser<string> = (text) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const plain = parsed !== undefined && [parsed.origin, `${parsed.origin}/`].includes(parsed.href);
  return plain && /^https?:$/.test(parsed.protocol)
    ? { value: parsed.origin }
    : { problem: 'give http:// or https://, a host and perhaps a port, without a path' };
};

export function developmentOr(parser: Parser<string>): Parser<string> {
  return (text) => {
    if (text === 'dev') return { value: text };
    const parsed = parser(text);
    return 'problem' in parsed ? { problem: `${parsed.problem}, or dev` } : parsed;
  };
}

/**
 * Accepts `smtp(s)://user:password@host:port`, user and password percent-encoded. A path, a query or a fragment is what follows
 * a character of a password that is not: the host before it would be a part of the user's name.
 */
export const mailServer: Parser<string> = (text) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const isServer =
    parsed !== undefined &&
    /^smtps?:$/.test(parsed.protocol) &&
    parsed.hostname !== '' &&
    parsed.search + parsed.hash === '' &&
    ['', '/'].includes(parsed.pathname) &&
    percentDecoded(parsed.username + parsed.password) !== undefined;
  return isServer
    ? { value: text }
    : {
        problem:
          'give smtp:// or smtps://, user:password@ if needed, a host and perhaps a port; in user and password write %25 for %, %23 for #, %2F for /, %3F for ?, %40 for @',
      };
};

/** Returns undefined for a `%` that encodes nothing. The bundler drops a call whose result is not used. */
function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Accepts an address in the form that `mailboxOf` accepts. */
export const mailbox: Parser<string> = (text) =>
  mailboxOf(text) === undefined
    ? { problem: 'give an address, name@domain, or a name with it: Name <name@domain>' }
    : { value: text };

/** Accepts a host name or address to listen on. */
export const listenHost: Parser<string> = (text) =>
  isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)
    ? { value: text }
    : { problem: 'give an IP address or a host name, without a port' };

const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];

/** Accepts comma-separated addresses, CIDR ranges, or the groups that proxy-addr knows. */
export const addressList: Parser<readonly string[]> = (text) => {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.every((entry) => PROXY_GROUPS.includes(entry) || isAddressRange(entry))
    ? { value: entries }
    : {
        problem: `give addresses or ranges (10.0.0.0/8), or ${PROXY_GROUPS.join(', ')}, with commas between`,
      };
};

/** Returns whether the text is an address, or a range in CIDR notation. */
export function isAddressRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

const BROKER = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?):(\d{1,5})$/;

/** Accepts `host:port` entries, separated by commas. */
export const brokerList: Parser<readonly string[]> = (text) => {
  const entries = text.split(',').map((entry) => entry.trim());
  const right = entries.every((entry) => {
    const port = Number(BROKER.exec(entry)?.[3] ?? 0);
    return port >= 1 && port <= 65_535;
  });
  return right ? { value: entries } : { problem: 'give host:port, several with commas between' };
};
