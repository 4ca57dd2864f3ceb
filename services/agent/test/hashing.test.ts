/** Tests hashing in threads, in pieces, at a limited rate, and with changes during a read. */
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  type Stats,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { getPriority } from 'node:os';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_MEMORY, type ArchiveMemory } from '../src/domain/memory.ts';
import { REREAD_MS } from '../src/domain/watching.ts';
import { Gate } from '../src/gate.ts';
import { FileReader } from '../src/io/file-reader.ts';
import { FileWatch } from '../src/io/file-watch.ts';
import { FolderListing } from '../src/io/folder-listing.ts';
import { hashFile } from '../src/io/hash-file.ts';
import { hashInPieces, hashNow, type HashedNow } from '../src/io/hash-now.ts';
import { HashPool } from '../src/io/hash-pool.ts';
import { NotRegularError, probeRegular } from '../src/io/kind.ts';
import { FILE_MS, hashOf, stage, until } from './agent-process.ts';
import { nextTick } from './next-tick.ts';
import { rowsIn } from './state-files.ts';
import { readerBy, unlimitedReads } from './unlimited-reads.ts';

t.setTimeout(FILE_MS);

const PIECE_BYTES = 1_048_576;
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function folder(t: Test): (name: string) => string {
  const made = mkdtempSync(join(tmpdir(), 'sentinel-hashing-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return (name) => join(made, name);
}

t.test('the pool hashes the whole and a prefix, whatever the size', async (t) => {
  const path = folder(t);
  const pool = new HashPool({ workers: 2 });
  t.teardown(() => pool.close());
  const sizes = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES + 7];
  const files = sizes.map((size) => ({ size, bytes: randomBytes(size), file: path(String(size)) }));
  for (const { file, bytes } of files) writeFileSync(file, bytes);
  const marks = (size: number) => [null, 0, Math.floor(size / 2), size, size + 5];
  const asked = files.flatMap((one) => marks(one.size).map((mark) => ({ ...one, mark })));
  const found = await Promise.all(asked.map(({ file, mark, bytes }) => pool.hash(file, mark, bytes.length)));
  const inodeOf = (file: string) => {
    const { dev, ino } = statSync(file);
    return { dev, ino };
  };
  for (const [index, { bytes, file, mark }] of asked.entries()) {
    const prefix = mark === null ? null : bytes.subarray(0, mark);
    t.same(found[index], {
      now: { length: bytes.length, hash: sha(bytes) },
      prefix: prefix === null ? null : { length: prefix.length, hash: sha(prefix) },
      torn: false,
      about: inodeOf(file),
    });
  }
});

t.test('what cannot be hashed is an error of its file alone', async (t) => {
  const path = folder(t);
  const pool = new HashPool();
  t.teardown(() => pool.close());
  writeFileSync(path('a'), 'one');
  const [gone, kind, good] = await Promise.allSettled([
    pool.hash(path('none'), null, 0),
    pool.hash(path('.'), null, 0),
    pool.hash(path('a'), null, 3),
  ]);
  t.match(gone, { status: 'rejected', reason: { code: 'ENOENT' } });
  t.ok(kind.status === 'rejected' && kind.reason instanceof NotRegularError && kind.reason.what === 'folder');
  t.match(good, { status: 'fulfilled', value: { now: { length: 3, hash: hashOf('one') } } });
});

t.test('a file whose size says nothing of its content is an error, not an empty file', async (t) => {
  const pool = new HashPool({ workers: 1 });
  const local = { reads: pool.reads, isLocal: true };
  t.teardown(() => pool.close());
  // The first has size 0, the second one larger than what can be read.
  const files = ['/proc/version', '/sys/kernel/uevent_seqnum'].filter((file) => existsSync(file));
  for (const file of files) {
    t.throws(() => hashNow(file, null, Buffer.alloc(100)), { code: 'NO_SIZE' }, file);
    await t.rejects(pool.hash(file, 5, 0), { code: 'NO_SIZE' }, file);
    await t.rejects(hashFile(file, 5, local), { code: 'NO_SIZE' }, file);
    await t.rejects(probeRegular(file), { code: 'NO_SIZE' }, file);
  }
  const empty = folder(t)('empty');
  writeFileSync(empty, '');
  t.same(hashNow(empty, null, Buffer.alloc(100)).now, { length: 0, hash: hashOf('') });
  t.equal((await hashFile(empty, 0, local)).torn, false);
  t.equal(await probeRegular(empty), 0);
});

t.test('a pool that is closed gives up what waits', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), Buffer.alloc(8 * PIECE_BYTES));
  const pool = new HashPool({ workers: 1, bytesPerSecond: PIECE_BYTES });
  const waiting = [pool.hash(path('a'), null, 3), pool.hash(path('a'), null, 3)].map((one) => t.rejects(one));
  await pool.close();
  await Promise.all(waiting);
  await t.rejects(pool.hash(path('a'), null, 3), /stops/);
});

