import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { seedFrom } from '@sentinel-node/test-kit/seeds';
import Database from 'libsql';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { newestConfiguration } from '../src/config.ts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { FileSpool, type Spooled } from '../src/state/spool.ts';
import { stateFileIn } from '../src/state/state-file.ts';
import { AGENT, type Change } from '../src/state/store.ts';
import { configurationOf, fileId, hashOf } from './agent-process.ts';
import { openState, rowsIn, spoil } from './state-files.ts';

/** State written by an older agent (commit b7d64dd), which used folders. */
const RECORDED = fileURLToPath(new URL('../../test/recorded-state', import.meta.url));
/** Number of damaged files; each is opened, and replaced when broken. */
const ROUNDS = 60;
const seed = seedFrom();
t.comment(`SENTINEL_TEST_SEED=${seed}`);

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-state-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const put = (number: number, text: string): Change => ({ do: 'put', part: 'report', number, text });

t.test('the folders of the version before are taken over once, and nothing is lost', (t) => {
  const folder = folderOf(t);
  cpSync(RECORDED, folder, { recursive: true });
  const said: string[] = [];
  const log = (_: string, message: string): void => void said.push(message);
  const check = (): void => {
    const state = openState(folder, { log });
    const spools = [0, 1, 2, 3, 4].map((n) => FileSpool.open(state, fileId(n)));
    const version = (text: string) => ({ length: text.length, hash: hashOf(text) });
    t.same(
      spools.map(({ memory }) => [memory.last, memory.sequence]),
      [
        [version('one\n'), 1_764_000_000_001_000],
        [version('one\ntwo\nthree\n'), 1_764_000_000_003_000],
        [version('one\n'), 1_764_000_000_001_000],
        [version('one\n'), 77],
        [version('one\n'), 1_764_000_000_001_000],
      ],
    );
    t.same(
      spools.map(({ waiting }) => waiting.length),
      [0, 2, 0, 0, 1],
    );
    matchList(t, spools[1]?.read(0, 2), [
      { report: { change: 'APPENDED', sequence: 1_764_000_000_002_000 } },
      { report: { change: 'APPENDED', sequence: 1_764_000_000_003_000 } },
    ]);
    matchList(t, spools[0]?.archives, [{ name: '0.log.1', length: 4 }]);
    const downloaded = configurationOf('/', 'http://127.0.0.1:1/api/v1', []);
    t.equal(newestConfiguration(state, downloaded).configuration.apiKey, 'sk1.rotated');
    t.match(state.text(AGENT, 'events', 0), /CLOCK_OFF/);
    state.close();
  };
  check();
  t.equal(rowsIn(folder, 'refused', fileId(2)), 1);
  t.equal(rowsIn(folder, 'broken', fileId(4)), 1);
  t.same(said, ['took over the state of 5 files from the folders of an earlier version']);
  t.same(
    readdirSync(folder).filter((name) => !name.startsWith('state-1.db')),
    [],
  );
  check();
  t.equal(said.length, 1, 'once');
  t.end();
});

t.test('an end while folders are taken over is gone on from', (t) => {
  const folder = folderOf(t);
  cpSync(RECORDED, folder, { recursive: true });
  const state = openState(folder);
  t.equal(FileSpool.open(state, fileId(1)).waiting.length, 2);
  state.close();
  // Simulate a process that ended before removing the folders.
  cpSync(RECORDED, folder, { recursive: true });
  const again = openState(folder);
  const spool = FileSpool.open(again, fileId(1));
  t.equal(spool.waiting.length, 2);
  t.same(
    readdirSync(folder).filter((name) => name.startsWith('01900000')),
    [],
  );
  again.close();
  t.end();
});

t.test('folders of an older agent that ran in between are newer, and count', async (t) => {
  const folder = folderOf(t);
  const state = openState(folder);
  await state.commit(fileId(1), [{ do: 'put', part: 'memory', number: 5, text: JSON.stringify(NO_MEMORY) }]);
  state.close();
  cpSync(RECORDED, folder, { recursive: true });
  const again = openState(folder);
  t.equal(FileSpool.open(again, fileId(1)).memory.sequence, 1_764_000_000_003_000);
  again.close();
});

