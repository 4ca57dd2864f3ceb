import {
  CURRENT_RULES,
  decodeChainBody,
  GROUPS,
  partitionOf,
  TOPICS,
  type ChainRecord,
  type Policy,
} from '@sentinel-node/contracts';
import type { StoredRecord } from '@sentinel-node/platform';
import { gate } from '@sentinel-node/test-kit/contract-suites';
import t from 'tap';
import { BatchVerifier } from '../src/consume.ts';
import { HeadCache } from '../src/head-cache.ts';
import { HeadShapeError, INITIAL_HEAD, loadHeads, strayCause, type Head } from '../src/index.ts';
import { StoppedError } from '../src/persistence.ts';
import type { SaveLimits } from '../src/unsaved-heads.ts';
import { Crash, MemoryLog, MemoryStore } from './doubles/memory-ports.ts';
import { batchOf } from './doubles/world.ts';
import {
  change,
  FILE,
  first,
  LOG_ID,
  missing,
  report,
  told,
  unchanged,
  version,
  type Made,
} from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const B = version('B');

function setUp(saving: Partial<SaveLimits> = { records: 1 }) {
  const stop = { asked: false };
  const fileEvents: StoredRecord[] = [];
  const eventLog = new MemoryLog(1, () => 'none', [fileEvents]);
  const store = new MemoryStore();
  const cache = new HeadCache({ heads: 10 });
  const persist = async (write: () => Promise<unknown>) => void (await write());
  const isStopping = () => stop.asked;
  const clock = { nowMs: 0 };
  const newVerifier = (repeating = persist) => {
    const now = () => clock.nowMs;
    return new BatchVerifier({
      eventLog,
      store,
      cache,
      saving,
      now,
      logId: LOG_ID,
      persist: repeating,
      isStopping,
    });
  };
  const verifier = newVerifier();
  const at = (from: number, records: readonly Made[]) => {
    const stored = records.map((record, i) => ({ ...record, partition: 0, offset: from + i }));
    for (const record of stored) fileEvents[record.offset] = record;
    return batchOf(0, stored);
  };
  return { eventLog, store, cache, clock, verifier, newVerifier, at, stop };
}

t.test('the cache keeps the heads that were judged last, up to its limit', async (t) => {
  const cache = new HeadCache({ heads: 2 });
  cache.put(0, 'a', INITIAL_HEAD);
  cache.put(0, 'b', INITIAL_HEAD);
  cache.put(0, 'a', INITIAL_HEAD);
  cache.put(1, 'c', INITIAL_HEAD);
  t.equal(cache.size, 2);
  t.equal(cache.get(0, 'b'), undefined);
  t.equal(cache.get(0, 'a'), INITIAL_HEAD);
  cache.drop(0);
  t.equal(cache.get(0, 'a'), undefined);
  t.equal(cache.get(1, 'c'), INITIAL_HEAD, 'the other partition stays');
  t.throws(() => new HeadCache({ heads: 0 }), RangeError);
});

t.test('long paths count as what they take: the cache has a limit in bytes too', async (t) => {
  const rest = { configVersion: 1, modifiable: true, rolled: false, enabled: true, rolledFilenameRegexp: '' };
  const withPath = (characters: number): Head => {
    const path = '/'.repeat(characters);
    const policy: Policy = { ...rest, monitoringFrequency: 'FOLLOW', category: 'STANDARD', path };
    return { ...INITIAL_HEAD, policy };
  };
  const cache = new HeadCache({ bytes: 100_000 });
  const fill = (characters: number) => {
    for (let n = 0; n < 200; n += 1) cache.put(0, `${n}`, withPath(characters));
    t.ok(cache.bytes <= 100_000, `${cache.bytes} bytes of ${cache.size} heads`);
    return cache.size;
  };
  const short = fill(30);
  const long = fill(4_096);
  t.ok(short > 5 * long && long > 1, `${short} short ones, ${long} long ones`);
  cache.put(0, 'huge', withPath(100_000));
  t.equal(cache.get(0, 'huge'), undefined, 'one that is larger than the limit is not kept');
  t.ok(cache.size > 0 && cache.bytes <= 100_000, 'and takes nobody’s place');
  const kept = cache.size;
  cache.put(0, 'grows', withPath(1));
  t.ok(cache.get(0, 'grows'));
  cache.put(0, 'grows', withPath(100_000));
  t.equal(cache.get(0, 'grows'), undefined, 'nor is what it was before it grew');
  t.ok(cache.size <= kept);
});

