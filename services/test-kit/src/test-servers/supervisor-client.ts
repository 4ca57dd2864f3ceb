import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheFolder, withLock } from './cache.ts';
import { TestServerUnavailableError } from './server.ts';
import type { KafkaSettings, LaunchedNode, ServerKind } from './server.ts';

/**
 * Time that a server runs without a user, in ms: between two test files of one run, nobody uses the server.
 */
const SHARED_LINGER_MS = 10_000;

export type SupervisorOperation = 'kill' | 'halt' | 'restart' | 'stop';
export type NodeOperation = keyof LaunchedNode;
export type SupervisorCommand =
  | { readonly op: SupervisorOperation; readonly node?: undefined }
  | { readonly op: NodeOperation; readonly node: number };

export interface Running {
  /** Port of the supervisor on 127.0.0.1. */
  readonly port: number;
  readonly address: string;
  readonly proxied?: string | undefined;
  readonly proxyTarget: number;
  /** Members of a cluster; 1 for a single server. */
  readonly nodes: number;
}
export type Supervised = Running | { readonly error: string; readonly unavailable: boolean };

/** One client's hold on a server. */
export interface Lease {
  readonly running: Running;
  /** Sends commands one after the other. */
  command(command: SupervisorCommand): Promise<void>;
  /** Resolves when the connection is closed. */
  release(): Promise<void>;
}

/** Starts a server for the caller alone. @throws TestServerUnavailableError */
export async function leaseOwn(kind: ServerKind, proxyPort = 0, kafka?: KafkaSettings): Promise<Lease> {
  return hold(await spawnSupervisor(kind, 0, proxyPort, kafka));
}

/** Returns the server that all running tests of this machine share. @throws TestServerUnavailableError */
export function leaseShared(kind: ServerKind): Promise<Lease> {
  const file = join(cacheFolder(), `${kind}-running.json`);
  return withLock(`share-${kind}`, async () => {
    try {
      return await hold(JSON.parse(readFileSync(file, 'utf8')) as Running);
    } catch {
      const running = await spawnSupervisor(kind, SHARED_LINGER_MS, 0);
      writeFileSync(file, JSON.stringify(running));
      return hold(running);
    }
  });
}

async function spawnSupervisor(
  kind: ServerKind,
  lingerMs: number,
  proxyPort: number,
  kafka?: KafkaSettings,
): Promise<Running> {
  const program = fileURLToPath(new URL('./supervisor.js', import.meta.url));
  const wishes = JSON.stringify(kafka === undefined ? {} : { kafka });
  const child = spawn(process.execPath, [program, kind, String(lingerMs), String(proxyPort), wishes], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', (error) => resolve(JSON.stringify({ error: error.message, unavailable: false })));
    child.once('exit', () => resolve('{"error": "the supervisor ended", "unavailable": false}'));
  });
  child.unref();
  child.stdout.destroy();
  const answer = JSON.parse(line) as Supervised;
  if (!('error' in answer)) return answer;
  throw answer.unavailable ? new TestServerUnavailableError(answer.error) : new Error(answer.error);
}

/** @throws Error when no supervisor, or another server's supervisor, is at the port */
async function hold(running: Running): Promise<Lease> {
  const socket = connect(running.port, '127.0.0.1');
  const lines = new LineReader(socket);
  if ((await lines.next()) !== running.address) {
    socket.destroy();
    throw new Error('the supervisor is gone');
  }
  const perform = async (command: SupervisorCommand) => {
    socket.write(`${JSON.stringify(command)}\n`);
    const { error } = JSON.parse((await lines.next()) ?? '{"error": "the supervisor is gone"}') as {
      error?: string;
    };
    if (error !== undefined) throw new Error(error);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    running,
    command(command) {
      const done = last.then(() => perform(command));
      last = done.catch(() => undefined);
      return done;
    },
    async release() {
      if (socket.closed) return;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.destroy();
      await closed;
    },
  };
}

/** Reads lines in order; undefined once the connection is closed. Only one call at a time. */
class LineReader {
  #closed = false;
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    createInterface({ input: socket })
      .on('line', (line) => {
        this.#lines.push(line);
        this.#wake();
      })
      .on('error', () => undefined);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#closed)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#lines.shift();
  }
}
