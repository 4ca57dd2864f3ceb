import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { step } from '../src/domain/step.ts';
import { contentsOf } from '../src/state/file-rows.ts';
import { FileSpool, type SpoolRoom } from '../src/state/spool.ts';
import { openState, rowsIn, spoil } from './state-files.ts';

const NOW = 1_764_000_000_000;
const FILE = '01900000-0000-7000-8000-000000000010';
const version = (n: number) => ({ length: n, hash: n.toString(16).padStart(64, '0') });

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-spool-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens the spool as a starting agent does. */
const open = (folder: string, room?: SpoolRoom): FileSpool => FileSpool.open(openState(folder), FILE, room);

/** Spools growth number n of a file. */
async function grow(spool: FileSpool, n: number) {
  const from = spool.memory;
  const seen = { kind: 'file', what: 'file', now: version(n), prefix: version(n - 1), reread: true } as const;
  const next = step(from, n === 1 ? { ...seen, prefix: null } : seen, {
    nowMs: NOW + n,
    sequenceMs: NOW + n,
    frequency: 'FOLLOW',
    identity: 'FOLLOW:/a',
    serverSequence: 0,
    configVersion: 1,
    instanceId: 'i',
    first: false,
  });
  return spool.push(next!, from);
}

async function grown(folder: string, count: number, room?: SpoolRoom): Promise<FileSpool> {
  const spool = open(folder, room);
  for (let n = 1; n <= count; n += 1) await grow(spool, n);
  return spool;
}

/** Returns every version in the reports, in order. */
const told = (spool: FileSpool): number[] =>
  spool.read(0, 1e6).flatMap(({ report }, index) => {
    return report.versions.slice(index === 0 ? 0 : 1).map(({ length }) => length);
  });
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

t.test('a long outage: steps share reports, and no version is lost while there is room', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 400);
  t.ok(spool.waiting.length < 110);
  t.same(told(spool), upTo(400));
  t.same(told(open(folder)), upTo(400), 'after a restart too');
});

t.test('what was sent takes no more steps', async (t) => {
  const spool = await grown(folderOf(t), 150);
  const before = spool.read(0, 1_000).at(-1)!;
  await grow(spool, 151);
  t.same(spool.read(0, 1_000).at(-2), before);
});

t.test('without room versions are merged and counted, the newest is always told', async (t) => {
  const room = { bytes: 0, maxBytes: 1e9 };
  const folder = folderOf(t);
  const spool = await grown(folder, 200, room);
  Object.assign(room, { maxBytes: room.bytes });
  let dropped = 0;
  for (let n = 201; n <= 300; n += 1) {
    const pushed = await grow(spool, n);
    dropped += pushed.kept ? pushed.dropped : Number.NaN;
  }
  t.ok(dropped > 0);
  const all = told(spool);
  t.equal(all.at(-1), 300);
  t.equal(all.length, 300 - dropped);
  t.equal(
    room.bytes,
    spool.waiting.reduce((sum, { bytes }) => sum + bytes, 0),
  );
});

t.test('an answer is known after a restart', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 5);
  await spool.accepted(spool.read(0, 3).at(-1)!);
  t.same([rowsIn(folder, 'memory'), rowsIn(folder, 'report')], [1, 2]);
  const again = open(folder);
  t.equal(again.waiting.length, 2);
  await again.accepted(again.read(0, 2).at(-1)!);
  t.same(open(folder).memory.last, version(5));
});

t.test('it is known since when a report waits, also when it is merged or renumbered', async (t) => {
  let nowMs = 0;
  const state = openState(folderOf(t));
  const openNow = (): FileSpool => FileSpool.open(state, FILE, undefined, { steadyMs: () => nowMs });
  const spool = openNow();
  for (; nowMs < 150; nowMs += 1) await grow(spool, nowMs + 1);
  const since = (of: FileSpool): number[] => of.waiting.map(({ keptMs }) => keptMs);
  t.same(
    since(spool),
    upTo(100).map((n) => n - 1),
    'the last has the later 50',
  );
  await spool.renumber(1);
  t.same(
    since(spool),
    upTo(100).map((n) => n - 1),
  );
  spool.close();
  t.same(new Set(since(openNow())), new Set([150]), 'at least since the start');
});

t.test('renumbered reports keep their order, over a restart in the middle too', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 5);
  await spool.accepted(spool.read(0, 1).at(-1)!);
  const first = spool.acceptedSequence + 1;
  await spool.renumber(first);
  t.same(
    spool.waiting.map(({ sequence }) => sequence),
    [first, first + 1, first + 2, first + 3],
  );
  await spool.accepted(spool.read(0, 2).at(-1)!);
  const again = open(folder);
  t.same(again.memory, { ...spool.memory });
  t.equal(again.acceptedSequence, first + 1);
  t.same(told(again), [3, 4, 5]);
  t.equal(again.earlierSequence, first + 3);
  await again.renumber(first - 10);
  t.equal(again.earlierSequence, 0, 'no earlier run has sent them so');
});

t.test('a report made from a state that counts no more is not kept', async (t) => {
  const spool = await grown(folderOf(t), 3);
  const from = spool.memory;
  t.equal(await spool.refused(), 3, 'all that waited are set aside');
  t.equal(await spool.refused(), 0);
  const entry = {
    report: { sequence: 1, timestamp: '', change: 'MISSING', versions: [] },
    memory: from,
  } as const;
  t.same(await spool.push({ ...entry, report: { ...entry.report, versions: [] } }, from), {
    kept: false,
    full: false,
  });
});

