/** Tests files that threads read before their first look: what a look takes of that, and what it reads itself. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import workers, { Worker } from 'node:worker_threads';
import fc from '@sentinel-node/test-kit/properties';
import t, { type Test } from 'tap';
import { Agent } from '../src/agent.ts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { AheadTable } from '../src/io/ahead-table.ts';
import { FileReader } from '../src/io/file-reader.ts';
import { FileWatch, type Known } from '../src/io/file-watch.ts';
import { FolderListing } from '../src/io/folder-listing.ts';
import {
  HashPool,
  type Ahead,
  type AheadDone,
  type AheadJob,
  type HashAnswer,
  type HashJob,
  type HashWorkerData,
} from '../src/io/hash-pool.ts';
import { ReadRate } from '../src/io/read-rate.ts';
import { configurationOf, FILE_MS, fileId, hashOf, until, type WatchedFile } from './agent-process.ts';
import { nextTick } from './next-tick.ts';
import { StubServer } from './stub-server.ts';

t.setTimeout(FILE_MS);

const RealWorker = Worker;

const MIB = 1_048_576;
const STATS = { dev: 1, ino: 2, size: 3, mtimeMs: 4.5, ctimeMs: 5.25 };

const tableOf = (files: number): AheadTable =>
  new AheadTable(new SharedArrayBuffer(AheadTable.bytesFor(files)), files);

function folder(t: Test): (name: string) => string {
  const made = mkdtempSync(join(tmpdir(), 'sentinel-ahead-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return (name) => join(made, name);
}

/** Lets pools start these threads until the test ends. */
function withWorker(t: Test, type: typeof Worker): void {
  t.teardown(() => {
    workers.Worker = RealWorker;
    syncBuiltinESMExports();
  });
  workers.Worker = type;
  syncBuiltinESMExports();
}

/** Time after which a file's times show every later change, in ms. */
const QUIET_MS = 50;
const beQuiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

/** Lets the pool's only thread read files, 16 at most. The thread hashes a further file only after them. */
async function readAhead(pool: HashPool, paths: readonly string[], other: string): Promise<Ahead[]> {
  await beQuiet();
  const aheads = paths.map((path) => pool.readAhead(path)!);
  await setImmediate();
  await pool.hash(other, null, 0);
  return aheads;
}

t.test('a table gives each file to one thread, and its hash once', async (t) => {
  const table = tableOf(3);
  const other = new AheadTable(table.buffer, 3);
  t.equal(table.take(1, STATS), undefined, 'nobody has read it');
  t.strictSame([table.claim(), other.claim(), table.claim(), other.claim()], [0, 2, undefined, undefined]);
  other.put(2, STATS, hashOf('two'));
  table.leave(0);
  t.strictSame(table.take(2, STATS), { length: 3, hash: hashOf('two') });
  t.equal(table.take(2, STATS), undefined, 'once');
  t.equal(table.take(0, STATS), undefined);
});

t.test('a hash is given for the same stats only', async (t) => {
  const names = Object.keys(STATS) as (keyof typeof STATS)[];
  for (const name of names) {
    const table = tableOf(1);
    table.put(table.claim()!, STATS, hashOf('one'));
    t.equal(table.take(0, { ...STATS, [name]: STATS[name] + 0.5 }), undefined, name);
  }
});

t.test(
  'a table: whatever the order, no file is claimed twice, and a taken hash is the one that was put',
  async () => {
    const FILES = 4;
    const act = fc.oneof(
      fc.constant({ do: 'claim' } as const),
      fc.record({ do: fc.constantFrom('take', 'put', 'leave'), index: fc.nat(FILES - 1) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const table = tableOf(FILES);
        const claimed = new Set<number>();
        const asked = new Set<number>();
        for (const one of acts) {
          if (one.do === 'claim') {
            const index = table.claim();
            if (index === undefined) continue;
            if (claimed.has(index) || asked.has(index)) return false;
            claimed.add(index);
          } else if (one.do === 'take') {
            const version = table.take(one.index, STATS);
            if (version !== undefined && (asked.has(one.index) || version.hash !== hashOf(`${one.index}`)))
              return false;
            asked.add(one.index);
          } else if (claimed.has(one.index) && !asked.has(one.index)) {
            if (one.do === 'put') table.put(one.index, STATS, hashOf(`${one.index}`));
            else table.leave(one.index);
          }
        }
        return true;
      }),
    );
  },
);

