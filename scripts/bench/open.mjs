/** Starts the processes of a run. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.mjs';

const THREAD_NAME = new URL('thread-name.mjs', import.meta.url).href;
/** Secret for folders of benchmarks only; at least 32 characters. */
export const SECRET = 'a secret that only a benchmark has, and no longer than it runs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** The npm script that starts each kind of server in production. */
const SCRIPTS = { system: 'start', query: 'start:query' };

/** Returns the flags of the runtime, which are part of the measurement. */
const flagsOf = (kind) => (scripts[SCRIPTS[kind]] ?? '').split(' ').filter((word) => word.startsWith('--'));

/** Starts a process of server.mjs, which has opened no server yet. */
export function serverProcess(folder, kind) {
  const threads = join(folder, 'threads');
  mkdirSync(threads, { recursive: true });
  const extra = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  return new Child('server.mjs', {
    execArgv: [`--import=${THREAD_NAME}`, ...flagsOf(kind), ...extra],
    env: { BENCH_THREADS: threads, KAFKAJS_NO_PARTITIONER_WARNING: '1' },
  });
}

/** @param {string} kind of server.mjs @returns its process, and the url at which it listens */
export async function openServer(kind, folder, options) {
  const server = serverProcess(folder, kind);
  const { url } = await server.ask('open', {
    kind,
    folder: join(folder, 'data'),
    secret: SECRET,
    ...options,
  });
  return { server, url };
}

/** Opens the query service alone, on existing data. */
export const openQueryServer = (folder) => openServer('query', folder, {});

export const openLoad = () => new Child('load.mjs');

export function say(text) {
  process.stdout.write(`  ${text}\n`);
}
