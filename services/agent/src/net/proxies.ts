/** The proxies of `HTTPS_PROXY` and `HTTP_PROXY`, and the servers of `NO_PROXY` that are called without one. */
import { BlockList, isIP } from 'node:net';
import { AgentConfigError } from '../config-error.ts';

/** A proxy, with the variable that names it. */
export interface Proxy {
  readonly variable: string;
  readonly address: string;
}

export interface Proxies {
  readonly ofHttp: Proxy | undefined;
  readonly ofHttps: Proxy | undefined;
  readonly noProxy: string;
}

/** Reads the variables; lower case comes first, and `HTTP_PROXY` also counts for https. @throws AgentConfigError */
export function proxiesIn(env: NodeJS.ProcessEnv): Proxies {
  const ofHttp = proxyIn(env, 'http_proxy', 'HTTP_PROXY');
  return {
    ofHttp,
    ofHttps: proxyIn(env, 'https_proxy', 'HTTPS_PROXY') ?? ofHttp,
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  };
}

/** Returns the proxy for a call; undefined when it goes to the server itself. */
export function proxyFor(url: URL, { ofHttp, ofHttps, noProxy }: Proxies): Proxy | undefined {
  const proxy = url.protocol === 'https:' ? ofHttps : ofHttp;
  return proxy === undefined || isExcepted(url, noProxy) ? undefined : proxy;
}

function proxyIn(env: NodeJS.ProcessEnv, ...names: readonly string[]): Proxy | undefined {
  const variable = names.find((name) => env[name] !== undefined);
  const given = variable === undefined ? '' : (env[variable] ?? '').trim();
  if (variable === undefined || given === '') return undefined;
  // As curl takes it: HOST:PORT is a proxy of http.
  const address = given.includes('://') ? given : `http://${given}`;
  // The value is not repeated: it can hold a password.
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new AgentConfigError(`${variable} is no address of a proxy: give http://HOST:PORT`);
  return { variable, address };
}

/** Returns whether an entry of `NO_PROXY` is the server's: a name, `.domain`, an address or a network, each also with a port. */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const ofServer = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return noProxy.split(/[,\s]+/).some((entry) => {
    const { name, port: only } = entryOf(entry.toLowerCase());
    return name !== '' && (only === undefined || only === ofServer) && isOf(host, name);
  });
}

/** Splits `HOST:PORT` and `[ADDRESS]:PORT`; an address of IPv6 without brackets has no port. */
function entryOf(entry: string): { readonly name: string; readonly port: string | undefined } {
  if (isIP(entry) === 6) return { name: entry, port: undefined };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? entry, port };
}

function isOf(host: string, name: string): boolean {
  if (name === '*') return true;
  if (/^[.*]/.test(name)) return host.endsWith(name.replace(/^\*/, ''));
  const family = isIP(host);
  if (family === 0 || !name.includes('/')) return host === name || isSameAddress(host, name);
  const [network = '', bits = ''] = name.split('/');
  const isNetwork =
    isIP(network) === family && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  if (!isNetwork) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether both are one address of IPv6 in two spellings. */
function isSameAddress(host: string, name: string): boolean {
  if (isIP(host) !== 6 || isIP(name) !== 6) return false;
  const list = new BlockList();
  list.addAddress(name, 'ipv6');
  return list.check(host, 'ipv6');
}