t.test('small files do not wait for large ones', async (t) => {
  const path = folder(t);
  writeFileSync(path('large'), Buffer.alloc(4 * PIECE_BYTES));
  writeFileSync(path('small'), 'one');
  const large = (pool: HashPool) => [1, 2, 3, 4].map(() => pool.hash(path('large'), null, 100 * PIECE_BYTES));
  // The large files would take hours.
  const slow = new HashPool({ workers: 2, bytesPerSecond: 100 });
  t.teardown(() => slow.close());
  const unread = large(slow).map((one) => t.rejects(one, 'it was not read yet'));
  t.match(await slow.hash(path('small'), null, 3), { now: { length: 3, hash: hashOf('one') } });
  await slow.close();
  await Promise.all(unread);
  const pool = new HashPool({ workers: 2 });
  t.teardown(() => pool.close());
  t.equal((await Promise.all(large(pool))).length, 4, 'each is read in the end');
});

t.test('an agent that stops while it hashes a large file says nothing of the file', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), Buffer.alloc(8 * PIECE_BYTES));
  const agent = start({}, undefined, ['--read-rate', '0.1']);
  await until('watching', () => agent.said().includes('watching'));
  await until('the server was heard', () => server.heartbeats.length > 0);
  t.equal(await agent.kill('SIGTERM'), 0);
  t.same(changes(), []);
  t.equal(rowsIn(state, 'report'), 0, 'nothing waits either');
});

t.test('a file that changes while it is read is seen to', async (t) => {
  const path = folder(t);
  const piece = Buffer.alloc(4);
  const torn = (change: (file: string) => void): boolean => {
    const file = path('a');
    writeFileSync(file, '0123456789');
    const hashing = hashInPieces(file, null, piece);
    hashing.next();
    hashing.next(); // one piece is read
    nextTick();
    change(file);
    for (;;) {
      const step = hashing.next();
      if (step.done === true) return step.value.torn;
    }
  };
  t.equal(
    torn(() => undefined),
    false,
  );
  t.equal(
    torn((file) => appendFileSync(file, 'more')),
    false,
    'what is appended belongs to the next look',
  );
  t.equal(
    torn((file) => truncateSync(file, 6)),
    true,
  );
  t.equal(
    torn((file) => writeFileSync(file, 'abcdefghij')),
    true,
  );
  t.equal(
    torn((file) => utimesSync(file, new Date(0), new Date(0))),
    true,
  );
});

t.test('a long read ends when the agent stops', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), Buffer.alloc(3 * 1_048_576));
  const about = statSync(path('a'));
  let asked = 0;
  const reads = unlimitedReads(() => {
    asked += 1;
    return asked > 2;
  });
  const options = { resume: undefined, keepsRunning: true, about, isLinked: false };
  await t.rejects(readerBy(undefined, false, reads).read(path('a'), null, options), {
    code: 'POOL_CLOSED',
  });
  t.equal(asked, 3, 'between two pieces');
});

t.test('it is read again then, three times at the most', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), Buffer.alloc(100_000));
  const about = statSync(path('a'));
  const reads = async (tornReads: number) => {
    let tries = 0;
    const hash = async () => {
      const torn = ++tries <= tornReads;
      return { now: { length: 0, hash: '' }, prefix: null, torn, about };
    };
    const { torn } = await readerBy(hash, false).read(path('a'), null, {
      resume: undefined,
      keepsRunning: false,
      about,
      isLinked: false,
    });
    return { tries, torn };
  };
  t.same(await reads(0), { tries: 1, torn: false });
  t.same(await reads(2), { tries: 3, torn: false });
  t.same(await reads(9), { tries: 3, torn: true });
});

