import { chmodSync, closeSync, existsSync, mkdirSync, openSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import Database from 'libsql';
import { identityOf } from '../state/identity.ts';
import { StateInUseError } from './state-in-use-error.ts';

const LOCK_FILE = 'lock.db';
/** Code of a damaged file that nobody holds: SQLite asks for the lock before it reads the file. */
const NO_DATABASE = 'SQLITE_NOTADB';
/** Only the agent's user may open the lock's file: whoever reads it can hold up the lock. */
const LOCK_MODE = 0o600;

/**
 * Locks the state folder for this process, until the returned function is called or the process ends. The lock is the
 * operating system's (an exclusive SQLite transaction) and cannot outlive the process.
 * @param who name of the user in the error message
 * @param waitMs longest wait for another holder, which blocks this thread
 * @throws StateInUseError
 * @throws Error of node:fs or SQLite when the folder cannot be used
 */
export function lockState(stateDir: string, who = 'agent', waitMs = 0): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const inUse = `another ${who} is using the state folder ${stateDir}; stop it, or give this one another --state`;
  return lockFile(join(stateDir, LOCK_FILE), inUse, waitMs);
}

/**
 * Locks a file, which is made, like `lockState`.
 * @param inUse message when another process holds it
 * @throws StateInUseError
 * @throws Error of node:fs or SQLite when the file cannot be used
 */
export function lockFile(file: string, inUse: string, waitMs = 0): () => void {
  keepPrivate(file);
  let held: Database.Database | undefined = hold(file, inUse, waitMs);
  return () => {
    held?.exec('ROLLBACK');
    held?.close();
    held = undefined;
  };
}

/** @throws as `lockFile` */
function hold(file: string, inUse: string, waitMs: number, isEmptied = false): Database.Database {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file);
    // A journal on disk would need space when the transaction begins, and the disk may be full.
    lock.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
    return lock;
  } catch (error) {
    lock?.close();
    if (codeOf(error) === 'SQLITE_BUSY') throw new StateInUseError(inUse);
    if (codeOf(error) !== NO_DATABASE || isEmptied) throw error;
  }
  // The file holds nothing but the lock. It is emptied in its place: another agent that holds it by then is found by the next try.
  truncateSync(file);
  return hold(file, inUse, waitMs, true);
}

/** Makes the file if it is missing, and takes it from other users. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', LOCK_MODE));
  try {
    chmodSync(file, LOCK_MODE);
  } catch (error) {
    // The file of another user, in a folder that is shared on purpose.
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Holds the lock of a state folder, also after its file was removed. */
export class StateLock {
  readonly #stateDir: string;
  #identity: string | undefined;
  #unlock: () => void;

  /** @param waitMs, @throws as `lockState` */
  constructor(stateDir: string, waitMs: number) {
    this.#stateDir = stateDir;
    this.#unlock = lockState(stateDir, 'agent', waitMs);
    this.#identity = identityOf(join(stateDir, LOCK_FILE));
  }

  /**
   * Locks the folder again when the lock's file was removed or replaced: another agent could start otherwise.
   * @returns whether that was necessary @throws as `lockState`
   */
  renew(): boolean {
    const path = join(this.#stateDir, LOCK_FILE);
    if (identityOf(path) === this.#identity) return false;
    const unlock = lockState(this.#stateDir);
    this.#unlock();
    this.#unlock = unlock;
    this.#identity = identityOf(path);
    return true;
  }

  release(): void {
    this.#unlock();
  }
}

/**
 * Returns whether an agent holds the state folder now. Only reads, so that no agent fails to start because of the
 * check.
 */
export function isStateInUse(stateDir: string): boolean {
  const file = join(stateDir, LOCK_FILE);
  if (!existsSync(file)) return false;
  const lock = new Database(file);
  try {
    lock.exec('SELECT * FROM sqlite_master');
    return false;
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'SQLITE_BUSY' && code !== NO_DATABASE) throw error;
    return code === 'SQLITE_BUSY';
  } finally {
    lock.close();
  }
}