t.test('threads read small regular files; all else is left to the look', async (t) => {
  const path = folder(t);
  const pool = new HashPool({ workers: 1 });
  t.teardown(() => pool.close());
  const contents = { empty: '', small: 'one', full: 'x'.repeat(MIB), large: 'x'.repeat(MIB + 1) };
  for (const [name, text] of Object.entries(contents)) writeFileSync(path(name), text);
  mkdirSync(path('folder'));
  symlinkSync(path('small'), path('link'));
  execFileSync('mkfifo', [path('fifo')]);
  const names = ['empty', 'small', 'full', 'large', 'folder', 'link', 'fifo'];
  const aheads = await readAhead(pool, [...names.map(path), path('none')], path('small'));
  const found = names.map((name, index) => [name, aheads[index]!(statSync(path(name)))?.hash] as const);
  t.strictSame(found, [
    ['empty', hashOf('')],
    ['small', hashOf('one')],
    ['full', hashOf(contents.full)],
    ...['large', 'folder', 'link', 'fifo'].map((name) => [name, undefined]),
  ]);
  t.equal(aheads.at(-1)!(STATS), undefined, 'and a file that is not there');
});

t.test('a file that changed just before its reading is left to the look', async (t) => {
  const path = folder(t);
  const pool = new HashPool({ workers: 1 });
  t.teardown(() => pool.close());
  writeFileSync(path('a'), 'one');
  writeFileSync(path('other'), '');
  // The thread is there: the reading comes at once.
  await pool.hash(path('other'), null, 0);
  const readOnce = async (): Promise<boolean> => {
    writeFileSync(path('a'), 'one');
    const ahead = pool.readAhead(path('a'))!;
    await setImmediate();
    await pool.hash(path('other'), null, 0);
    return ahead(statSync(path('a'))) === undefined;
  };
  // A busy machine may read so late that the change is an old one.
  await until('a reading within the grain of the times', readOnce);
});

t.test('a thread opens no FIFO: its opening would act on the writer', async (t) => {
  const path = folder(t);
  const pool = new HashPool({ workers: 1 });
  t.teardown(() => pool.close());
  writeFileSync(path('other'), '');
  execFileSync('mkfifo', [path('fifo')]);
  let isOpen = false;
  // It waits for a reader.
  const writer = open(path('fifo'), 'w').then((handle) => {
    isOpen = true;
    return handle.close();
  });
  await readAhead(pool, [path('fifo')], path('other'));
  await beQuiet();
  t.equal(isOpen, false, 'the writer still waits for its reader');
  await (await open(path('fifo'), constants.O_RDONLY | constants.O_NONBLOCK)).close();
  await writer;
});

t.test('a file that changes while the thread that reads it has no turn is left to the look', async (t) => {
  const path = folder(t);
  writeFileSync(path('a'), 'one');
  await beQuiet();
  // The thread looks at the clock, has no turn for a while, and the file changes in that time.
  const code = `
    const { writeFileSync } = require('node:fs');
    const { now } = Date;
    Date.now = () => {
      const at = now();
      while (now() < at + ${QUIET_MS});
      writeFileSync(${JSON.stringify(path('a'))}, 'two');
      return at;
    };
    import(${JSON.stringify(new URL('../src/io/hash-worker.js', import.meta.url).href)});
  `;
  const { bytesPerSecond, buffer } = new ReadRate();
  const workerData: HashWorkerData = { bytesPerSecond, buffer };
  const thread = new Worker(code, { eval: true, workerData });
  t.teardown(() => thread.terminate());
  const table = tableOf(1);
  thread.postMessage({ paths: [path('a')], buffer: table.buffer } satisfies AheadJob);
  await once(thread, 'message');
  t.equal(table.take(0, statSync(path('a'))), undefined, 'a change in the same tick would not show');
});