t.test('nothing is judged when somebody has dropped the heads meanwhile', async (t) => {
  const { eventLog, store, at, newVerifier } = setUp();
  const { log } = given({}, first(A), unchanged(A)).teller;
  await newVerifier().handle(at(0, log.slice(0, 1)));
  const published = eventLog.partitions[0]!.length;
  const kept = new Map(store.heads);
  store.heads.clear();
  await t.rejects(newVerifier().handle(at(1, log.slice(1, 2))), {
    code: 'COLLECTION_LOST',
    message: /^the collection heads is empty, but the verifier has judged reports/,
  });
  t.equal(eventLog.partitions[0]!.length, published, 'no second chain is begun');
  for (const [id, head] of kept) store.heads.set(id, head);
  await newVerifier().handle(at(1, log.slice(1, 2)));
});

t.test('records of somebody else before the first report are no sign that heads were dropped', async (t) => {
  const { at, eventLog, newVerifier, store } = setUp({ records: 2 });
  const { log } = given({}, first(A)).teller;
  const before = newVerifier();
  await before.handle(at(0, [{ ...log[0]!, key: '' }]));
  await before.saveAll();
  t.equal(store.checkpoints.size, 0);
  await newVerifier().handle(at(1, log));
  t.equal(eventLog.partitions[0]!.length, 1);
});

t.test('consecutive batches need one read of the store, a gap another', async (t) => {
  const { at, store, verifier } = setUp();
  const { log } = given({}, first(A), unchanged(A), unchanged(A), unchanged(A)).teller;
  await verifier.handle(at(0, log.slice(0, 1)));
  await verifier.handle(at(1, log.slice(1, 2)));
  t.equal(store.reads, 1);
  await verifier.handle(at(1, log.slice(1, 3)));
  t.equal(store.reads, 2, 'a batch that starts elsewhere drops the heads');
});

t.test('records that the head has applied are not published again', async (t) => {
  const { at, eventLog, verifier } = setUp();
  const { log } = given({}, first(A), report('APPENDED', [A, B])).teller;
  await verifier.handle(at(0, log));
  await verifier.handle(at(0, log));
  t.equal(eventLog.partitions[0]?.length, 2);
});

t.test('a service that stops begins no batch, and the next delivery of it is whole', async (t) => {
  const { at, eventLog, stop, verifier } = setUp();
  const { log } = given({}, first(A), report('APPENDED', [A, B])).teller;
  stop.asked = true;
  await t.rejects(verifier.handle(at(0, log)), StoppedError);
  t.equal(eventLog.partitions[0]?.length ?? 0, 0, 'nothing is published');
  stop.asked = false;
  await verifier.handle(at(0, log));
  t.equal(eventLog.partitions[0]?.length, 2);
});

t.test('a partition that changes members within the process is judged as ever', async (t) => {
  const { at, cache, eventLog, store, verifier } = setUp();
  const steps = Array.from({ length: 7 }, (_, n) =>
    report('APPENDED', [version(`${n}`, n), version(`${n + 1}`, n + 1)]),
  );
  const { log } = given({}, first(version('0', 0)), ...steps).teller;
  // The member that had the partition still works on all of it when the next one begins with the first three.
  await Promise.all([verifier.handle(at(0, log)), verifier.handle(at(0, log.slice(0, 3)))]);
  await verifier.handle(at(3, log.slice(3)));
  const written = eventLog.partitions[0]!;
  const bodies = new Map(written.map(({ body, id }) => [id, Buffer.from(body).toString()]));
  t.equal(bodies.size, log.length);
  for (const { body, id } of written)
    t.equal(Buffer.from(body).toString(), bodies.get(id), 'twice is the same');
  const { key } = log[0]!;
  const head = cache.get(0, key)!;
  t.equal(head.rev, log.length);
  t.match((await store.getMany('heads', [key]))[0] ?? {}, { rev: log.length });
});