t.test('a file that changed just before a look is read at the next one too', async (t) => {
  const path = folder(t)('a');
  writeFileSync(path, 'one');
  const { ctimeMs } = statSync(path);
  const pool = new HashPool();
  t.teardown(() => pool.close());
  const readsAgain = async (ageMs: number) => {
    const clock = { steadyMs: () => 0, wallMs: () => ctimeMs + ageMs };
    const reader = new FileReader(pool, { isLocal: true });
    const watch = new FileWatch({ path, frequency: 'FOLLOW', reader, share: 1 }, clock);
    const known = { memory: NO_MEMORY, archives: [] };
    t.ok((await watch.look(known, false)).seen);
    const { isPending } = watch;
    return { isPending, again: (await watch.look(known, false)).seen !== undefined };
  };
  t.same(await readsAgain(5), { isPending: true, again: true });
  t.same(await readsAgain(1_000), { isPending: false, again: false });
});

t.test('a changed file of a machine with another clock is read once more', async (t) => {
  const path = folder(t)('a');
  writeFileSync(path, 'one');
  const { ctimeMs } = statSync(path);
  const pool = new HashPool();
  t.teardown(() => pool.close());
  const reads = async (skewMs: number, isLocal: boolean): Promise<boolean[]> => {
    let nowMs = 0;
    const clock = { steadyMs: () => nowMs, wallMs: () => ctimeMs + skewMs };
    const reader = new FileReader(pool, { isLocal });
    const watch = new FileWatch({ path, frequency: 'FOLLOW', reader, share: 1 }, clock);
    const found: boolean[] = [];
    for (; nowMs <= 9_000; nowMs += 3_000)
      found.push((await watch.look({ memory: NO_MEMORY, archives: [] }, false)).seen !== undefined);
    return found;
  };
  const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
  t.same(
    await reads(HOUR_MS, false),
    [true, true, false, false],
    'a change in the same tick has no time of its own',
  );
  t.same(
    await reads(HOUR_MS, true),
    [true, false, false, false],
    'the times of local files are of this clock',
  );
  t.same(await reads(2 * DAY_MS, false), [true, false, false, false], 'no clock is so far off');
});

t.test('stats of a network file system that come from a cache are no look for long', async (t) => {
  const path = folder(t)('a');
  writeFileSync(path, 'one');
  const pool = new HashPool();
  t.teardown(() => pool.close());
  const looks = async (
    isLocal: boolean,
    opened: (about: Stats) => Stats,
  ): Promise<(string | undefined)[]> => {
    let nowMs = 0;
    const clock = { steadyMs: () => nowMs, wallMs: () => statSync(path).ctimeMs + 3_600_000 };
    const reader = new FileReader(pool, { isLocal });
    let opens = 0;
    reader.openedStats = async () => {
      opens += 1;
      return opened(statSync(path));
    };
    const watch = new FileWatch({ path, frequency: 'FOLLOW', reader, share: 1 }, clock);
    const found: (string | undefined)[] = [];
    for (; nowMs <= 60_000; nowMs += 10_000) {
      const { seen } = await watch.look({ memory: NO_MEMORY, archives: [] }, false);
      found.push(seen?.kind === 'error' ? seen.code : seen?.kind);
    }
    t.ok(opens <= 2, 'not at every look');
    return found;
  };
  const gone = (): never => {
    throw Object.assign(new Error('the other machine does not answer'), { code: 'ETIMEDOUT' });
  };
  const none = undefined;
  // The second look reads again: the first may have come in the tick of a change.
  t.same(await looks(false, (about) => about), ['file', 'file', none, none, none, none, none]);
  t.same(
    await looks(true, gone),
    ['file', none, none, none, none, none, none],
    'a local file has no such cache',
  );
  t.equal((await looks(false, gone))[4], 'ETIMEDOUT', 'the stats alone say that all is well');
  const grown = (about: Stats): Stats => Object.assign(about, { size: about.size + 1 });
  t.equal((await looks(false, grown))[4], 'file', 'it is read when it is another one than the cache says');
});

