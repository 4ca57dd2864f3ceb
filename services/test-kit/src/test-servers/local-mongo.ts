import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildServer, controlsOf, freePorts } from './child-server.ts';
import { isPythonPrepared, preparePython } from './python-environment.ts';
import type { LaunchedServer, LaunchOptions } from './server.ts';

/** Test stand-in that speaks MongoDB's wire protocol; never part of the product. */
const PACKAGE = 'SecantusDB==0.7.0b3';

/**
 * Starts the stand-in with three changes.
 *
 * Its rename is not atomic: a simultaneous write leaves two documents with one `_id`, or a server that does not
 * answer any more. MongoDB locks both collections; here the whole server is locked, so that the rename runs alone.
 *
 * Before and after each write, the stand-in searches all writes of the last half hour for old ones, which was half of
 * its work in a test of minutes. Here it searches once a second.
 *
 * It flushes each commit to the disk, and dropping a database is a commit for each key, under a lock that every read
 * waits for: minutes on a busy disk. Here a commit ends in the system's page cache, which outlives the killed
 * process; no test cuts the power.
 */
const START_SCRIPT = `
import sys, threading, time
from secantus import server, storage
from secantus.cli import main
from secantus.transactions import TransactionRegistry

turn = threading.Condition()
running = renaming = 0
dispatch = server.dispatch

def one_step_rename(doc, ctx):
    global running, renaming
    name = next(iter(doc), "")
    if name in ("hello", "isMaster", "ismaster"):  # waits for news of the topology, and touches no collection
        return dispatch(doc, ctx)
    alone = name == "renameCollection"
    with turn:
        turn.wait_for(lambda: not renaming)
        renaming += alone
        running += 1
        turn.wait_for(lambda: not alone or running == 1)
    try:
        return dispatch(doc, ctx)
    finally:
        with turn:
            renaming -= alone
            running -= 1
            turn.notify_all()

server.dispatch = one_step_rename

prune = TransactionRegistry._prune_retryable_locked
pruned_at = 0

def prune_once_a_second(self):
    global pruned_at
    if time.monotonic() - pruned_at >= 1:
        pruned_at = time.monotonic()
        prune(self)

TransactionRegistry._prune_retryable_locked = prune_once_a_second

open_engine = storage.wt.wiredtiger_open
commit = storage._commit_batch_transaction

def open_without_flush(home, config):
    flushed = "transaction_sync=(enabled=true,method=fsync)"
    assert flushed in config
    return open_engine(home, config.replace(flushed, "transaction_sync=(enabled=true,method=none)"))

storage.wt.wiredtiger_open = open_without_flush
storage._commit_batch_transaction = lambda session, sync: commit(session, False)
sys.exit(main())
`;

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
  const program = ['-c', START_SCRIPT];
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
