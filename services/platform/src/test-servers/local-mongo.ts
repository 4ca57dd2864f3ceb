import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { ChildServer, freePorts } from './child-server.ts';
import { runCommand } from './run-command.ts';
import type { LaunchedServer, LaunchOptions } from './server.ts';

/** A test stand-in that speaks MongoDB's wire protocol; never part of the product. */
const PACKAGE = 'SecantusDB==0.7.0b3';

const folderOf = () => join(cacheFolder(), PACKAGE.toLowerCase().replace('==', '-'));
/** A virtual environment holds its own path: it is built where it stays and marked when it is whole. */
const COMPLETE = 'complete';

/** Whether nothing has to be downloaded any more. */
export function isLocalMongoPrepared(): boolean {
  return existsSync(join(folderOf(), COMPLETE));
}

/** Path of the server's program; installed by pip once a version. Call under a lock. */
export async function prepareLocalMongo(): Promise<string> {
  const folder = folderOf();
  const program = join(folder, 'bin', 'secantusd-py');
  if (isLocalMongoPrepared()) return program;
  rmSync(folder, { recursive: true, force: true });
  await runCommand('python3', ['-m', 'venv', folder]);
  await runCommand(join(folder, 'bin', 'pip'), ['install', '-q', PACKAGE]);
  writeFileSync(join(folder, COMPLETE), '');
  return program;
}

/** Data in a temporary folder; every commit is flushed, so that a killed server keeps what it acknowledged. */
export async function launchLocalMongo(program: string, options: LaunchOptions): Promise<LaunchedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-mongo-'));
  const [port = 0] = await freePorts(1);
  const args = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', join(folder, 'data')];
  const flags = ['--sync-on-commit', '--enable-test-commands', '--log-level', 'ERROR'];
  const server = new ChildServer(program, [...args, ...flags], port);
  await server.start();
  const url = (at: number) => `mongodb://127.0.0.1:${at}/?directConnection=true`;
  return {
    address: url(port),
    proxied: options.proxyPort === undefined ? undefined : url(options.proxyPort),
    proxyTarget: port,
    kill: () => server.end('SIGKILL'),
    halt: () => server.end('SIGTERM'),
    restart: () => server.start(),
    async stop() {
      await server.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
