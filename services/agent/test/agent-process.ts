/** Runs the real agent in its own process against a stub server. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { StubServer } from './stub-server.ts';

const SENTINEL = fileURLToPath(new URL('../../bin/sentinel.mjs', import.meta.url));
const UUID = '01900000-0000-7000-8000-0000000000';
/** Allows for a machine that is busy with other tests. */
export const DEADLINE_MS = 120_000;
/** Time-out of a test file with several processes on a busy machine, in ms. */
export const FILE_MS = 900_000;

export type WatchedFile = AgentConfiguration['files'][number];

/** Returns the id of file number n, n + 16 below 256. */
export const fileId = (n: number): string => `${UUID}${(n + 16).toString(16)}`;
export const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface AgentProcess {
  readonly pid: number;
  /** Returns the process's output on stderr. */
  said(): string;
  /** Returns the process's output on stdout. */
  printed(): string;
  /** Returns the exit code; undefined while the process runs. */
  code(): number | null | undefined;
  ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Stage {
  readonly folder: string;
  readonly state: string;
  readonly config: string;
  readonly server: StubServer;
  readonly configuration: AgentConfiguration;
  path(name: string): string;
  /** Starts the agent; `options` follow the command. */
  start(env?: Readonly<Record<string, string>>, state?: string, options?: readonly string[]): AgentProcess;
  /** Returns the changes of the file's reports, in order of arrival. */
  changes(id?: string): string[];
}

/** Returns the configuration of a device with these files in `folder` and the server at `address`. */
export const configurationOf = (
  folder: string,
  address: string,
  files: readonly Partial<WatchedFile>[],
): AgentConfiguration => ({
  orgId: `${UUID}01`,
  devId: `${UUID}02`,
  apiKey: 'sk1.test',
  healthInterval: 10,
  workingDirectory: folder,
  sentinelAddress: address,
  clearOrphanedProcesses: true,
  files: files.map((file, n) => ({
    id: fileId(n),
    path: `${n}.log`,
    type: 'FOLLOW',
    rolled: false,
    modifiable: true,
    data: 'text',
    ...file,
  })),
});

/** Sets up a folder, a listening stub server, and the configuration for the files. */
export async function stage(t: Test, ...files: readonly Partial<WatchedFile>[]): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-agent-'));
  const server = new StubServer();
  const configuration = configurationOf(folder, await server.listen(), files);
  server.configuration = configuration;
  const config = join(folder, 'agent.json');
  writeFileSync(config, JSON.stringify(configuration));
  const running: AgentProcess[] = [];
  t.teardown(async () => {
    await Promise.all(running.map((agent) => agent.kill()));
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const state = join(folder, 'state');
  return {
    folder,
    state,
    config,
    server,
    configuration,
    path: (name) => join(folder, name),
    start: (env = {}, own = state, options = []) => {
      const agent = startAgent(['--config', config, '--state', own, ...options], env);
      running.push(agent);
      return agent;
    },
    changes: (id) => server.reports.filter((r) => id === undefined || r.fileId === id).map((r) => r.change),
  };
}

function startAgent(args: readonly string[], env: Readonly<Record<string, string>>): AgentProcess {
  const child = spawn(process.execPath, [SENTINEL, 'agent', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  let code: number | null | undefined;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (value) => resolve((code = value)));
  });
  return {
    pid: child.pid ?? 0,
    said: () => said,
    printed: () => printed,
    code: () => code,
    ended,
    kill: async (signal = 'SIGKILL') => {
      if (code === undefined) child.kill(signal);
      return ended;
    },
  };
}
