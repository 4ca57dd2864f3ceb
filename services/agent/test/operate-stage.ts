/** Runs `sentinel agent` as a process with a server, configurations and a proxy. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { ServerOptions } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { StubServer } from './stub-server.ts';

export { DEADLINE_MS, FILE_MS, hashOf, until } from './agent-process.ts';

export const UUID = '01900000-0000-7000-8000-0000000000';
export const SENTINEL = fileURLToPath(new URL('../../bin/sentinel.mjs', import.meta.url));
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param uid user of the process; undefined for the test's own
 * @param fileKiB the most that the process can write to a file, as on a full disk; undefined: as it is
 */
export function sentinel(
  t: Test,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  command = 'agent',
  uid?: number,
  fileKiB?: number,
) {
  const own = [process.execPath, SENTINEL, command, ...args] as const;
  const limited = ['bash', '-c', `ulimit -f ${fileKiB}; exec "$@"`, 'bash', ...own] as const;
  const [program, ...given] = fileKiB === undefined ? own : limited;
  const child = spawn(program, given, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
  t.teardown(() => child.kill('SIGKILL'));
  return { child, ended, said: () => stderr };
}

/** Sets up a folder with device configurations in `configurations`, and a server, with HTTPS when `tls` is given. */
export async function setUp(t: Test, tls?: ServerOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-operate-'));
  const server = new StubServer(tls);
  const sentinelAddress = await server.listen();
  const configurations = join(folder, 'configurations');
  await mkdir(configurations);
  t.teardown(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const configuration = (device: number, paths: readonly string[], interval = 3_600): AgentConfiguration => ({
    orgId: `${UUID}01`,
    devId: `${UUID}${10 + device}`,
    apiKey: 'sk1.test',
    healthInterval: 3_600,
    workingDirectory: folder,
    sentinelAddress,
    clearOrphanedProcesses: true,
    files: paths.map((path, index) => ({
      id: `${UUID}${20 + 10 * device + index}`,
      path,
      type: 'PROBE' as const,
      interval,
      rolled: false,
      modifiable: true,
      data: 'text' as const,
    })),
  });
  const put = async (name: string, value: AgentConfiguration): Promise<string> => {
    const file = join(configurations, name);
    await writeFile(file, JSON.stringify(value));
    server.configurations.set(value.devId, value);
    return file;
  };
  const state = join(folder, 'state');
  return { folder, server, configurations, configuration, put, state };
}

/** Starts a proxy that connects to every requested host and records the requests in `asked`. */
export async function openProxy(t: Test): Promise<{ readonly asked: string[]; readonly address: string }> {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, socket) => {
    asked.push(String(request.url));
    const [host, port] = String(request.url).split(':');
    const onwards = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onwards).pipe(socket);
    });
    onwards.on('error', () => socket.destroy());
    socket.on('error', () => onwards.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  return { asked, address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

/** Values of `--timeout` to be tried one after the other with `hangingLook`, in seconds. */
export const HANGING_TIMES = ['1', '8', '64'] as const;

/** Sets up a file whose look hangs in the system. The arguments of `sentinel agent` lack the value of `--timeout`. */
export async function hangingLook(t: Test) {
  const { folder, configuration, put, state } = await setUp(t);
  await symlink('target.log', join(folder, 'a.log'));
  await writeFile(join(folder, 'target.log'), 'one\n');
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const file = await put('a.json', configuration(0, ['a.log']));
  return {
    state,
    args: ['--config', file, '--state', state, '--once', '--timeout'],
    env: {
      NODE_OPTIONS: `--import ${new URL('preload-hang.js', import.meta.url).href}`,
      SENTINEL_TEST_HANG: join(folder, 'a.log'),
      SENTINEL_TEST_FIFO: fifo,
    },
    /** Returns whether a look has begun to hang. */
    hangs: () => existsSync(`${fifo}.hangs`),
  };
}
