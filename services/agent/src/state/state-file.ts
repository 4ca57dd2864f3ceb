import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { CutStarts } from './cut-starts.ts';
import { identityOf } from './identity.ts';
import { Gather, type WritePauses } from './gather.ts';
import { AGENT, isPart, type Change, type Part, type Row, type StateStore } from './store.ts';
import { BrokenTableError, LaterTableError, Table, type OwnedChanges } from './table.ts';
import { takeOver } from './take-over.ts';

export interface StateFileOptions {
  /** The state folder, which this process has locked. */
  readonly folder: string;
  readonly log: (level: 'info' | 'error', message: string) => void;
  /** Called with a message when a broken file was set aside. */
  readonly onBroken: (message: string) => void;
  readonly steadyMs: () => number;
  /** Pauses that several state files of the process share; default: pauses of its own. */
  readonly pauses?: WritePauses | undefined;
}

/**
 * Names of state files. The successor of a broken file has a new name, because libsql may later delete an old
 * connection's files by name.
 */
const STATE_FILE = /^state-(\d{1,9})\.db$/;
const BROKEN_FILE = /^broken-state-(\d{1,9})\.db$/;
/** Suffixes of a file and of SQLite's companion files. */
const FILE_ENDS = ['', '-wal', '-shm'];
/** Most broken files kept as evidence; each can contain a spool. */
const BROKEN_FILES = 2;
/** Wait before opening a file again after a failure, in ms. */
const RETRY_MS = 1_000;
/** Consecutive starts that ended at a file before the file counts as broken. */
const CUT_STARTS = 3;

/** Stores an agent's state in one file. Retries a file that cannot be opened; sets a broken file aside. */
export class StateFile implements StateStore {
  readonly #options: StateFileOptions;
  readonly #gather: Gather<OwnedChanges>;
  readonly #cutStarts: CutStarts;
  #isRead = false;
  #table: Table | undefined;
  /** The open file's path and identity; undefined before the first. */
  #file: { readonly path: string; readonly identity: string | undefined } | undefined;
  /** Owners with rows. @boundedBy the files of the configuration */
  #owners = new Set<string>();
  #failed: { readonly error: unknown; readonly untilMs: number } | undefined;
  #closed = false;
  epoch = 0;

  constructor(options: StateFileOptions) {
    this.#options = options;
    this.#gather = new Gather((groups) => this.#apply(groups), options.pauses);
    this.#cutStarts = new CutStarts(options.folder);
  }

  /** Records the end of the start's reading, with or without success: the file did not crash the process. */
  read(): void {
    this.#isRead = true;
    this.#cutStarts.end();
  }

