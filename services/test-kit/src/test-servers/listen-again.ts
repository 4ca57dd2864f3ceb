import type { Server } from 'node:net';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { freePort } from '@sentinel-node/platform/free-port';

const HOST = '127.0.0.1';
/** Ports that are tried when the caller has none: two processes can draw the same one. */
const TRIES = 10;

/**
 * Listens on `port` of 127.0.0.1, at 0 on a free one. The free one lies outside of the range for outgoing connections, so that
 * none of them takes it while the server is away for a time.
 * @returns the port
 * @throws Error of node:net, for instance when another program has taken the port meanwhile
 */
export async function listenAgain(server: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const wanted = port === 0 ? await freePort(HOST) : port;
    try {
      await listen(server, wanted);
      return wanted;
    } catch (error) {
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || tries === TRIES) throw error;
    }
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