t.test('a batch of many large records is published in several appends', async (t) => {
  const { at, eventLog, verifier } = setUp();
  const appends: number[] = [];
  const { append } = eventLog;
  eventLog.append = (topic, records) => {
    appends.push(records.length);
    return append.call(eventLog, topic, records);
  };
  const many = Array.from({ length: 900 }, (_, i) => version(`v${i}`, i + 1));
  const again = report('REPLACED', [many.at(-1)!, ...many]);
  const { log } = given({}, first(many.at(-1)!), ...many.slice(0, 40).map(() => again)).teller;
  await verifier.handle(at(0, log));
  t.ok(appends.length > 1, `${appends.length} appends`);
  t.equal(
    appends.reduce((sum, n) => sum + n, 0),
    log.length,
  );
});

t.test('heads of another shape are refused', async (t) => {
  const { at, store, verifier } = setUp();
  const { log } = given({}, first(A)).teller;
  store.heads.set(log[0]!.key, JSON.stringify({ id: log[0]!.key, shape: 0, rev: 1 }));
  await t.rejects(verifier.handle(at(0, log)), HeadShapeError);
});

t.test('a record that no program can have put there is passed over and told, once', async (t) => {
  const { at, cache, eventLog, store } = setUp();
  const { log } = given({}, first(A), unchanged(A)).teller;
  const strays: string[] = [];
  const onStray = (topic: string, { offset }: StoredRecord, cause: string) =>
    void strays.push(`${topic} ${offset}: ${cause}`);
  const persist = async (call: () => Promise<unknown>) => void (await call());
  const fresh = () => new BatchVerifier({ eventLog, store, cache, logId: LOG_ID, persist, onStray });
  const foreign = { ...log[0]!, key: '', body: new TextEncoder().encode('foreign') };
  await fresh().handle(at(0, [log[0]!, foreign, ...log.slice(1)]));
  await fresh().handle(at(log.length + 1, [foreign]));
  t.equal(eventLog.partitions[0]!.length, log.length);
  t.equal(eventLog.deadLetters.length, 0, 'nothing is parked');
  t.notOk(store.heads.has(''));
  t.same(strays, [
    `${TOPICS.fileEvents} 1: it has no key`,
    `${TOPICS.fileEvents} ${log.length + 1}: it has no key`,
  ]);
  const right = partitionOf(FILE, 64);
  t.equal(strayCause({ key: FILE, partition: right }, 64), undefined);
  t.equal(strayCause({ key: FILE, partition: right + 1 }, 64), `its key belongs to partition ${right}`);
});

t.test('a head that somebody changed to another form is refused before anything is published', async (t) => {
  const { at, eventLog, newVerifier, store, verifier } = setUp();
  const { log } = given({}, first(A), unchanged(A)).teller;
  await verifier.handle(at(0, log.slice(0, 1)));
  const published = eventLog.partitions[0]!.length;
  const head = JSON.parse(store.heads.get(FILE)!) as Head;
  for (const [member, value] of Object.entries({
    rev: '2',
    offset: null,
    policy: 'none',
    open: [],
    missing: 0,
    parked: null,
    highest: 1,
  })) {
    store.heads.set(FILE, JSON.stringify({ ...head, [member]: value }));
    await t.rejects(
      newVerifier().handle(at(1, log.slice(1))),
      { code: 'HEAD_UNUSABLE', message: new RegExp(`head of ${FILE} .* has ${member} .*removed, so that`) },
      member,
    );
  }
  t.equal(eventLog.partitions[0]!.length, published);
  t.equal(eventLog.deadLetters.length, 0, 'nothing is parked');
});

t.test(
  'rules of a newer version stop the verifier before the record, and it says where it stands',
  async (t) => {
    const { at, eventLog, verifier } = setUp();
    const { log } = given({}, first(A)).teller;
    const body = new TextDecoder().decode(log[0]!.body).replace(`"rules":${CURRENT_RULES}`, '"rules":99');
    const offset = 41;
    const refused = verifier.handle(at(offset, [{ ...log[0]!, body: new TextEncoder().encode(body) }]));
    await t.rejects(refused, { name: 'UnjudgeableRecordError', code: 'UNJUDGEABLE_RECORD', offset });
    t.equal(eventLog.deadLetters.length, 0, 'nothing is parked');
  },
);

