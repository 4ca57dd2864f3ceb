import type { Server } from 'node:net';
import { FairPool } from '../limits/fair-pool.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { PLATFORM_POOLS } from '../pools.ts';
import { addressKey } from '../rate/address-key.ts';
import { HTTP_CONNECTIONS } from './timeouts.ts';

/**
 * Closes a connection at once when the process, or its address, has too many. Behind trusted proxies every connection
 * comes from a proxy, so only the limit of the process applies.
 * @pool http-connections
 */
export function shareConnections(
  server: Server,
  metrics: Metrics,
  isBehindProxies: boolean,
  whole: number = HTTP_CONNECTIONS,
): void {
  const pool = new FairPool({ unit: 'connections', whole, perMember: whole });
  metrics.pool(PLATFORM_POOLS['http-connections'], () => pool.used);
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    const address = addressKey(socket.remoteAddress ?? '');
    // Each connection gets its own group, which finds room while any connection is free.
    const group = isBehindProxies ? `${count}` : address;
    const share = pool.hold(group, group);
    socket.once('close', () => share.release());
    try {
      share.take(1);
    } catch {
      socket.destroy();
    }
  });
}
