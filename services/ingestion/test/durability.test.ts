import t from 'tap';
import { TOPICS } from '@sentinel-node/contracts';
import {
  NotDurableError,
  OverloadedError,
  type DocumentStore,
  type EventLog,
  type LogRecord,
} from '@sentinel-node/platform';
import { report, SEQUENCE, startWorld, until, type World } from './support.ts';

type Append = EventLog['append'];

/** Lets a test decide what an append to file-events does. */
function withAppend(around: (append: Append) => Append) {
  return (log: EventLog): EventLog => {
    const append = around((topic, records) => log.append(topic, records));
    return new Proxy(log, {
      get: (target, name) => {
        if (name === 'append') return append;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
      },
    });
  };
}

const HEARTBEAT = {
  timestamp: '2026-11-21T10:00:00.000Z',
  instanceId: 'one',
  agentVersion: '1',
  queue: 0,
  oldestUnsent: null,
  files: [],
};

const line = (world: World, changes: object): string =>
  JSON.stringify({ fileId: world.file.id, ...report(changes) });

t.test('202 only after the append is durable', async (t) => {
  let finish: (() => void) | undefined;
  const wrapLog = withAppend((append) => async (topic, records) => {
    await new Promise<void>((resolve) => (finish = resolve));
    return append(topic, records);
  });
  const world = await startWorld(t, { wrapLog });
  let answered = false;
  const answer = world.send(report()).then((answer) => {
    answered = true;
    return answer;
  });
  await until(() => finish !== undefined);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.notOk(answered);
  finish!();
  t.equal((await answer).statusCode, 202);
});

const failures = [
  { error: new NotDurableError('the disk is full'), code: 'NOT_DURABLE', retryAfter: 5 },
  { error: new OverloadedError('too much waits'), code: 'OVERLOADED', retryAfter: 1 },
];
for (const { error, code, retryAfter } of failures) {
  t.test(`503 ${code}: nothing is acknowledged, and it works again afterwards`, async (t) => {
    let failing = true;
    const wrapLog = withAppend(
      (append) => (topic, records) => (failing ? Promise.reject(error) : append(topic, records)),
    );
    const world = await startWorld(t, { wrapLog });
    for (const answer of [
      await world.send(report()),
      await world.send('{}'),
      await world.bulk(`${line(world, {})}\n{}\n`),
      await world.send(report(), { prefer: 'receipt' }),
      await world.bulk(line(world, {}), { prefer: 'receipt' }),
      await world.health(HEARTBEAT),
    ]) {
      t.equal(answer.statusCode, 503);
      t.equal(answer.json().code, code);
      t.notMatch(answer.payload, 'signature', 'no receipt of what is not durable');
      t.equal(Number(answer.headers['retry-after']), retryAfter);
    }
    t.same(await world.records(), []);
    failing = false;
    t.equal((await world.send(report())).statusCode, 202);
    t.equal((await world.send('{}')).statusCode, 422);
    t.same(
      (await world.records()).map(({ header }) => header.kind),
      ['report', 'notice'],
      'the event that could not be kept comes with the next such body',
    );
  });
}

t.test('bulk bodies that are refused whole show in the metrics, and count once', async (t) => {
  let isFull = false;
  const wrapLog = withAppend(
    (append) => (topic, records) =>
      isFull ? Promise.reject(new NotDurableError('full')) : append(topic, records),
  );
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '1', SENTINEL_LIMIT_DEVICE_BURST: '3' };
  const world = await startWorld(t, { wrapLog, env, deps: { limits: { bulkBodyBytes: 2_000 } } });
  const counted = async (code: string): Promise<number> => {
    const { payload } = await world.app.inject({ url: '/metrics' });
    const series = new RegExp(`^sentinel_ingestion_reports_total{code="${code}"\\S* (\\d+)$`, 'm');
    return Number(series.exec(payload)?.[1]);
  };
  const send = async (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => line(world, { sequence: SEQUENCE + n }));
    return (await world.bulk(lines.join('\n'))).statusCode;
  };
  t.equal(await send(20), 503, 'there is no room');
  t.equal(await counted('OVERLOADED'), 1);
  isFull = true;
  t.equal(await send(2), 503);
  t.equal(await counted('NOT_DURABLE'), 2, 'its lines were judged');
  t.equal(await send(1), 429);
  t.equal(await counted('RATE_LIMITED'), 1);
});