t.test('only folders of the version before are taken over, not those of other devices', async (t) => {
  const folder = folderOf(t);
  const [device, mixed, empty] = [fileId(20), fileId(21), fileId(22)].map((name) => join(folder, name));
  const other = openState(device!);
  await other.commit(fileId(0), [put(1, 'waits')]);
  other.close();
  mkdirSync(join(device!, 'receipts'));
  writeFileSync(join(device!, 'receipts', 'broken-promise-1.json'), '{}');
  cpSync(join(RECORDED, fileId(1)), mixed!, { recursive: true });
  writeFileSync(join(mixed!, 'notes.txt'), 'a person keeps this here');
  mkdirSync(empty!);
  const contents = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/^state-1\.db/.test(name))
      .sort();
  const before = contents();
  const said: string[] = [];
  const state = openState(folder, { log: (_, message) => said.push(message) });
  t.same(state.owners(), []);
  state.close();
  t.same(contents(), before);
  t.same(said, []);
  t.equal(rowsIn(device!, 'report'), 1);
});

t.test('what a cut of the version before left in a folder goes with the folder', (t) => {
  const folder = folderOf(t);
  cpSync(join(RECORDED, fileId(1)), join(folder, fileId(1)), { recursive: true });
  for (const name of ['broken-archives.json', 'report-1764000000004000.json.part'])
    writeFileSync(join(folder, fileId(1), name), '{');
  const state = openState(folder);
  t.equal(FileSpool.open(state, fileId(1)).waiting.length, 2);
  t.notOk(readdirSync(folder).includes(fileId(1)));
  state.close();
  t.end();
});

t.test('what many keep at a time becomes durable in one transaction', async (t) => {
  const folder = folderOf(t);
  const state = openState(folder);
  const all = Array.from({ length: 100 }, (_, n) => state.commit(fileId(n), [put(1, `text ${n}`)]));
  t.equal(rowsIn(folder, 'report'), -1, 'not yet');
  await all[0];
  t.equal(rowsIn(folder, 'report'), 100, 'with the first');
  await Promise.all(all);
  state.close();
});

t.test('changes that cannot all be made are not made at all', async (t) => {
  const folder = folderOf(t);
  const state = openState(folder);
  await state.commit(fileId(0), [put(1, 'before')]);
  const bad = { do: 'put', part: 'report', number: 2, text: null } as unknown as Change;
  await t.rejects(state.commit(fileId(0), [{ do: 'removeAll' }, bad]));
  t.equal(state.text(fileId(0), 'report', 1), 'before');
  await state.commit(fileId(0), [put(3, 'after')]);
  t.equal(state.text(fileId(0), 'report', 3), 'after');
  state.close();
});