t.test('a newer version may write records in a form of its own: they stop the verifier too', async (t) => {
  const { at, eventLog, verifier } = setUp();
  const { log } = given({}, first(A)).teller;
  const body = new TextDecoder()
    .decode(log[0]!.body)
    .replace(`"rules":${CURRENT_RULES}`, '"rules":99,"more":true');
  const refused = verifier.handle(at(0, [{ ...log[0]!, body: new TextEncoder().encode(body) }]));
  await t.rejects(refused, { code: 'UNJUDGEABLE_RECORD' });
  t.equal(eventLog.deadLetters.length, 0, 'nothing is parked');
});

t.test(
  'a head of an awaited path that is missing has a shape of its own, and comes back whole',
  async (t) => {
    const { at, store, verifier } = setUp();
    const { log, head } = given({}, first(A), change({ path: '/srv/typo' }), missing).teller;
    await verifier.handle(at(0, log));
    const stored = JSON.parse(store.heads.get(FILE)!) as { shape: number };
    t.equal(stored.shape, 4);
    t.equal(head.awaitedMissing, true);
    t.same((await loadHeads(store, [FILE])).get(FILE), head);
  },
);

t.test('a head with attributes has a shape of its own, and comes back whole', async (t) => {
  const { at, store, verifier } = setUp();
  const { log, head } = given(
    { modifiable: false, watchAttributes: true },
    told(A, { kind: 'FILE', mode: '0644' }),
  ).teller;
  await verifier.handle(at(0, log));
  const stored = JSON.parse(store.heads.get(FILE)!) as { shape: number };
  t.equal(stored.shape, 3);
  t.same((await loadHeads(store, [FILE])).get(FILE)?.attributes, head.attributes);
});

t.test('a line of a bulk request is a report too', async (t) => {
  const { at, eventLog, verifier } = setUp();
  const { log } = given({}, first(A)).teller;
  const { body, key } = log[0]!;
  const line = new TextDecoder().decode(body).replace('\n{', `\n{"fileId":"${key}",`);
  await verifier.handle(at(0, [{ ...log[0]!, body: new TextEncoder().encode(line) }]));
  t.equal(eventLog.partitions[0]?.length, 1);
});

const OTHER = '01932b5e-7c00-7a11-8b22-0000000000ff';

/** The same history for another file. */
const elsewhere = (record: Made): Made => {
  const body = new TextDecoder().decode(record.body).replaceAll(FILE, OTHER);
  return { ...record, key: OTHER, body: new TextEncoder().encode(body) };
};

/** Holds the calls of a function back until they are let go. */
function holding<A extends unknown[], R>(call: (...args: A) => Promise<R>) {
  const [reached, released] = [gate(), gate()];
  const held = async (...args: A): Promise<R> => {
    reached.open();
    await released.opened;
    return call(...args);
  };
  return { held, open: released.open, isReached: reached.opened };
}

const CHECKPOINT = `${GROUPS.verifier}/${TOPICS.fileEvents}/0`;
const NEVER: SaveLimits = { records: 1_000, heads: 1_000, ms: 1_000 };