t.test('a file that changes while a thread reads it is left to the look', async (t) => {
  const path = folder(t);
  const changes = {
    'written with the same length': `writeFileSync(file, 'two')`,
    appended: `appendFileSync(file, 'more')`,
    cut: `truncateSync(file, 1)`,
    untouched: '',
  };
  for (const name of Object.keys(changes)) writeFileSync(path(name), 'one');
  await beQuiet();
  // The file changes after its stats and its first bytes were read; the reading goes on after that.
  const code = `
    const fs = require('node:fs');
    const { appendFileSync, openSync, readSync, truncateSync, writeFileSync } = fs;
    const changes = { ${Object.entries(changes)
      .map(([name, change]) => `${JSON.stringify(path(name))}: (file) => { ${change}; }`)
      .join(', ')} };
    let file;
    fs.openSync = (path, ...how) => {
      if (path in changes) file = path;
      return openSync(path, ...how);
    };
    fs.readSync = (handle, buffer, offset, length, position) => {
      if (position > 0) return readSync(handle, buffer, offset, length, position);
      const read = readSync(handle, buffer, offset, 1, position);
      changes[file]?.(file);
      return read;
    };
    require('node:module').syncBuiltinESMExports();
    import(${JSON.stringify(new URL('../src/io/hash-worker.js', import.meta.url).href)});
  `;
  const { bytesPerSecond, buffer } = new ReadRate(Infinity);
  const workerData: HashWorkerData = { bytesPerSecond, buffer };
  const thread = new Worker(code, { eval: true, workerData });
  t.teardown(() => thread.terminate());
  const paths = Object.keys(changes).map(path);
  const table = tableOf(paths.length);
  thread.postMessage({ paths, buffer: table.buffer } satisfies AheadJob);
  await once(thread, 'message');
  const taken = Object.keys(changes).map((name, index) => [
    name,
    table.take(index, statSync(path(name)))?.hash,
  ]);
  t.strictSame(taken, [
    ['written with the same length', undefined],
    ['appended', undefined],
    ['cut', undefined],
    ['untouched', hashOf('one')],
  ]);
});

t.test('the paths of many files do not exhaust the memory of the threads', async (t) => {
  const FILES = 10_000;
  const path = folder(t);
  const pool = new HashPool();
  t.teardown(() => pool.close());
  writeFileSync(path('a'), 'one');
  const long = path('x'.repeat(200).concat('/').repeat(19));
  for (let n = 0; n < FILES; n += 1) pool.readAhead(`${long}${n}`);
  const looks = [1, 2, 3].map(() => pool.hash(path('a'), null, 3));
  for (const { now } of await Promise.all(looks)) t.equal(now.hash, hashOf('one'));
});

t.test(
  'files are read ahead a table at a time: the turn of a look does not depend on their number',
  async (t) => {
    const FILES = 4_001;
    const path = folder(t);
    const order: string[] = [];
    class Overheard extends RealWorker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        this.on('message', (answer: HashAnswer | AheadDone) =>
          order.push('ahead' in answer ? 'table read' : 'look answered'),
        );
      }
      override postMessage(job: HashJob | AheadJob): void {
        order.push('paths' in job ? `table of ${job.paths.length}` : 'look');
        super.postMessage(job);
      }
    }
    withWorker(t, Overheard);
    const pool = new HashPool({ workers: 1 });
    t.teardown(() => pool.close());
    writeFileSync(path('a'), 'one');
    await beQuiet();
    const aheads = Array.from({ length: FILES }, () => pool.readAhead(path('a'))!);
    await setImmediate();
    await Promise.all([
      pool.hash(path('a'), null, 0),
      until('all are read', () => order.filter((one) => one === 'table read').length === 3),
    ]);
    t.strictSame(order, [
      ...['table of 2000', 'look', 'look answered', 'table read'],
      ...['table of 2000', 'table read', 'table of 1', 'table read'],
    ]);
    const about = statSync(path('a'));
    for (const index of [0, 1_999, 2_000, 4_000]) t.equal(aheads[index]!(about)?.hash, hashOf('one'));
  },
);

t.test('reading ahead leaves a processor to the main thread, and a thread to the looks', async (t) => {
  const path = folder(t);
  let started = 0;
  class Counted extends RealWorker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      started += 1;
    }
  }
  withWorker(t, Counted);
  const pool = new HashPool();
  t.teardown(() => pool.close());
  writeFileSync(path('a'), 'one');
  for (let n = 0; n < 2_000; n += 1) pool.readAhead(path('a'));
  t.equal(started, Math.min(2, Math.max(1, availableParallelism() - 1)));
  await pool.hash(path('a'), null, 3);
  t.equal(started, 2);
});