t.test('kill -9 while it writes loses nothing that was said to be durable', async (t) => {
  const writer = fileURLToPath(new URL('./state-writer.js', import.meta.url));
  const random = randomFrom(seed);
  const folder = folderOf(t);
  let durable = 0;
  for (let round = 0; round < 8; round += 1) {
    const child = spawn(process.execPath, [writer, folder, String(durable)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const killAfter = durable + 1 + Math.floor(random() * 300);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      durable = Number(text.trimEnd().split('\n').at(-1));
      if (durable >= killAfter) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const state = openState(folder, { onBroken: (message) => t.fail(message) });
    const rows = state.rows(fileId(0));
    t.ok(rows.length >= durable, `${rows.length} rows, ${durable} durable`);
    t.ok(rows.every(({ text, number, isWhole }) => isWhole && text === `report ${number}`));
    durable = rows.length;
    state.close();
  }
});

t.test('a broken file is set aside or is good: no bit of it is believed that was not kept', async (t) => {
  const whole = folderOf(t);
  const state = openState(whole);
  const texts = new Map<string, string>();
  for (let n = 0; n < 60; n += 1) {
    const text = JSON.stringify({ n, more: 'x'.repeat(n * 40) });
    texts.set(`${fileId(n)}/1`, text);
    await state.commit(fileId(n), [put(1, text)]);
  }
  const read = (end: string): Buffer => readFileSync(join(whole, `state-1.db${end}`));
  const inLog = { file: read(''), log: read('-wal') };
  spoil(whole, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const inFile = { file: read(''), log: read('-wal') };
  state.close();
  t.equal(inFile.log.length, 0, 'all rows are in the file');

  type Files = Readonly<Record<'file' | 'log', Buffer>>;
  const damages: Record<string, (round: number, random: () => number) => Files> = {
    file: (round, random) => ({ ...inFile, file: spoilt(inFile.file, round, random) }),
    log: (round, random) => ({ ...inLog, log: spoilt(inLog.log, round, random) }),
  };
  for (const [part, damage] of Object.entries(damages)) {
    const random = randomFrom(seed);
    const seen = { broken: 0, spared: 0, partly: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const folder = folderOf(t);
      const { file, log } = damage(round, random);
      writeFileSync(join(folder, 'state-1.db'), file);
      writeFileSync(join(folder, 'state-1.db-wal'), log);
      const told: string[] = [];
      const found = openState(folder, { onBroken: (message) => told.push(message) });
      const readAll = () =>
        [...texts.keys()].flatMap((_, n) => found.rows(fileId(n)).map((row) => ({ ...row, n })));
      const good = again(readAll, () => told.length > 0).filter(({ isWhole }) => isWhole);
      const lies = good.filter(({ n, number, text }) => text !== texts.get(`${fileId(n)}/${number}`));
      t.same(lies, [], `${part}, round ${round}`);
      if (round === 0) t.equal(good.length, texts.size);
      seen[told.length > 0 ? 'broken' : good.length === texts.size ? 'spared' : 'partly'] += 1;
      await found.commit(fileId(0), [put(2, 'goes on')]);
      t.equal(found.text(fileId(0), 'report', 2), 'goes on');
      found.close();
    }
    t.comment(
      `${part}: ${seen.broken} set aside, ${seen.spared} where it does not matter, ${seen.partly} with fewer rows`,
    );
    t.ok(seen.broken + seen.partly > 0, `damage of the ${part} is seen`);
  }
});

t.test(
  'a file that breaks while it is used: whoever read it reads again, and two broken ones are kept',
  async (t) => {
    const folder = folderOf(t);
    const told: string[] = [];
    const state = openState(folder, { onBroken: (message) => told.push(message) });
    for (let n = 1; n <= 4; n += 1) {
      for (let file = 0; file < 50; file += 1) await state.commit(fileId(file), [put(n, 'x'.repeat(40_000))]);
      const spool = FileSpool.open(state, fileId(60));
      t.ok(spool.isCurrent);
      spoil(folder, 'PRAGMA wal_checkpoint(TRUNCATE)'); // else good pages are in the log
      const path = stateFileIn(folder)!;
      writeFileSync(path, Buffer.alloc(readFileSync(path).length, 'garbage'), { flag: 'r+' });
      t.throws(
        () => Array.from({ length: 50 }, (_, file) => state.rows(fileId(file))),
        `the state was broken`,
      );
      t.equal(told.length, n);
      t.notOk(spool.isCurrent);
      t.same(state.rows(fileId(0)), [], 'begins anew');
    }
    t.same(
      readdirSync(folder).filter((name) => /^broken-state-\d+\.db$/.test(name)),
      ['broken-state-3.db', 'broken-state-4.db'],
    );
    state.close();
  },
);

t.test('a file at which three starts in a row ended is set aside, told, and kept to look at', async (t) => {
  const folder = folderOf(t);
  const first = openState(folder);
  await first.commit(fileId(0), [put(1, 'one')]);
  first.close();
  const told: string[] = [];
  // No start calls `read`, as if libsql had crashed the process.
  const cut = (): string | undefined => openStart().text(fileId(0), 'report', 1);
  const openStart = () => openState(folder, { onBroken: (message) => told.push(message) });
  t.same([cut(), cut()], ['one', 'one']);
  const good = openStart();
  t.equal(good.text(fileId(0), 'report', 1), 'one');
  good.read();
  t.same([cut(), cut(), cut()], ['one', 'one', 'one'], 'a start that went well begins the count anew');
  t.same(told, []);
  t.equal(cut(), undefined);
  matchList(t, told, [/3 starts in a row ended while it was read.*broken-state-1\.db/]);
  t.ok(readdirSync(folder).includes('broken-state-1.db'));
});

t.test('on a full disk no start is counted, and none fails', async (t) => {
  const folder = folderOf(t);
  const first = openState(folder);
  await first.commit(fileId(0), [put(1, 'one')]);
  first.close();
  mkdirSync(join(folder, 'opening')); // a folder can neither be written nor removed as a file
  for (let start = 0; start < 5; start += 1) {
    const state = openState(folder, { onBroken: (message) => t.fail(message) });
    t.equal(state.text(fileId(0), 'report', 1), 'one');
    state.close();
  }
});

const KEYS: readonly { readonly what: string; readonly sql: string }[] = [
  { what: 'archives under a part that no agent has', sql: `part = 'archivgs' WHERE part = 'archives'` },
  { what: 'a report under a part that no agent has', sql: `part = 'repost' WHERE part = 'report'` },
  { what: 'a report that looks like one that was set aside', sql: `part = 'refused' WHERE part = 'report'` },
  { what: 'a report with a lower sequence', sql: `number = 3 WHERE part = 'report'` },
  { what: 'a report with a higher sequence', sql: `number = 1000 WHERE part = 'report'` },
  { what: 'a memory with another sequence', sql: `number = 9 WHERE part = 'memory'` },
  { what: 'archives of another file', sql: `owner = '${fileId(1)}' WHERE part = 'archives'` },
  { what: 'archives of a file that nobody watches', sql: `owner = '${fileId(99)}' WHERE part = 'archives'` },
];

for (const { what, sql } of KEYS) {
  t.test(`a row whose key changed on the disk is told: ${what}`, async (t) => {
    const folder = folderOf(t);
    const version = (text: string) => ({ length: text.length, hash: hashOf(text) });
    const memory = { ...NO_MEMORY, sequence: 5, last: version('one') };
    const made = openState(folder);
    const kept = FileSpool.open(made, fileId(0));
    await kept.adopt(memory);
    const report = { sequence: 7, timestamp: '2026-11-21T10:00:00.000Z', change: 'UNCHANGED', versions: [] };
    await kept.push({ report, memory: { ...memory, sequence: 7 } } as unknown as Spooled, kept.memory, []);
    await kept.keepArchives([{ name: 'a.1', length: 3, hash: hashOf('one'), signature: '' }] as never);
    made.close();
    spoil(folder, `UPDATE kept SET ${sql}`);
    const told: string[] = [];
    const state = openState(folder, { onBroken: (message) => told.push(message) });
    const spools = (): FileSpool[] => [0, 1].map((n) => FileSpool.open(state, fileId(n)));
    try {
      told.push(...spools().flatMap(({ broken }) => broken));
      await state.keepOnly(new Set([AGENT, fileId(0), fileId(1)]));
    } catch {
      t.ok(
        spools().every(({ memory: { sequence } }) => sequence === 0),
        'begins anew',
      );
    }
    t.equal(told.length, 1, told.join());
    state.close();
    const again: string[] = [];
    const later = openState(folder, { onBroken: (message) => again.push(message) });
    const broken = [0, 1].flatMap((n) => FileSpool.open(later, fileId(n)).broken);
    await later.keepOnly(new Set([AGENT, fileId(0), fileId(1)]));
    t.same([...again, ...broken], [], 'once');
    later.close();
  });
}

t.test('a state of the version before, without sums of keys, is taken over as it is', async (t) => {
  const folder = folderOf(t);
  const state = openState(folder);
  await state.commit(fileId(0), [put(1, 'one'), put(2, 'two'), put(3, 'three')]);
  await state.commit(fileId(0), [
    { do: 'move', from: 'report', fromNumber: 1, to: 'memory', toNumber: 1 },
    { do: 'putBroken', part: 'report', number: 4, text: 'four' },
  ]);
  state.close();
  const database = new Database(stateFileIn(folder)!);
  const rows = database.prepare('SELECT part, number, text FROM kept').raw().all() as [
    string,
    number,
    string,
  ][];
  for (const [part, number, text] of rows) {
    const sum = number === 4 ? -1 : number === 3 ? 12345 : crc32(text, crc32(fileId(0)));
    database.prepare('UPDATE kept SET sum = ? WHERE part = ? AND number = ?').run(sum, part, number);
  }
  database.exec('PRAGMA user_version = 1');
  database.close();
  for (const round of [1, 2]) {
    const later = openState(folder, { onBroken: (message) => t.fail(message) });
    t.same(
      later.rows(fileId(0)).map(({ part, number, isWhole }) => `${part} ${number} ${isWhole}`),
      ['memory 1 true', 'report 2 true', 'report 3 false', 'report 4 false'],
      `round ${round}`,
    );
    later.close();
  }
});

t.test('a kept configuration of another form counts as none', async (t) => {
  const downloaded = configurationOf('/', 'http://127.0.0.1:1/api/v1', []);
  const configuration = { ...downloaded, apiKey: 'sk1.rotated' };
  const state = openState(folderOf(t));
  const keyOf = async (kept: string) => {
    await state.commit(AGENT, [{ do: 'put', part: 'configuration', number: 0, text: kept }]);
    return newestConfiguration(state, downloaded).configuration.apiKey;
  };
  for (const version of [1, null])
    t.equal(await keyOf(JSON.stringify({ version, configuration })), 'sk1.rotated');
  t.equal(await keyOf(JSON.stringify(configuration)), 'sk1.rotated', 'as an older agent kept it');
  for (const version of ['1', 1.5, 1e300])
    t.equal(await keyOf(JSON.stringify({ version, configuration })), downloaded.apiKey, `${version}`);
  for (const kept of ['{', '5', 'null', '[]']) t.equal(await keyOf(kept), downloaded.apiKey, kept);
  state.close();
});

t.test('a file whose number no agent counts to is no state', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'state-99999999999999999999.db'), '');
  const state = openState(folder, { onBroken: (message) => t.fail(message) });
  t.same(state.owners(), []);
  t.equal(stateFileIn(folder), join(folder, 'state-1.db'));
  state.close();
  t.end();
});