/** A history of one file, and the offset that the store's checkpoint and head have. */
function lateHeads(saving: Partial<SaveLimits>) {
  const ports = setUp({ ...NEVER, ...saving });
  const { log } = given({}, first(A), ...Array.from({ length: 7 }, () => report('APPENDED', [A]))).teller;
  const savedTo = (): number | undefined => {
    const text = ports.store.checkpoints.get(CHECKPOINT);
    return text === undefined ? undefined : (JSON.parse(text) as { rev: number }).rev;
  };
  const savedHead = (): number | undefined => {
    const text = ports.store.heads.get(FILE);
    return text === undefined ? undefined : (JSON.parse(text) as { offset: number }).offset;
  };
  /** A verifier that repeats what failed. */
  const again = ports.newVerifier(async (call) => {
    for (;;) {
      try {
        return void (await call());
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
  });
  return { ...ports, again, log, savedTo, savedHead };
}

t.test('heads are saved after so many records of a partition', async (t) => {
  const { at, log, savedHead, savedTo, verifier } = lateHeads({ records: 3 });
  await verifier.handle(at(0, log.slice(0, 2)));
  t.same([savedTo(), savedHead()], [undefined, undefined]);
  await verifier.handle(at(2, log.slice(2, 4)));
  t.same([savedTo(), savedHead()], [4, 3]);
  await verifier.handle(at(4, log.slice(4, 5)));
  t.same([savedTo(), savedHead()], [4, 3]);
});

t.test('heads are saved with the first batch after so much time', async (t) => {
  const { at, clock, log, savedTo, verifier } = lateHeads({ ms: 500 });
  await verifier.handle(at(0, log.slice(0, 1)));
  clock.nowMs = 499;
  await verifier.handle(at(1, log.slice(1, 2)));
  t.equal(savedTo(), undefined);
  clock.nowMs = 500;
  await verifier.handle(at(2, log.slice(2, 3)));
  t.equal(savedTo(), 3);
});

t.test('heads are saved when all partitions together hold too many', async (t) => {
  const { at, log, savedTo, verifier } = lateHeads({ heads: 1 });
  await verifier.handle(at(0, log.slice(0, 1)));
  t.equal(savedTo(), 1);
});

t.test('a new process judges again what was not saved, and publishes none of it', async (t) => {
  const { at, eventLog, log, newVerifier, savedTo, store, verifier } = lateHeads({ records: 3 });
  await verifier.handle(at(0, log.slice(0, 3)));
  await verifier.handle(at(3, log.slice(3, 5)));
  t.equal(savedTo(), 3);
  const again = newVerifier();
  await again.handle(at(5, log.slice(5)));
  t.equal(eventLog.partitions[0]!.length, log.length);
  await again.saveAll();
  t.equal(savedTo(), log.length);
  t.equal((await loadHeads(store, [FILE])).get(FILE)?.rev, log.length);
});

t.test('a new process without any checkpoint begins with the first record', async (t) => {
  const { at, eventLog, log, newVerifier, verifier } = lateHeads({});
  await verifier.handle(at(0, log.slice(0, 5)));
  await newVerifier().handle(at(5, log.slice(5)));
  const published = eventLog.partitions[0]!.map(({ body }) => (decodeChainBody(body) as ChainRecord).rev);
  t.same(
    published,
    log.map((_, i) => i + 1),
  );
});

t.test('a cache that holds no head loses none that is not saved', async (t) => {
  const { at, cache, eventLog, log, verifier } = lateHeads({});
  await verifier.handle(at(0, log.slice(0, 5)));
  cache.drop(0);
  await verifier.handle(at(5, log.slice(5)));
  t.equal(eventLog.partitions[0]!.length, log.length);
  const last = decodeChainBody(eventLog.partitions[0]!.at(-1)!.body) as ChainRecord;
  t.equal(last.rev, log.length);
});

t.test('many heads are saved in several writes, and the checkpoint comes last', async (t) => {
  const { at, log, store, verifier } = lateHeads({ records: 5_000 });
  const writes: [string, number][] = [];
  const { write } = store;
  store.write = (collection, documents) => {
    writes.push([collection, documents.length]);
    return write.call(store, collection, documents);
  };
  const files = Array.from(
    { length: 5_000 },
    (_, n) => `01932b5e-7c00-7a11-8b22-${String(n).padStart(12, '0')}`,
  );
  const records = files.map((key) => {
    const body = new TextDecoder().decode(log[0]!.body).replaceAll(FILE, key);
    return { ...log[0]!, key, body: new TextEncoder().encode(body) };
  });
  await verifier.handle(at(0, records));
  t.same(writes, [
    ['heads', 2_000],
    ['heads', 2_000],
    ['heads', 1_000],
    ['checkpoints', 1],
  ]);
});

t.test(
  'a member that still works on a batch takes nothing from the member that begins the partition anew',
  async (t) => {
    const { at, eventLog, log, store, verifier } = lateHeads({});
    const poison = {
      ...log[0]!,
      key: OTHER,
      id: 'poison',
      body: new TextEncoder().encode('{"kind":"riddle"}'),
    };
    await verifier.handle(at(0, log.slice(0, 1)));
    const append = eventLog.append.bind(eventLog);
    const slow = holding(append);
    eventLog.append = slow.held;
    const before = verifier.handle(at(1, [poison]));
    await slow.isReached;
    eventLog.append = append;
    const late = holding(() => Promise.resolve());
    const read = eventLog.read.bind(eventLog);
    eventLog.read = async function* (topic, ...rest) {
      if (topic === TOPICS.fileEvents) await late.held();
      yield* read(topic, ...rest);
    };
    const anew = verifier.handle(at(1, [poison]));
    await late.isReached;
    slow.open();
    await before;
    t.equal(
      (await loadHeads(store, [FILE])).get(FILE)?.rev,
      1,
      'a checkpoint says no more than the store has',
    );
    late.open();
    await anew;
    await verifier.handle(at(2, log.slice(1, 2)));
    const last = decodeChainBody(eventLog.partitions[0]!.at(-1)!.body) as ChainRecord;
    t.equal(last.rev, 2, 'the file goes on where it was');
  },
);

t.test('a member that ends a batch late puts no older head in the place of a newer one', async (t) => {
  const { at, eventLog, log, verifier } = lateHeads({ records: 1 });
  await verifier.handle(at(0, log.slice(0, 1)));
  const append = eventLog.append.bind(eventLog);
  const slow = holding(append);
  eventLog.append = slow.held;
  const before = verifier.handle(at(1, log.slice(1, 2)));
  await slow.isReached;
  eventLog.append = append;
  for (const offset of [1, 2]) await verifier.handle(at(offset, log.slice(offset, offset + 1)));
  slow.open();
  await before;
  await verifier.handle(at(3, log.slice(3, 4)));
  const last = decodeChainBody(eventLog.partitions[0]!.at(-1)!.body) as ChainRecord;
  t.equal(last.rev, 4);
});

t.test('two members that begin the same batch judge it from the same heads', async (t) => {
  const { at, eventLog, log, verifier } = lateHeads({});
  await verifier.handle(at(0, log.slice(0, 1)));
  await Promise.all([verifier.handle(at(1, log.slice(1, 2))), verifier.handle(at(1, log.slice(1, 2)))]);
  const revs = eventLog.partitions[0]!.map(({ body }) => (decodeChainBody(body) as ChainRecord).rev);
  t.same(revs, [1, 2, 2]);
});

t.test('a record that was judged, and cannot be judged by this version, stops the verifier', async (t) => {
  const { at, eventLog, log, verifier } = lateHeads({});
  at(0, [{ ...log[0]!, body: new TextEncoder().encode('{"kind":"riddle"}') }]);
  await t.rejects(verifier.handle(at(1, log.slice(1, 2))), { code: 'UNJUDGEABLE_RECORD', offset: 0 });
  t.equal(eventLog.partitions[0]!.length, 0, 'nothing is published');
});

t.test('records are judged again in as many reads as they come, also when a read fails once', async (t) => {
  const { again, at, eventLog, log, store } = lateHeads({ records: 3 });
  at(0, [...log, ...log.map(elsewhere)]);
  const count = 2 * log.length;
  const read = eventLog.read.bind(eventLog);
  let failures = 1;
  eventLog.read = async function* (topic, partition, from, to = count) {
    for (let next = from; next < to; next += 2) {
      if (next > 4 && failures-- > 0) throw new Crash();
      yield* read(topic, partition, next, Math.min(next + 2, to));
    }
  };
  await again.handle(at(count, [log[0]!]));
  for (const key of [FILE, OTHER]) t.equal((await loadHeads(store, [key])).get(key)?.rev, log.length, key);
  t.equal(eventLog.partitions[0]!.length, 0, 'nothing of it is published again');
});

t.test('a failed read leaves no head behind that the repeat would take for a saved one', async (t) => {
  const { again, at, eventLog, log, store } = lateHeads({});
  at(0, [...log, ...log.map(elsewhere)]);
  const count = 2 * log.length;
  const read = eventLog.read.bind(eventLog);
  let failures = 1;
  eventLog.read = async function* (topic, partition, from, to = count) {
    // The whole history of the first file comes before the failure, and nothing of it afterwards.
    yield* read(topic, partition, from, log.length);
    if (failures-- > 0) throw new Crash();
    yield* read(topic, partition, log.length, to);
  };
  await again.handle(at(count, [elsewhere(log[0]!)]));
  await again.saveAll();
  for (const key of [FILE, OTHER]) t.equal((await loadHeads(store, [key])).get(key)?.rev, log.length, key);
});
