/**
 * Tests the faults that only an event log on its own thread can have; the contract and fault suites also run over it.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import type { Test } from 'tap';
import { createTopics } from '../src/kafka/index.ts';
import { serializeError, deserializeError } from '../src/kafka/thread/carried-error.ts';
import {
  buffersOf,
  packBatch,
  packPositions,
  unpackBatch,
  unpackPositions,
} from '../src/kafka/thread/packed-records.ts';
import {
  ConflictError,
  isTransient,
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
} from '../src/ports/errors.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { openLog, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

t.test('a batch that changed threads is the same batch', async (t) => {
  const text = fc.string({ unit: 'grapheme' });
  const one = fc.record({
    key: text,
    id: text,
    body: fc.uint8Array(),
    partition: fc.constant(3),
    offset: fc.maxSafeNat(),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1 }), (records) => {
      const packed = packBatch({ topic: 'a', partition: 3, records });
      const {
        topic,
        partition,
        records: found,
      } = unpackBatch(structuredClone(packed, { transfer: buffersOf(packed) }));
      t.strictSame([topic, partition], ['a', 3]);
      t.strictSame(
        found.map(({ body, ...rest }) => ({ ...rest, body: [...body] })),
        records.map(({ body, ...rest }) => ({ ...rest, body: [...body] })),
      );
    }),
  );
  const positions = [
    { partition: 63, offset: Number.MAX_SAFE_INTEGER },
    { partition: 0, offset: 0 },
  ];
  t.strictSame(unpackPositions(packPositions(positions)), positions);
});

t.test('errors keep what callers tell them apart by', async (t) => {
  for (const error of [
    new OverloadedError('full'),
    new NotDurableError('no quorum'),
    new LogUnavailableError('gone'),
  ]) {
    const again = deserializeError(structuredClone(serializeError(error)));
    t.ok(again instanceof error.constructor);
    t.ok(isTransient(again));
    t.match(again, { message: error.message, code: error.code });
  }
  t.match(deserializeError(serializeError(new ConflictError('taken'))), {
    code: 'CONFLICT',
    message: 'taken',
  });
  const range = deserializeError(structuredClone(serializeError(new RangeError('too large'))));
  t.ok(range instanceof RangeError);
  t.equal(range.message, 'too large');
  const other = deserializeError(serializeError('words'));
  t.equal(other.message, 'words');
  t.notOk(isTransient(other));
});

const PROGRAM = fileURLToPath(new URL('./fixtures/kafka-own-thread.js', import.meta.url));
/** Loaded on every thread of a process; every thread except the first throws. */
const DIES = `data:text/javascript,import { isMainThread } from 'node:worker_threads';
  if (!isMainThread) setTimeout(() => { throw new Error('nobody caught this'); });`;

/** Loaded on every thread of a process; every thread except the first hangs once there is a file. */
const hangsWhen = (file: string): string => `data:text/javascript,import { existsSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (!isMainThread) setInterval(() => { while (existsSync(${JSON.stringify(file)})); }, 50);`;

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const brokers = [kafka.brokers];
  const inAnotherProcess = (t: Test, preload: string, spec: TopicSpec) => {
    const child = spawn(process.execPath, ['--import', preload, PROGRAM, kafka.brokers, spec.name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => void child.kill('SIGKILL'));
    const said = { out: '', error: '' };
    child.stdout.on('data', (data) => (said.out += String(data)));
    child.stderr.on('data', (data) => (said.error += String(data)));
    return { said, exited: new Promise((resolve) => child.once('exit', resolve)) };
  };

  await t.test('it closes in order, also when this thread is busy meanwhile', async (t) => {
    const spec = topic(1);
    for (let round = 0; round < 10; round++) {
      const log = await openLog(t, kafka.brokers, [spec], { ownThread: true });
      const closed = log.close();
      for (const end = performance.now() + 40; performance.now() < end;);
      await closed;
    }
    t.pass('no exception that nobody caught');
  });

  await t.test('a read without an end ends where the log ended when it began', async (t) => {
    const spec = topic(1);
    const log = await openLog(t, kafka.brokers, [spec], { ownThread: true });
    const some = (from: number) => Array.from({ length: 1_500 }, (_, n) => record(`${from + n}`));
    await log.append(spec.name, some(0));
    let found = 0;
    for await (const { records } of log.read(spec.name, 0, 0)) {
      found += records.length;
      await log.append(spec.name, some(found));
    }
    t.equal(found, 1_500);
  });

  await t.test('a tail gives nothing after its stop was asked for', async (t) => {
    const spec = topic(1);
    const log = await openLog(t, kafka.brokers, [spec], { ownThread: true });
    let given = 0;
    const tail = await log.tail(spec.name, 'end', ({ records }) => void (given += records.length));
    await log.append(spec.name, [record('first')]);
    await until('the first', () => given === 1);
    // A second tail, opened at the same place, shows that the record came.
    let control = 0;
    const other = await log.tail(spec.name, 'end', ({ records }) => void (control += records.length));
    const appended = log.append(spec.name, [record('second')]);
    const stopped = tail.stop();
    const before = given;
    await Promise.all([appended, stopped]);
    await until('the other tail gave it', () => control === 1);
    t.equal(given, before);
    await other.stop();
  });

  await t.test('the limit of what waits', async (t) => {
    const spec = topic(1);
    const log = await openLog(t, kafka.brokers, [spec], { limits: { unflushedBytes: 500 }, ownThread: true });
    await t.rejects(
      log.append(
        spec.name,
        Array.from({ length: 20 }, (_, n) => record(`${n}`)),
      ),
      OverloadedError,
    );
    t.strictSame(await log.bounds(spec.name), [{ partition: 0, start: 0, end: 0 }]);
  });

  await t.test('a thread that dies takes the process with it', async (t) => {
    const spec = topic(1);
    await createTopics({ brokers }, [spec], { replicationFactor: 1 });
    const { exited, said } = inAnotherProcess(t, DIES, spec);
    t.equal(await exited, 1);
    t.match(said.error, 'nobody caught this');
  });

  await t.test('a thread that stands still is out of reach', async (t) => {
    const spec = topic(1);
    await createTopics({ brokers }, [spec], { replicationFactor: 1 });
    const folder = t.testdir();
    const hang = join(folder, 'hang');
    const { said } = inAnotherProcess(t, hangsWhen(hang), spec);
    await until('the thread is reached', () => said.out.endsWith('reachable\n'));
    writeFileSync(hang, '');
    await until('it shows', () => said.out.endsWith('out of reach\n'));
    rmSync(hang);
    await until('the thread is reached again', () => said.out.endsWith('reachable\n'));
    t.match(said.out, /^(?:out of reach\n)?reachable\n(?:.*\n)*out of reach\nreachable\n$/);
  });
}