t.test('a state of a later version is set aside, and said to be one', (t) => {
  const folder = folderOf(t);
  const made = openState(folder);
  made.owners();
  made.close();
  spoil(folder, 'PRAGMA user_version = 3');
  const told: string[] = [];
  const state = openState(folder, { onBroken: (message) => told.push(message) });
  t.same(state.owners(), []);
  state.close();
  t.same(told, [
    "The agent's state was of a later version (form 3, and this version knows none above 2) and set aside as broken-state-1.db; it goes on from what the server has on record.",
  ]);
  t.end();
});

t.test('moved rows stay whole, one and all of a part', async (t) => {
  const state = openState(folderOf(t));
  await state.commit(fileId(0), [put(1, 'one'), put(2, 'two'), put(3, 'three')]);
  await state.commit(fileId(0), [{ do: 'move', from: 'report', fromNumber: 3, to: 'report', toNumber: 9 }]);
  await state.commit(fileId(0), [{ do: 'moveAll', from: 'report', to: 'refused' }]);
  t.same(
    state.rows(fileId(0)).map(({ part, number, text, isWhole }) => ({ part, number, text, isWhole })),
    [
      { part: 'refused', number: 1, text: 'one', isWhole: true },
      { part: 'refused', number: 2, text: 'two', isWhole: true },
      { part: 'refused', number: 9, text: 'three', isWhole: true },
    ],
  );
  state.close();
});

/** Reads once more when the state was found broken and set aside on the way, as whoever uses it does. */
function again<T>(read: () => T, isSetAside: () => boolean): T {
  try {
    return read();
  } catch (error) {
    if (!isSetAside()) throw error;
    return read();
  }
}

/** Returns a copy: in round 0 a whole one, else empty, truncated, with garbage or with changed bits. */
function spoilt(bytes: Buffer, round: number, random: () => number): Buffer {
  const at = (): number => Math.floor(random() * bytes.length);
  if (round === 0) return bytes;
  if (round === 1) return Buffer.alloc(0);
  if (round % 3 === 1) return bytes.subarray(0, at());
  const other = Buffer.from(bytes);
  const count = round % 3 === 2 ? 1 + Math.floor(random() * 8) : 1 + Math.floor(random() * 4_096);
  const from = at();
  for (let n = 0; n < count; n += 1) {
    const place = round % 3 === 2 ? at() : Math.min(bytes.length - 1, from + n);
    other[place] =
      round % 3 === 2 ? bytes[place]! ^ (1 << Math.floor(random() * 8)) : Math.floor(random() * 256);
  }
  return other;
}

/** Returns a random generator (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
