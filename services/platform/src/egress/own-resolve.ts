/**
 * Resolves names over sockets of its own: `dns.lookup` holds threads of the process, of which a name that nobody answers for takes one
 * for many seconds, and the database, the log and other receivers wait for the same few threads.
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { systemResolve, type Resolve } from './guarded-lookup.ts';

export interface OwnResolveOptions {
  /** Text of the file of hosts and of `resolv.conf`; default: those of the machine. */
  readonly hosts?: () => Promise<string>;
  readonly resolvConf?: () => Promise<string>;
  /** Addresses with ports of the name servers; default: those of the machine. */
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

/** Time for the first question; c-ares waits longer for a further one. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** As in resolv.conf(5). */
const MOST_DOTS = 15;

/** The name, or its records of this family, are not there. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
/** The name server cannot tell about this name, and may about another one. */
const UNTOLD = 'ESERVFAIL';

/** Elsewhere names come from other places than these files. */
export const defaultResolve = (): Resolve => (process.platform === 'linux' ? ownResolve() : systemResolve);

const fileOf = (path: string) => async (): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
};

/**
 * Returns a `Resolve` that knows `/etc/hosts`, and asks the name servers of `/etc/resolv.conf` with its search list (hosts(5),
 * resolv.conf(5)), as the C library does. Other sources of `nsswitch.conf` are not asked.
 */
export function ownResolve(options: OwnResolveOptions = {}): Resolve {
  const { hosts = fileOf('/etc/hosts'), resolvConf = fileOf('/etc/resolv.conf') } = options;
  return async (host) => {
    const known = addressesIn(await hosts(), host);
    if (known.length > 0) return known;
    let code = 'ENOTFOUND';
    for (const name of namesToAsk(host, await resolvConf())) {
      try {
        return await ask(name, options);
      } catch (error) {
        const found = codeOf(error) ?? 'error';
        if (found !== UNTOLD && !ABSENT.has(found)) throw notResolved(host, found);
        // A name without an answer may exist all the same: that is no lasting answer.
        if (code !== UNTOLD) code = found;
      }
    }
    throw notResolved(host, code);
  };
}

/** Names the host as it was given: the search list is of the operator, and a refusing name server is not the receiver. */
const notResolved = (host: string, code: string): Error =>
  Object.assign(new Error(`the name ${host} could not be resolved (${code})`), { code });

/** Returns the addresses of both families, IPv4 first. A family that fails is left out when the other one has addresses. */
async function ask(
  name: string,
  { servers, timeoutMs = TIMEOUT_MS }: OwnResolveOptions,
): Promise<LookupAddress[]> {
  // One for each name: it reads the name servers of the moment.
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const failures: unknown[] = [v4, v6].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  throw failures.find((failure) => !ABSENT.has(codeOf(failure) ?? '')) ?? failures[0];
}

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Returns the addresses of a name in the text of a file of hosts; those of `localhost` also without a line (RFC 6761, 6.3). */
export function addressesIn(hosts: string, host: string): LookupAddress[] {
  const wanted = withoutDot(host);
  const found = hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((name) => withoutDot(name) === wanted) ? [{ address, family }] : [];
  });
  const isLocal = wanted === 'localhost' || wanted.endsWith('.localhost');
  return found.length === 0 && isLocal ? [{ address: '127.0.0.1', family: 4 }] : found;
}

/** Returns the names to ask for, in their order. @param resolvConf text of `resolv.conf` */
export function namesToAsk(host: string, resolvConf: string): string[] {
  if (host.endsWith('.')) return [host];
  let search: string[] = [];
  let dots = 1;
  for (const line of resolvConf.split('\n')) {
    const [key, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    // The last line of either wins.
    if (key === 'search' || key === 'domain') search = values;
    if (key === 'options')
      for (const value of values) {
        const given = /^ndots:(\d+)$/.exec(value)?.[1];
        if (given !== undefined) dots = Math.min(Number(given), MOST_DOTS);
      }
  }
  const searched = search
    .map(withoutDot)
    .filter((domain) => domain !== '')
    .map((domain) => `${host}.${domain}`);
  const isFull = host.split('.').length > dots;
  return isFull ? [host, ...searched] : [...searched, host];
}