  rows(owner: string): Row[] {
    if (this.#gather.has((change) => change.owner === owner)) this.#gather.flush();
    return this.#using((table) => (this.#owners.has(owner) ? table.rows(owner) : []));
  }

  text(owner: string, part: Part, number: number): string | undefined {
    const row = this.#using((table) => table.row(owner, part, number));
    return row?.isWhole === true ? row.text : undefined;
  }

  owners(): string[] {
    return this.#using(() => [...this.#owners]);
  }

  async keepOnly(owners: ReadonlySet<string>): Promise<void> {
    const others = this.owners().filter((owner) => !owners.has(owner));
    this.#using((table) => others.forEach((owner) => table.check(owner)));
    await Promise.all(others.map((owner) => this.commit(owner, [{ do: 'removeAll' }])));
  }

  commit(owner: string, changes: readonly Change[]): Promise<void> {
    return this.#gather.add({ owner, changes });
  }

  /**
   * Checks that the open file is still in its place: what is written to a removed file ends with the process.
   * @throws Error with code ENOENT; the next call opens the file in its place, or a new one
   */
  check(): void {
    if (this.#table === undefined || this.#file === undefined) return;
    const { path, identity } = this.#file;
    if (identityOf(path) === identity) return;
    this.#table.close();
    this.#table = undefined;
    this.epoch += 1;
    const message = `the agent's state ${basename(path)} was removed or replaced while it ran; it goes on from what is there, or from what the server has on record`;
    this.#options.log('error', message);
    this.#options.onBroken(`${message.replace('the agent', 'The agent')}.`);
    throw Object.assign(new Error(message), { code: 'ENOENT' });
  }

  /** Writes the waiting changes and closes the file. */
  close(): void {
    this.#gather.flush();
    this.read();
    this.#closed = true;
    this.#table?.close();
    this.#table = undefined;
  }

  #apply(groups: readonly OwnedChanges[]): void {
    this.check();
    this.#using((table) => table.apply(groups));
    for (const { owner, changes } of groups) {
      if (changes.at(-1)?.do === 'removeAll') this.#owners.delete(owner);
      else this.#owners.add(owner);
    }
  }

  #using<T>(act: (table: Table) => T): T {
    try {
      return act(this.#open());
    } catch (error) {
      if (isBroken(error)) this.#setAside(error);
      throw asFileError(error);
    }
  }

  #open(): Table {
    if (this.#table !== undefined) return this.#table;
    const { folder, log, steadyMs } = this.#options;
    if (this.#closed) throw Object.assign(new Error('the agent stops'), { code: 'STATE_CLOSED' });
    if (this.#failed !== undefined && steadyMs() < this.#failed.untilMs) throw this.#failed.error;
    try {
      const table = this.#openOrMake();
      takeOver(folder, table, (message) => log('info', message));
      this.#dropDamaged(table);
      this.#owners = new Set(table.owners());
      this.#table = table;
      this.#failed = undefined;
      if (this.#isRead) this.#cutStarts.end();
      return table;
    } catch (error) {
      this.#cutStarts.end();
      this.#failed = { error, untilMs: steadyMs() + RETRY_MS };
      throw error;
    }
  }

  /** Sets the agent's own damaged rows aside and tells of them: what they held is gone. */
  #dropDamaged(table: Table): void {
    const damaged = table
      .rows(AGENT)
      .flatMap(({ part, number, isWhole }) =>
        !isWhole && part !== 'broken' && isPart(part) ? { part, number } : [],
      );
    if (damaged.length === 0) return;
    const changes = damaged.map(({ part, number }): Change => ({
      do: 'move',
      ...{ from: part, fromNumber: number, to: 'broken', toNumber: number },
    }));
    table.apply([{ owner: AGENT, changes }]);
    const message = `the agent's own ${damaged.map(({ part }) => part).join(' and ')} in the state was broken and set aside`;
    this.#options.log('error', message);
    this.#options.onBroken(`${message.replace('the agent', 'The agent')}.`);
  }

  /** Opens the newest state file, or a new one. @throws Error of node:fs or SQLite; the file cannot be used now */
  #openOrMake(): Table {
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = stateFileIn(folder);
    if (path !== undefined) {
      try {
        if (statSync(path).size === 0) throw new BrokenTableError('it is empty');
        if (this.#cutStarts.begin(basename(path)) >= CUT_STARTS)
          throw new BrokenTableError(`${CUT_STARTS} starts in a row ended while it was read`);
        return this.#opened(path);
      } catch (error) {
        if (!isBroken(error, true)) throw error;
        this.#setAside(error);
      }
    }
    const used = Number(STATE_FILE.exec(basename(this.#file?.path ?? ''))?.[1] ?? 0);
    const number = Math.max(used, numbersIn(folder, BROKEN_FILE).at(-1) ?? 0) + 1;
    const fresh = join(folder, `state-${number}.db`);
    Table.create(fresh);
    return this.#opened(fresh);
  }

  #opened(path: string): Table {
    const identity = identityOf(path);
    const table = new Table(path);
    this.#file = { path, identity };
    return table;
  }

  /** Renames the broken file and begins a new epoch: later reads see another state. */
  #setAside(error: unknown): void {
    this.#table?.close();
    this.#table = undefined;
    this.epoch += 1;
    const { folder, log, onBroken } = this.#options;
    const path = stateFileIn(folder) ?? '';
    const name = `broken-${basename(path)}`;
    for (const end of FILE_ENDS)
      if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, join(folder, `${name}${end}`));
    for (const old of numbersIn(folder, BROKEN_FILE).slice(0, -BROKEN_FILES))
      for (const end of FILE_ENDS) rmSync(join(folder, `broken-state-${old}.db${end}`), { force: true });
    const what = error instanceof LaterTableError ? 'of a later version' : 'broken';
    const message = `the agent's state was ${what} (${messageOf(error)}) and set aside as ${name}; it goes on from what the server has on record`;
    log('error', message);
    onBroken(`${message.replace('the agent', 'The agent')}.`);
  }
}

/** Returns the path of the current state file; undefined when there is none. @throws Error of node:fs */
export function stateFileIn(folder: string): string | undefined {
  const newest = numbersIn(folder, STATE_FILE).at(-1);
  return newest === undefined ? undefined : join(folder, `state-${newest}.db`);
}

/** Returns the numbers in matching file names, ascending. */
const numbersIn = (folder: string, pattern: RegExp): number[] =>
  readdirSync(folder)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/**
 * Returns whether an error means a broken file.
 * @param opening also counts SQLITE_ERROR, which an unreadable schema causes
 */
function isBroken(error: unknown, opening = false): boolean {
  const code = codeOf(error) ?? '';
  return (
    error instanceof BrokenTableError ||
    code.startsWith('SQLITE_CORRUPT') ||
    ['SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ'].includes(code) ||
    (opening && code === 'SQLITE_ERROR')
  );
}

/** SQLite's error codes and the operating system's code for each. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'ENOSPC'],
  [/^SQLITE_IOERR/, 'EIO'],
  [/^SQLITE_READONLY/, 'EROFS'],
  [/^SQLITE_CANTOPEN/, 'EACCES'],
];

function asFileError(error: unknown): unknown {
  const code = codeOf(error) ?? '';
  // libsql gives no code where the file cannot be opened at all, as a folder in its place.
  const known = code === '' ? 'EACCES' : CODES.find(([pattern]) => pattern.test(code))?.[1];
  return known === undefined ? error : Object.assign(new Error(messageOf(error)), { code: known });
}