t.test(
  'a machine that gives no thread: the looks read by themselves, and what needs a thread fails',
  async (t) => {
    const path = folder(t);
    writeFileSync(path('a'), 'one');
    await beQuiet();
    // As Node does where the system refuses a further thread.
    class NoThread {
      constructor() {
        throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
      }
    }
    withWorker(t, NoThread as unknown as typeof Worker);
    const pool = new HashPool();
    t.teardown(() => pool.close());
    const ahead = pool.readAhead(path('a'))!;
    await setImmediate();
    t.equal(ahead(statSync(path('a'))), undefined);
    await t.rejects(pool.hash(path('a'), null, 3), { code: 'ERR_WORKER_INIT_FAILED' });
    workers.Worker = RealWorker;
    syncBuiltinESMExports();
    t.match(await pool.hash(path('a'), null, 3), { now: { hash: hashOf('one') } }, 'later there is one');
  },
);

t.test('a pool with a rate, or a closed one, reads nothing ahead', async (t) => {
  const paced = new HashPool({ bytesPerSecond: MIB });
  t.teardown(() => paced.close());
  t.equal(paced.readAhead('/a'), undefined);
  const closed = new HashPool();
  const ahead = closed.readAhead('/a');
  await closed.close();
  await setImmediate();
  t.equal(ahead?.(STATS), undefined);
  t.equal(closed.readAhead('/a'), undefined);
});

/** What a watch finds by a file that was read ahead, and what another one finds that reads it. */
async function looks(
  t: Test,
  {
    text = 'one\n',
    known = { memory: NO_MEMORY, archives: [] },
    isRolled = false,
    meanwhile = () => undefined,
  }: {
    text?: string;
    known?: Known;
    isRolled?: boolean;
    meanwhile?: (file: string) => void;
  },
) {
  const path = folder(t);
  const pool = new HashPool({ workers: 1 });
  t.teardown(() => pool.close());
  writeFileSync(path('other'), '');
  writeFileSync(path('a'), text);
  const [ahead] = await readAhead(pool, [path('a')], path('other'));
  meanwhile(path('a'));
  await beQuiet();
  const clock = { steadyMs: () => performance.now(), wallMs: () => Date.now() };
  const rolled = isRolled
    ? { expression: 'a\\.[0-9]', listing: new FolderListing(dirname(path('a')), clock.steadyMs) }
    : undefined;
  const start = (): FileWatch => {
    const reader = new FileReader(pool, { isLocal: true });
    return new FileWatch(
      { path: path('a'), frequency: 'FOLLOW', rolled, reader, attributes: true, share: 1 },
      clock,
    );
  };
  const watch = start();
  const byAhead = watch.lookAhead(known, ahead!);
  return { watch, path: path('a'), byAhead, byReading: await start().look(known, true) };
}

t.test('a look takes what was read ahead as if it had read it', async (t) => {
  const version = (text: string) => ({ length: text.length, hash: hashOf(text) });
  const knowing = (text: string): Known => ({
    memory: { ...NO_MEMORY, last: version(text), sequence: 1 },
    archives: [],
  });
  const cases = {
    new: undefined,
    unchanged: knowing('one\n'),
    shorter: knowing('one\ntwo\n'),
    other: knowing('two\n'),
  };
  for (const [name, known] of Object.entries(cases)) {
    const { byAhead, byReading, path, watch } = await looks(t, known === undefined ? {} : { known });
    t.strictSame(byAhead?.seen, byReading.seen, name);
    t.match(byAhead, { seen: { kind: 'file', now: version('one\n') } }, name);
    t.equal(watch.isUnchanged(NO_MEMORY), true, `${name}: the next look has nothing to read`);
    nextTick();
    writeFileSync(path, 'two\n');
    t.equal(watch.isUnchanged(NO_MEMORY), false, `${name}: and sees a change`);
  }
});

t.test('a look reads a file itself that is not as it was read ahead', async (t) => {
  const otherInode = (file: string): void => {
    writeFileSync(`${file}.new`, 'two\n');
    renameSync(`${file}.new`, file);
  };
  const cases: Record<string, (file: string) => void> = {
    'written with the same length and time': (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, 'two\n');
      utimesSync(file, atime, mtime);
    },
    appended: (file) => appendFileSync(file, 'two\n'),
    replaced: otherInode,
    'a link to the same': (file) => {
      renameSync(file, `${file}.old`);
      symlinkSync(`${file}.old`, file);
    },
    gone: (file) => rmSync(file),
  };
  for (const [name, meanwhile] of Object.entries(cases)) {
    const { byAhead } = await looks(t, { meanwhile });
    t.equal(byAhead, undefined, name);
  }
  const grown: Known = {
    memory: { ...NO_MEMORY, last: { length: 2, hash: hashOf('on') }, sequence: 1 },
    archives: [],
  };
  t.equal((await looks(t, { known: grown })).byAhead, undefined, 'the hash of a part is asked for');
  t.equal((await looks(t, { isRolled: true })).byAhead, undefined, 'archives are compared with it');
});

