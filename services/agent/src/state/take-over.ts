/** Takes over the state of agents up to 0.1, which had a folder per watched file and a file per report. */
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unseal, unsealParts } from '../io/sealed.ts';
import { AGENT, type Change, type Part } from './store.ts';
import type { OwnedChanges, Table } from './table.ts';

const FILE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
/** File names and their parts; names without a number are archives, or come from a very old agent. */
const NAMES: readonly (readonly [RegExp, Part])[] = [
  [/^report-(\d{16})\.json$/, 'report'],
  [/^accepted(?:-(\d{16}))?\.json$/, 'memory'],
  [/^archives\.json$/, 'archives'],
  [/^refused-report-(\d{16})\.json$/, 'refused'],
];
/** All names in a folder of an agent up to 0.1: those above, what it set aside, and what a cut left half written. */
const OF_FOLDER =
  /^(?:(?:refused|broken)-)?(?:report-\d{16}|accepted(?:-\d{16})?|archives)\.json(?:\.part)?$/;
const OF_AGENT: readonly (readonly [string, Part])[] = [
  ['configuration.json', 'configuration'],
  ['events.json', 'events'],
];
/** Folders taken over in one transaction. */
const FOLDERS_A_TIME = 200;

/**
 * Moves the state from folders into the table and removes the folders. An interrupted run can be repeated: a folder is
 * removed only when its content is durable, and a folder older than the table is not taken over. Other folders with an id
 * as name stay as they are: the state of another device has one, too.
 * @throws Error of node:fs or SQLite
 */
export function takeOver(stateDir: string, table: Table, say: (message: string) => void): void {
  const entries = readdirSync(stateDir, { withFileTypes: true });
  const folders = entries
    .filter((one) => one.isDirectory() && FILE_ID.test(one.name) && isOfFile(join(stateDir, one.name)))
    .map(({ name }) => name);
  const own = OF_AGENT.filter(([name]) => entries.some((one) => one.isFile() && one.name === name));
  if (folders.length === 0 && own.length === 0) return;
  for (let from = 0; from < folders.length; from += FOLDERS_A_TIME) {
    const some = folders.slice(from, from + FOLDERS_A_TIME);
    table.apply(some.map((owner) => ({ owner, changes: ofFolder(stateDir, owner, table) })));
    for (const name of some) remove(join(stateDir, name));
  }
  table.apply(own.map(([name, part]) => ofAgent(stateDir, name, part, table)));
  for (const [name] of own) rmSync(join(stateDir, name), { force: true });
  say(`took over the state of ${folders.length} files from the folders of an earlier version`);
}

/** Returns whether the folder has state of a file, and nothing else. */
function isOfFile(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.length > 0 && entries.every((one) => one.isFile() && OF_FOLDER.test(one.name));
}

/** Removes the folder of a file. @throws Error of node:fs; ENOTEMPTY when something else came into it meanwhile */
function remove(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => OF_FOLDER.test(one)))
    rmSync(join(folder, name), { force: true });
  rmdirSync(folder);
}

function ofFolder(stateDir: string, owner: string, table: Table): Change[] {
  const folder = join(stateDir, owner);
  const changes = readdirSync(folder).flatMap((name) => ofFile(folder, name) ?? []);
  return newest(changes) > newest(table.rows(owner)) ? [{ do: 'removeAll' }, ...changes] : [];
}

type Put = Extract<Change, { do: 'put' | 'putBroken' }>;

/** Returns the highest used sequence; -1 without any. */
const newest = (kept: readonly { readonly part: string; readonly number: number }[]): number =>
  Math.max(
    -1,
    ...kept.filter(({ part }) => part === 'memory' || part === 'report').map(({ number }) => number),
  );

function ofFile(folder: string, name: string): Put | undefined {
  for (const [pattern, part] of NAMES) {
    const match = pattern.exec(name);
    if (match === null) continue;
    const sealed = readFileSync(join(folder, name), 'utf8');
    const [text = ''] = sealed.split('\n');
    const value = unsealParts<{ sequence: unknown }>(sealed);
    const number = Number(match[1] ?? (typeof value?.sequence === 'number' ? value.sequence : 0));
    return { do: value === undefined ? 'putBroken' : 'put', part, number, text };
  }
  return undefined;
}

/**
 * Takes over one of the agent's own files; drops a damaged one, because server and configuration provide its content
 * again.
 */
function ofAgent(stateDir: string, name: string, part: Part, table: Table): OwnedChanges {
  const isKnown = table.row(AGENT, part, 0) !== undefined;
  const value = isKnown ? undefined : unseal(readFileSync(join(stateDir, name), 'utf8'));
  const changes: Change[] =
    value === undefined ? [] : [{ do: 'put', part, number: 0, text: JSON.stringify(value) }];
  return { owner: AGENT, changes };
}
