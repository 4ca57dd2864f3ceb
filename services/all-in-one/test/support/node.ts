/** The real system in its own process, on a data folder that outlives the process. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '@sentinel-node/agent/bundle';
import type { Test } from 'tap';
import { startChild, type Child, type Ended } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { until } from './until.ts';

export const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** `src/run.ts`, as `npm start` runs it. */
export const RUN = programOf('all-in-one', 'services/all-in-one/dist/src/run.js');
/** Program of the command line. */
export const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');

type Variables = Readonly<Record<string, string>>;

/** Returns the path of a bundled program, or of the compiled file when the bundle is older. */
export function programOf(name: string, compiled: string): string {
  const bundle = bundleFolder();
  return bundle === undefined ? join(ROOT, compiled) : fileURLToPath(new URL(`${name}.js`, bundle));
}

/** Settings for tests: a free port, no demonstration, only warnings in the log, and many calls per person. */
export const QUIET: Variables = {
  SENTINEL_LIMIT_USER_CALLS: '100000',
  SENTINEL_PORT: '0',
  SENTINEL_DEMO: 'off',
  SENTINEL_LOG_LEVEL: 'warn',
};

const SAID_CHARACTERS = 2_000;

/** Address of a server that does not run: no server listens on port 0. */
const NOWHERE = 'http://127.0.0.1:0';

export class Node {
  readonly dataDir: string;
  readonly #t: Test;
  readonly #program: string;
  #env: Variables;
  #child: Child | undefined;
  #url = NOWHERE;

  /** @param program another version's, by its path */
  constructor(t: Test, env: Variables = {}, dataDir = temporaryFolder(t), program = RUN) {
    this.#t = t;
    this.#program = program;
    this.dataDir = dataDir;
    this.#env = { ...QUIET, SENTINEL_DATA_DIR: dataDir, ...env };
  }

  /** Address since the last start; each start uses another port. */
  get url(): string {
    return this.#url;
  }

  urlOf(): string {
    return this.#url;
  }

  get child(): Child {
    if (this.#child === undefined) throw new Error('it was not started');
    return this.#child;
  }

  /** Returns the end of the log. */
  said(): string {
    return this.child.stderr().slice(-SAID_CHARACTERS);
  }

  /**
   * Starts the system on the same folder and waits until it is ready, at most `patienceMs` for each step.
   * @returns the ms that this took
   */
  async start(
    env: Variables = {},
    { patienceMs, ...options }: { readonly detached?: boolean; readonly patienceMs?: number } = {},
  ): Promise<number> {
    const began = performance.now();
    this.#env = { ...this.#env, ...env };
    const child = startChild(this.#t, [this.#program], this.#env, options);
    this.#child = child;
    void child.ended.then(({ code }) => {
      // The end was unexpected: show its output.
      if (code !== 0 && code !== null)
        this.#t.comment(`it ended with ${code}: ${child.stdout()}${child.stderr()}`);
    });
    const said = (): string | undefined => {
      if (child.end() !== undefined) throw new Error(`it ended at once:\n${child.stdout()}${child.stderr()}`);
      return /^ {2}console {5}(\S+)$/m.exec(child.stderr())?.[1];
    };
    const open = await until('the words of a system that is ready', said, patienceMs);
    this.#url = open.replace('//localhost:', '//127.0.0.1:');
    await until('/readyz', async () => ((await isReady(this.#url)) ? true : undefined), patienceMs);
    return performance.now() - began;
  }

  /**
   * Kills the process (kill -9). Until the next start the address is `NOWHERE`, because another process may
   * get the port.
   */
  kill(): Promise<Ended> {
    this.#url = NOWHERE;
    return this.child.kill();
  }

  /** Ends the process. @returns exit code, signal, and the ms until the end */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<Ended & { readonly ms: number }> {
    const began = performance.now();
    this.#url = NOWHERE;
    this.child.process.kill(signal);
    return { ...(await this.child.ended), ms: performance.now() - began };
  }
}

export async function startedNode(t: Test, env: Variables = {}): Promise<Node> {
  const node = new Node(t, env);
  await node.start();
  return node;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
