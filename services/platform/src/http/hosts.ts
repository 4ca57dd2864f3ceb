import { isLoopback } from '../config/loopback.ts';

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns a check whether a Host header names this service, so that foreign names that resolve to it (DNS rebinding)
 * are refused. Only names count: tunnels and proxies change the port, which does not identify the caller.
 */
export function hostCheck(publicUrl: string, listenHost: string): (host: string | undefined) => boolean {
  const allowed = new Set([new URL(publicUrl).hostname]);
  if (isLoopback(listenHost)) for (const name of OWN_NAMES) allowed.add(name);
  return (host) => host !== undefined && allowed.has(nameOf(host));
}

/**
 * Returns the host that a request names: that of an absolute target (`GET http://host/path`), whatever the Host header
 * says (RFC 9112, 3.2.2), else that of the header.
 */
export function requestedHost(target: string, header: string | undefined): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? header;
}

function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}
