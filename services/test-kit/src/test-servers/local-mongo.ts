import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programFile } from '../program-file.ts';
import { ChildServer, controlsOf } from './child-server.ts';
import { freePorts } from './ports.ts';
import { isPythonPrepared, preparePython } from './python-environment.ts';
import type { LaunchedServer, LaunchOptions } from './server.ts';

/** Test stand-in that speaks MongoDB's wire protocol; never part of the product. */
const PACKAGE = 'SecantusDB==0.7.0b3';

/** Returns whether everything is downloaded. */
export const isLocalMongoPrepared = (): boolean => isPythonPrepared(PACKAGE);

/** Returns the path of a Python with the server. Call under a lock. */
export const prepareLocalMongo = (): Promise<string> => preparePython(PACKAGE);

/**
 * Launches the server with its data in a temporary folder; every commit leaves the process, so that a killed server
 * keeps acknowledged writes.
 */
export async function launchLocalMongo(python: string, options: LaunchOptions): Promise<LaunchedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-mongo-'));
  const [port = 0] = await freePorts(1);
  // `-B` keeps compiled files out of the tree.
  const program = ['-B', programFile('local_mongo.py')];
  const args = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', join(folder, 'data')];
  const flags = ['--sync-on-commit', '--enable-test-commands', '--log-level', 'ERROR'];
  const server = new ChildServer(python, [...program, ...args, ...flags], port);
  await server.start();
  const url = (at: number) => `mongodb://127.0.0.1:${at}/?directConnection=true`;
  return {
    address: url(port),
    proxied: options.proxyPort === undefined ? undefined : url(options.proxyPort),
    proxyTarget: port,
    ...controlsOf(server, folder),
  };
}
