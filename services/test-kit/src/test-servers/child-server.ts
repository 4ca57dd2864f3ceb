import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { rmSync } from 'node:fs';
import type { LaunchedNode, LaunchedServer } from './server.ts';

const START_DEADLINE_MS = 120_000;
const HALT_DEADLINE_MS = 20_000;
const LOOK_AGAIN_MS = 25;
/** Characters of output that are kept for the message of a failed start. */
const KEPT_OUTPUT_CHARACTERS = 4_000;

/** A server as a child process on a port of 127.0.0.1. */
export class ChildServer {
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #port: number;
  /**
   * Pattern of the line that reports the server ready; undefined: the server is ready when it accepts connections.
   */
  readonly #ready: RegExp | undefined;
  #child: ChildProcess | undefined;
  #output = '';
  #isReady = false;

  constructor(command: string, args: readonly string[], port: number, ready?: RegExp) {
    this.#command = command;
    this.#args = args;
    this.#port = port;
    this.#ready = ready;
  }

  async start(): Promise<void> {
    this.#output = '';
    this.#isReady = this.#ready === undefined;
    const child = spawn(this.#command, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    child.on('error', (error) => (this.#output += error.message));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => this.#hear(String(data)));
    const deadline = Date.now() + START_DEADLINE_MS;
    while (!(this.#isReady && (await accepts(this.#port)))) {
      if (child.exitCode !== null || child.pid === undefined || Date.now() > deadline) {
        await this.end('SIGKILL');
        throw new Error(`${this.#command} did not start:\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** Stops or continues the process; its connections stay open. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Resolves when the process has ended; a process that does not end within the deadline is killed. */
  async end(signal: 'SIGTERM' | 'SIGKILL', deadlineMs = HALT_DEADLINE_MS): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
    await gone;
    clearTimeout(timer);
  }

  #hear(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARACTERS);
    if (this.#ready?.test(this.#output) === true) this.#isReady = true;
  }
}

/** Returns the controls that a test has over a member of a cluster. */
export function nodeControlsOf(server: ChildServer): LaunchedNode {
  return {
    kill: () => server.end('SIGKILL'),
    halt: () => server.end('SIGTERM'),
    restart: () => server.start(),
    freeze: async () => server.signal('SIGSTOP'),
    thaw: async () => server.signal('SIGCONT'),
  };
}

/** Returns the controls that a test has over `server`, whose data are in `folder`. */
export function controlsOf(
  server: ChildServer,
  folder: string,
): Pick<LaunchedServer, 'kill' | 'halt' | 'restart' | 'stop'> {
  return {
    kill: () => server.end('SIGKILL'),
    halt: () => server.end('SIGTERM'),
    restart: () => server.start(),
    async stop() {
      await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