t.test('a surprise of the log is a 500 that tells nothing', async (t) => {
  const wrapLog = withAppend(() => () => Promise.reject(new Error('an inner name')));
  const world = await startWorld(t, { wrapLog });
  const answer = await world.send(report());
  t.equal(answer.statusCode, 500);
  t.notMatch(answer.payload, /inner name/);
});

for (const { error, status } of [
  { error: new OverloadedError('too much waits'), status: 503 },
  { error: new Error('a surprise'), status: 500 },
]) {
  t.test(`${error.message}: a notice that was not kept comes with the next call`, async (t) => {
    let failing = true;
    const wrapLog = withAppend((append) => (topic, records) => {
      const fails = failing && topic === TOPICS.fileEvents;
      return fails ? Promise.reject(error) : append(topic, records);
    });
    const world = await startWorld(t, { wrapLog });
    const ended = { key: world.key() };
    await world.change({ keyVersion: 2, previousKey: null });
    const event = { code: 'CLOCK_JUMP', message: 'by 300 s', fileId: null };
    const heartbeat = { ...HEARTBEAT, events: [event] };
    const statuses = async () => [
      (await world.health(heartbeat)).statusCode,
      (await world.health(heartbeat, ended)).statusCode,
      (await world.bulk(JSON.stringify({ fileId: world.file.id }))).statusCode,
      (await world.send('{}')).statusCode,
    ];
    t.same(await statuses(), [status, status === 503 ? 401 : 500, status, status]);
    const heard = (await world.raw(TOPICS.deviceHealth)).length;
    t.equal(heard, status === 503 ? 1 : 0, 'the refusal keeps the contact, the surprise nothing');
    failing = false;
    t.same(await statuses(), [200, 401, 202, 422]);
    const codes = (await world.records()).map(({ header }) => header.kind === 'notice' && header.code);
    t.same(codes.sort(), ['CLOCK_JUMP', 'KEY_ENDED', 'VALIDATION_FAILED']);
  });
}

t.test('bulk: from the first append that fails on, every line is refused, and none overtakes', async (t) => {
  const appended: string[] = [];
  let left = 2;
  const wrapLog = withAppend((append) => (topic, records: readonly LogRecord[]) => {
    if (topic === TOPICS.fileEvents && left-- === 0) return Promise.reject(new OverloadedError('busy'));
    appended.push(...records.map(({ id }) => id));
    return append(topic, records);
  });
  const world = await startWorld(t, { wrapLog, deps: { limits: { appendBytes: 2_000 } } });
  const lines = Array.from({ length: 40 }, (_, n) => line(world, { sequence: SEQUENCE + n }));
  const answer = await world.bulk(lines.join('\n'));
  t.equal(answer.statusCode, 202);
  const { accepted, rejected } = answer.json();
  t.ok(accepted > 0 && accepted < 40);
  t.equal(rejected.length, 40 - accepted);
  t.same(
    appended,
    Array.from({ length: accepted }, (_, n) => `${world.file.id}:${SEQUENCE + n}`),
  );
  t.same(
    rejected.map(({ line, code }: { line: number; code: string }) => ({ line, code })),
    Array.from({ length: 40 - accepted }, (_, n) => ({ line: accepted + n + 1, code: 'OVERLOADED' })),
  );
});