t.test('a closed spool writes nothing: another may own the rows', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 3);
  const from = spool.memory;
  const [newest] = spool.read(2, 1);
  spool.close();
  t.same(await spool.push({ ...newest!, report: { ...newest!.report, sequence: 9 } }, from), {
    kept: false,
    full: false,
  });
  await spool.keepArchives([]);
  await spool.adopt({ ...from, sequence: 9 });
  t.same(
    ['memory', 'report', 'archives'].map((part) => rowsIn(folder, part)),
    [0, 3, 0],
  );
});

t.test('broken rows are set aside, with what builds on them; the rest counts', async (t) => {
  for (const [where, name, last, waiting] of [
    [`part = 'memory'`, /^memory /, version(5), 4],
    [`number = (SELECT number FROM kept WHERE part = 'report' LIMIT 1 OFFSET 1)`, /^report /, version(2), 1],
    [`number = (SELECT max(number) FROM kept WHERE part = 'report')`, /^report /, version(4), 3],
  ] as const) {
    for (const text of [`'{"report":{"versions":[]}}'`, `replace(text, '"length":', '"lenght":')`, `''`]) {
      const folder = folderOf(t);
      const spool = await grown(folder, 5);
      await spool.accepted(spool.read(0, 1).at(-1)!);
      spoil(folder, `UPDATE kept SET text = ${text} WHERE ${where}`);
      const state = openState(folder);
      const again = FileSpool.open(state, FILE);
      t.match(again.broken[0], name);
      t.same(again.memory.last, last);
      t.equal(again.waiting.length, waiting);
      state.close();
      t.equal(rowsIn(folder, 'broken'), again.broken.length);
      t.same(open(folder).broken, [], 'once');
    }
  }
});

t.test('a report that is not whole when it is to be sent is told, and set aside', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 3);
  spoil(folder, `UPDATE kept SET sum = sum + 1 WHERE part = 'report'`);
  t.throws(() => spool.read(0, 3), /not whole/);
  t.same(open(folder).memory, NO_MEMORY);
});

t.test('a refused report before one that was accepted is kept for the operator', async (t) => {
  const folder = folderOf(t);
  const spool = await grown(folder, 4);
  const [first, second, third] = spool.read(0, 3);
  await spool.accepted(third!, [first!.report.sequence]);
  t.equal(rowsIn(folder, 'refused'), 1);
  t.equal(rowsIn(folder, 'report'), 1);
  const again = open(folder);
  t.equal(again.acceptedSequence, third!.report.sequence);
  t.not(again.waiting[0]?.sequence, second!.report.sequence);
});

t.test('what is set aside is bounded', async (t) => {
  const folder = folderOf(t);
  const spool = open(folder);
  for (let n = 0; n < 110; n += 1) {
    await grow(spool, n + 1);
    await spool.refused();
  }
  t.equal(rowsIn(folder, 'refused'), 100);
});

t.test('an answer that is not written yet counts for whoever opens the spool anew', async (t) => {
  const folder = folderOf(t);
  const state = openState(folder);
  const before = FileSpool.open(state, FILE);
  await grow(before, 1);
  const writing = before.accepted(before.read(0, 1)[0]!);
  before.close();
  const after = FileSpool.open(state, FILE);
  await writing;
  t.same(after.read(0, 1), [], 'the report is answered');
  t.equal(after.memory.last?.length, 1);
});

t.test('a row that is whole and of another form is set aside as a damaged one is', (t) => {
  const memory = { ...NO_MEMORY, last: version(1), sequence: 1 };
  const report = { timestamp: '2025-11-24T16:00:00.000Z', change: 'APPENDED', versions: [version(1)] };
  const archive = { name: 'a.1', ...version(1), signature: '1:2:3' };
  const read = (part: string, value: unknown) =>
    contentsOf([{ part, number: 1, text: JSON.stringify(value), isWhole: true }], 0);
  const whole = [
    ['memory', { ...memory, more: 1 }],
    ['memory', { report, memory }],
    ['memory', { last: null, sequence: 1 }],
    ['report', { report: { ...report, more: 1 }, memory: { ...memory, attributes: { kind: 'FILE' } } }],
    ['archives', [archive, { ...archive, isUnfound: true, more: 1 }]],
  ] as const;
  for (const [part, value] of whole) t.same(read(part, value).broken, [], JSON.stringify(value));
  const ofMemory = [
    ...[5, {}, { length: 1, hash: 'a' }, { length: -1, hash: version(1).hash }].map((last) => ({ last })),
    ...[{ last: { length: 1e300, hash: version(1).hash } }, { missing: 'no' }, { error: 5 }],
    ...[{ repeatedAt: 'now' }, { identity: 5 }, { kind: 5 }, { attributes: null }],
  ];
  const other = [
    ...ofMemory.map((change) => ['memory', { ...memory, ...change }] as const),
    ...ofMemory.map((change) => ['report', { report, memory: { ...memory, ...change } }] as const),
    ...[[], { ...report, timestamp: 5 }, { ...report, versions: [5] }].map(
      (one) => ['report', { report: one, memory }] as const,
    ),
    ...[{ ...archive, name: 5 }, { ...archive, hash: 'a' }, { ...archive, length: '1' }, null].map(
      (one) => ['archives', [one]] as const,
    ),
  ];
  const late = contentsOf(
    [{ part: 'memory', number: Number.MAX_SAFE_INTEGER, text: JSON.stringify(memory), isWhole: true }],
    0,
  );
  t.same(late.accepted, NO_MEMORY, 'no sequence would be left for the next report');
  for (const [part, value] of other) {
    const { accepted, archives, broken, changes, waiting } = read(part, value);
    t.same(broken, [part === 'archives' ? part : `${part} 1`], JSON.stringify(value));
    t.same(changes, [{ do: 'move', from: part, fromNumber: 1, to: 'broken', toNumber: 1 }]);
    t.same([accepted, archives, waiting], [NO_MEMORY, [], []]);
  }
  t.end();
});