t.test('a file that stands in for another one only while it is read hides nothing', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), 'one');
  let isHidden = false;
  /** Exchanges what is at the path, as `renameat2` does at once. */
  const exchange = (): void => {
    renameSync(path('a'), path('c'));
    renameSync(path('b'), path('a'));
    renameSync(path('c'), path('b'));
  };
  const hash = (file: string, prefix: number | null) => {
    if (isHidden) exchange();
    const hashed = hashNow(file, prefix, Buffer.alloc(100));
    if (isHidden) exchange();
    isHidden = false;
    return Promise.resolve(hashed);
  };
  let nowMs = Date.now();
  const clock = { steadyMs: () => nowMs, wallMs: () => nowMs };
  const watch = new FileWatch(
    { path: path('a'), frequency: 'PROBE', reader: readerBy(hash), share: 1 },
    clock,
  );
  const found: (string | undefined)[] = [];
  const look = async (): Promise<void> => {
    nowMs += 3_000;
    const { seen } = await watch.look({ memory: NO_MEMORY, archives: [] }, false);
    found.push(seen?.kind === 'file' ? seen.now.hash : undefined);
  };
  await look();
  writeFileSync(path('b'), 'two');
  exchange();
  isHidden = true;
  for (let looks = 0; looks < 3; looks += 1) await look();
  t.same(found[0], hashOf('one'));
  t.ok(found.includes(hashOf('two')), 'what is there at all other times');
  t.notOk(found.slice(1).includes(hashOf('one')), 'what was read is not what was looked at');
});

t.test('a small file that is due is read again at once, and any difference is left to a look', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), 'one');
  let nowMs = Date.now();
  const clock = { steadyMs: () => nowMs, wallMs: () => nowMs };
  const pool = new HashPool({ workers: 1 });
  t.teardown(() => pool.close());
  let reads = 0;
  let read = (file: string): HashedNow => hashNow(file, null, Buffer.alloc(100));
  const reader = Object.assign(new FileReader(pool, { isLocal: true }), {
    readNow: (file: string) => {
      reads += 1;
      return read(file);
    },
  });
  const watch = new FileWatch({ path: path('a'), frequency: 'FOLLOW', reader, share: 1 }, clock);
  nowMs += 3_000;
  const { seen } = await watch.look({ memory: NO_MEMORY, archives: [] }, false);
  const last = seen?.kind === 'file' ? seen.now : null;
  t.equal(last?.hash, hashOf('one'));
  const isUnchanged = (): boolean => watch.isUnchanged({ last });
  t.equal(isUnchanged(), true);
  t.equal(reads, 0, 'its stats are enough');
  nowMs += REREAD_MS;
  t.equal(isUnchanged(), true);
  t.equal(isUnchanged(), true);
  t.equal(reads, 1, 'read once, and not before the next turn');
  nowMs += REREAD_MS;
  const whole = read;
  for (const [what, other] of [
    ['other bytes', { now: { length: 3, hash: hashOf('two') } }],
    ['fewer bytes', { now: { length: 2, hash: hashOf('one') } }],
    ['bytes of two moments', { torn: true }],
    ['another file', { about: Object.assign(statSync(path('a')), { ino: 1 }) }],
  ] as const) {
    read = (file) => ({ ...whole(file), ...other });
    t.equal(isUnchanged(), false, what);
  }
  read = whole;
  t.equal(watch.isUnchanged(NO_MEMORY), false, 'nothing is known to compare with');
  t.equal(isUnchanged(), true, 'it stays due until it was read');
  nowMs += REREAD_MS;
  writeFileSync(path('a'), 'other');
  const before = reads;
  t.equal(isUnchanged(), false);
  t.equal(reads, before, 'other stats are enough for a look');
});

t.test('a reader reads at once what is small, local and not paced, and no link', (t) => {
  const path = folder(t);
  writeFileSync(path('a'), 'one');
  symlinkSync(path('a'), path('link'));
  const readerOf = (isPaced: boolean, isLocal: boolean): FileReader => {
    const pool = new HashPool(isPaced ? { workers: 1, bytesPerSecond: 1_000 } : { workers: 1 });
    t.teardown(() => pool.close());
    return new FileReader(pool, { isLocal });
  };
  const reader = readerOf(false, true);
  t.match(reader.readNow(path('a'), 3), { now: { length: 3, hash: hashOf('one') }, torn: false });
  t.equal(reader.readNow(path('a'), 65_537), undefined, 'large');
  t.equal(reader.readNow(path('link'), 3), undefined, 'a link');
  t.equal(reader.readNow(path('gone'), 3), undefined, 'nothing');
  t.equal(readerOf(true, true).readNow(path('a'), 3), undefined, 'paced');
  t.equal(readerOf(false, false).readNow(path('a'), 3), undefined, 'on another machine');
  t.end();
});