t.test('a full disk: 503, and 202 again when there is room', async (t) => {
  const world = await startWorld(t);
  t.equal((await world.send(report())).statusCode, 202);
  await world.eventLog.limitBytes!(1);
  const big = report({
    sequence: SEQUENCE + 1,
    error: { code: 'E', message: 'x'.repeat(2_000) },
    signature: 's',
  });
  const wide = { ...big, versions: Array(1_000).fill({ length: 1, hash: 'b'.repeat(64) }) };
  let answer = await world.send(wide);
  for (let n = 2; answer.statusCode === 202 && n < 50; n += 1) {
    answer = await world.send({ ...wide, sequence: SEQUENCE + n });
  }
  t.equal(answer.statusCode, 503);
  t.equal(answer.json().code, 'NOT_DURABLE');
  const before = (await world.records()).length;
  await world.eventLog.limitBytes!(Number.MAX_SAFE_INTEGER);
  t.equal((await world.send({ ...wide, sequence: SEQUENCE + 60 })).statusCode, 202);
  t.equal((await world.records()).length, before + 1);
});

for (const error of [undefined, new NotDurableError('the disk is full')])
  t.test(
    `a repeat of an event waits for the append that is under way, which ${error === undefined ? 'succeeds' : 'fails'}`,
    async (t) => {
      const waiting: (() => void)[] = [];
      let appends = 0;
      const wrapLog = withAppend((append) => async (topic, records) => {
        if (topic !== TOPICS.fileEvents) return append(topic, records);
        appends += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (error !== undefined) throw error;
        return append(topic, records);
      });
      let reads = 0;
      const wrapStore = (store: DocumentStore): DocumentStore => {
        const find: DocumentStore['find'] = (collection, query) =>
          store.find(collection, query).finally(() => (reads += 1));
        return new Proxy(store, {
          get: (target, name) => {
            if (name === 'find') return find;
            const member = Reflect.get(target, name) as unknown;
            return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
          },
        });
      };
      const world = await startWorld(t, { wrapLog, wrapStore });
      const events = [{ code: 'SPOOL_FAILING', message: 'the disk is full', fileId: null }];
      const codes: number[] = [];
      const beat = () =>
        world.health({ ...HEARTBEAT, events }).then(({ statusCode }) => void codes.push(statusCode));
      const first = beat();
      await until(() => waiting.length === 1);
      const readBefore = reads;
      const repeat = beat();
      await until(() => reads > readBefore);
      // The device is known, and the repeat is answered without an append: only its own calls could delay it.
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      t.same(codes, [], 'no answer says that the event is kept');
      waiting[0]!();
      await Promise.all([first, repeat]);
      t.same(codes, error === undefined ? [200, 200] : [503, 503]);
      t.equal(appends, 1, 'one append for both');
    },
  );

t.test('a file stays refused while the report after the refusal is not durable', async (t) => {
  let failing = false;
  const wrapLog = withAppend(
    (append) => (topic, records) =>
      failing && topic === TOPICS.fileEvents
        ? Promise.reject(new NotDurableError('the disk is full'))
        : append(topic, records),
  );
  const world = await startWorld(t, { wrapLog });
  const isRefused = async () => {
    await world.tick();
    return (await world.store.get('refused_files', world.file.id))?.['isRefused'];
  };
  t.equal((await world.send(report({ more: 1 }))).statusCode, 422);
  t.equal(await isRefused(), true);
  failing = true;
  t.equal((await world.send(report())).statusCode, 503);
  t.equal((await world.bulk(line(world, {}))).statusCode, 503);
  t.equal(await isRefused(), true, 'nothing was taken');
  failing = false;
  t.equal((await world.bulk(line(world, {}))).statusCode, 202);
  t.equal(await isRefused(), false);
  world.clock.advance(2);
  t.equal((await world.send(report({ more: 1 }))).statusCode, 422);
  t.equal(await isRefused(), true);
  world.clock.advance(1);
  t.equal((await world.send(report({ sequence: SEQUENCE + 1 }))).statusCode, 202);
  t.equal(await isRefused(), false);
});
