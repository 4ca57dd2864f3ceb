/**
 * Ports for servers of tests, which must know their ports long before they listen, and come back to them after they
 * were killed.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@sentinel-node/platform/free-port';
import { cacheFolder, giveUp, tryHold } from './cache.ts';

/** Below the ports that the product draws for itself, and below those of outgoing connections. */
const FIRST_PORT = 10_000;
const LAST_PORT = 19_999;

const held = new Set<string>();

/**
 * Returns different ports of 127.0.0.1 that nobody listens on. Each is this process's until the process ends: no other
 * process of this machine gets it here, whether a server listens on it or not.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort('127.0.0.1', () => randomInt(FIRST_PORT, LAST_PORT + 1));
    if (reserve(port)) ports.push(port);
  }
  return ports;
}

/** Returns whether the port is this process's now, and was nobody's before. */
function reserve(port: number): boolean {
  const file = join(cacheFolder('ports'), String(port));
  if (!tryHold(file)) return false;
  if (held.size === 0) process.once('exit', () => held.forEach(giveUp));
  held.add(file);
  return true;
}