t.test('what is new is looked at once: a later look reads', async (t) => {
  const { watch, byAhead } = await looks(t, {});
  t.ok(byAhead);
  t.equal(
    watch.lookAhead({ memory: NO_MEMORY, archives: [] }, () => ({ length: 3, hash: hashOf('???') })),
    undefined,
  );
});

/** Counts the looks that took what was read ahead. */
class CountingPool extends HashPool {
  taken = 0;

  constructor() {
    super({ workers: 1 });
  }

  override readAhead(path: string): Ahead | undefined {
    const ahead = super.readAhead(path);
    return (
      ahead &&
      ((about) => {
        const version = ahead(about);
        if (version !== undefined) this.taken += 1;
        return version;
      })
    );
  }
}

/** An agent whose files were read ahead, and that waits for its configuration before the first look. */
async function waitingAgent(t: Test, files: readonly Partial<WatchedFile>[]) {
  const path = folder(t);
  const server = new StubServer();
  const configuration = configurationOf(dirname(path('a')), await server.listen(), files);
  server.configuration = configuration;
  for (const n of files.keys()) writeFileSync(path(`${n}.log`), 'one\n');
  writeFileSync(path('other'), '');
  await beQuiet();
  let answer: () => void = () => undefined;
  server.beforeConfiguration = new Promise((resolve) => (answer = resolve));
  const hashing = new CountingPool();
  const said: string[] = [];
  const agent = new Agent({
    configuration,
    stateDir: path('state'),
    hashing,
    log: (_, message) => void said.push(message),
  });
  await agent.start();
  t.teardown(async () => {
    answer();
    await agent.stop();
    await hashing.close();
    server.close();
  });
  await until('the first heartbeat', () => server.heartbeats.length > 0);
  await hashing.hash(path('other'), null, 0);
  const firstOf = (n: number) => server.reports.find(({ fileId: id }) => id === fileId(n));
  return { path, server, hashing, firstOf, answer: () => answer() };
}

t.test('the first reports of an agent come from what its threads read', async (t) => {
  const { hashing, server, answer, firstOf } = await waitingAgent(t, [{}, { type: 'PROBE', interval: 60 }]);
  answer();
  await until('both', () => server.reports.length >= 2);
  for (const n of [0, 1]) t.strictSame(firstOf(n)?.versions, [{ length: 4, hash: hashOf('one\n') }]);
  t.equal(hashing.taken, 2);
});

t.test('a file that changes between its reading and its first look is told as it is then', async (t) => {
  const { path, server, hashing, answer, firstOf } = await waitingAgent(t, [
    {},
    { type: 'PROBE', interval: 60 },
  ]);
  for (const n of [0, 1]) {
    const { atime, mtime } = statSync(path(`${n}.log`));
    writeFileSync(path(`${n}.log`), 'two\n');
    utimesSync(path(`${n}.log`), atime, mtime);
  }
  answer();
  await until('both', () => firstOf(0) !== undefined && firstOf(1) !== undefined);
  for (const n of [0, 1]) t.strictSame(firstOf(n)?.versions, [{ length: 4, hash: hashOf('two\n') }]);
  t.equal(hashing.taken, 0);
  t.equal(server.reports.length, 2);
  t.ok(existsSync(path('state')));
});

t.test('a file that has another path by the first answer is told as the other file', async (t) => {
  const { path, server, answer, firstOf } = await waitingAgent(t, [{}]);
  writeFileSync(path('moved.log'), 'three\n');
  await beQuiet();
  const { configuration } = server;
  const [file] = configuration!.files;
  server.configuration = { ...configuration!, files: [{ ...file!, path: path('moved.log') }] };
  answer();
  await until('the report', () => firstOf(0) !== undefined);
  t.strictSame(firstOf(0)?.versions, [{ length: 6, hash: hashOf('three\n') }]);
});
