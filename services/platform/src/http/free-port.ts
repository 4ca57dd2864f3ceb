import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { codeOf } from '@sentinel-node/contracts/thrown';

/**
 * Ports that outgoing connections do not get by default: Linux gives those from 32,768, macOS and Windows those from 49,152
 * (RFC 6335). Kubernetes gives node ports from 30,000.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
/** Ports that are tried before the search ends. */
const TRIES = 100;

/**
 * Returns a port that nobody listens on now, for a program that must know its port before it listens. The port lies outside
 * of the range for outgoing connections, so that no connection takes it meanwhile.
 * @throws Error of node:net when the host cannot be listened on
 */
export async function freePort(
  host: string,
  draw: () => number = () => randomInt(FIRST_PORT, LAST_PORT + 1),
): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = draw();
    try {
      await tryPort(host, port);
      return port;
    } catch (error) {
      const isOfPort = codeOf(error) === 'EADDRINUSE' || codeOf(error) === 'EACCES'; // EACCES: reserved by the system
      if (!isOfPort || tries === TRIES) throw error;
    }
  }
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}