t.test('a file that is rotated between its stats and its reading was rotated once', async (t) => {
  const path = folder(t);
  const rotate = (content: string): void => {
    if (existsSync(path('a.1'))) renameSync(path('a.1'), path('a.2'));
    renameSync(path('a'), path('a.1'));
    writeFileSync(path('a'), content);
  };
  let beforeReading = (): void => undefined;
  const hash = (file: string, prefix: number | null) => {
    beforeReading();
    return Promise.resolve(hashNow(file, prefix, Buffer.alloc(100)));
  };
  let nowMs = 0;
  const clock = { steadyMs: () => nowMs, wallMs: () => nowMs };
  const reader = readerBy(hash);
  const listing = new FolderListing(dirname(path('a')), clock.steadyMs);
  const rolled = { expression: 'a\\.[0-9]', listing };
  const watch = new FileWatch({ path: path('a'), frequency: 'PROBE', rolled, reader, share: 1 }, clock);
  let [memory, archives] = [NO_MEMORY, [] as readonly ArchiveMemory[]];
  const changes: string[] = [];
  const look = async (): Promise<void> => {
    nowMs += 3_000;
    const { seen, archives: others } = await watch.look({ memory, archives }, false);
    archives = others ?? archives;
    if (seen === undefined || !('now' in seen)) return;
    if ('archivesNow' in seen) archives = seen.archivesNow ?? archives;
    memory = { ...memory, last: seen.now };
    changes.push(seen.kind);
  };
  writeFileSync(path('a'), 'one');
  await look();
  rotate('two');
  beforeReading = () => {
    beforeReading = () => undefined;
    rotate('three');
  };
  for (let looks = 0; looks < 5; looks += 1) await look();
  t.same(memory.last?.hash, hashOf('three'));
  t.strictSame(changes, ['file', 'rolled']);
});

t.test('a gate lets so many in at a time, in their order, and others after one that failed', async (t) => {
  const gate = new Gate(2);
  const order: number[] = [];
  let [inside, most] = [0, 0];
  const runs = [0, 1, 2, 3, 4, 5].map((n) =>
    gate.run(async () => {
      most = Math.max(most, (inside += 1));
      order.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (n === 1) throw new Error('one fails');
    }),
  );
  const results = await Promise.allSettled(runs);
  t.same(order, [0, 1, 2, 3, 4, 5]);
  t.equal(most, 2);
  t.same(
    results.map(({ status }) => status === 'rejected'),
    [false, true, false, false, false, false],
  );
});

t.test('a call that is outside of the gate for a while goes on before those that wait', async (t) => {
  const gate = new Gate(1);
  const order: string[] = [];
  let enter: () => void = () => undefined;
  let end: () => void = () => undefined;
  const first = gate.run(async () => {
    await gate.outside(() => new Promise<void>((resolve) => (enter = resolve)));
    order.push('first again');
  });
  const others = ['second', 'third'].map((name) =>
    gate.run(async () => {
      order.push(name);
      await new Promise<void>((resolve) => (end = resolve));
    }),
  );
  t.same(order, ['second'], 'its place is free');
  enter();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(order, ['second'], 'and is not free again');
  end();
  await first;
  await until('the third', () => order.length === 3);
  t.same(order, ['second', 'first again', 'third']);
  end();
  await Promise.all(others);
  t.equal(gate.isCrowded, false);
});

t.test('the agent stands back behind others, unless it is told not to', async (t) => {
  const { path, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  const agent = start();
  await until('FIRST', () => changes().includes('FIRST'));
  t.ok(getPriority(agent.pid) >= 10);
  await agent.kill();
  // While it was away: the killed agent may have kept that the server took the first report, or not.
  writeFileSync(path('0.log'), 'one\ntwo\n');
  const eager = start({}, undefined, ['--nice', '0']);
  await until('the change', () => changes().some((change) => change !== 'FIRST'));
  t.equal(getPriority(eager.pid), getPriority());
});
