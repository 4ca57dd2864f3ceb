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

function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}
