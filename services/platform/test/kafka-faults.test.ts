import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import t from 'tap';
import type { RecordBatch, Subscription } from '../src/ports/event-log.ts';
import { startOwnKafka } from '@sentinel-node/test-kit/test-servers';
import { Load, lost, openLog, readAll, record, topic, until } from './kafka-harness.ts';
import { losesNoRecord } from './kafka-lost-records.ts';

t.setTimeout(900_000);

const QUICK = { sessionTimeoutMs: 3_000, heartbeatIntervalMs: 300 };

/** Records what a handler got: every id, and whether a partition's offsets ever skipped one. */
class Seen {
  readonly ids = new Set<string>();
  deliveries = 0;
  gaps = 0;
  readonly #next = new Map<number, number>();

  readonly handler = async ({ partition, records }: RecordBatch): Promise<void> => {
    for (const { id, offset } of records) {
      if (offset > (this.#next.get(partition) ?? 0)) this.gaps++;
      this.#next.set(partition, Math.max(offset + 1, this.#next.get(partition) ?? 0));
      this.ids.add(id);
      this.deliveries++;
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
}

const kafka = await startOwnKafka(t);
if (kafka !== undefined) {
  for (const ownThread of [false, true]) {
    const where = ownThread ? ', with Kafka on a thread of its own' : '';
    await t.test(
      `the broker stopped and started under load: nothing is lost, consumers go on${where}`,
      async (t) => {
        const spec = topic(4);
        const group = randomUUID();
        const lines: string[] = [];
        const log = await openLog(t, kafka.brokers, [spec], {
          ownThread,
          log: pino({ base: null }, { write: (line) => void lines.push(line) }),
          limits: { ...QUICK, appendTimeoutMs: 5_000, probeIntervalMs: 200 },
        });
        const seen = new Seen();
        const followed = new Seen();
        const subscription = await log.consume([spec.name], group, seen.handler);
        const tail = await log.tail(spec.name, 'end', (batch) => void followed.handler(batch));
        const load = new Load(log, spec.name);
        await until('appends', () => load.acknowledged.length >= 500 && seen.ids.size > 0);
        await until('it is reached', () => log.reachable());
        await kafka.halt();
        await until('it shows', () => !log.reachable());
        await until('it is told', () => lines.some((line) => line.includes('the event log is out of reach')));
        await until('appends are refused', () => load.refused > 0);
        const before = load.acknowledged.length;
        await kafka.restart();
        await until('appends go on', () => load.acknowledged.length >= before + 500);
        await until('it shows', () => log.reachable());
        await load.end();
        const found = (await readAll(log, spec)).map(({ id }) => id);
        t.same(lost(load.acknowledged, found), [], 'every acknowledged record is there');
        await until('the group has all', () => lost(found, seen.ids).length === 0);
        await until('the tail has all', () => lost(found, followed.ids).length === 0);
        t.equal(seen.gaps, 0, 'no record was skipped');
        t.equal(followed.gaps, 0);
        await Promise.all([subscription.stop(), tail.stop()]);
        const committed = await log.committed(spec.name, group);
        for (const { partition, end } of await log.bounds(spec.name))
          t.equal(committed.get(partition) ?? 0, end, 'all of it is committed');
      },
    );

    await t.test(
      `a connection that hangs: appends fail in bounded time, then all goes on${where}`,
      async (t) => {
        const spec = topic(2);
        const group = randomUUID();
        const limits = { ...QUICK, requestTimeoutMs: 1_000, appendTimeoutMs: 4_000, readTimeoutMs: 4_000 };
        const log = await openLog(t, kafka.proxied, [spec], { direct: kafka.brokers, limits, ownThread });
        const seen = new Seen();
        const subscription = await log.consume([spec.name], group, seen.handler);
        // A busy machine may take longer for an append than these limits give.
        const appended = (id: string) =>
          log.append(spec.name, [record(id)]).then(
            () => true,
            () => false,
          );
        await until('a first append', () => appended('before'));
        await until('before', () => seen.ids.has('before'));
        kafka.proxy.hang();
        const began = Date.now();
        const waiting = Array.from({ length: 10 }, (_, n) => log.append(spec.name, [record(`hung-${n}`)]));
        for (const one of await Promise.allSettled(waiting))
          t.match(one, { status: 'rejected', reason: { code: 'NOT_DURABLE' } });
        await t.rejects(log.bounds(spec.name), { code: 'LOG_UNAVAILABLE' });
        await t.rejects(readAll(log, spec), { code: 'LOG_UNAVAILABLE' });
        t.ok(Date.now() - began < 30_000, 'in bounded time');
        await until('nothing waits', () => log.unflushedBytes() === 0);
        // The old connections stay dead, because the network does not bring back a lost one.
        kafka.proxy.cut();
        kafka.proxy.resume();
        await until('an append', () => appended('after'));
        await until('the consumer', () => seen.ids.has('after'));
        t.equal(seen.gaps, 0);
        await subscription.stop();
      },
    );
  }

  await t.test('a connection that hangs without end is left for a new one', async (t) => {
    const spec = topic(1);
    const limits = { ...QUICK, requestTimeoutMs: 1_000, appendTimeoutMs: 30_000 };
    const log = await openLog(t, kafka.proxied, [spec], { direct: kafka.brokers, limits });
    const seen = new Seen();
    const subscription = await log.consume([spec.name], 'group-new-connection', seen.handler);
    await log.append(spec.name, [record('before')]);
    kafka.proxy.strand();
    await log.append(spec.name, [record('after')]);
    await until('the consumer', () => seen.ids.has('before') && seen.ids.has('after'));
    t.equal(seen.gaps, 0);
    await subscription.stop();
  });

  await t.test('members join and leave under load: no record is skipped', async (t) => {
    const spec = topic(6);
    const log = await openLog(t, kafka.brokers, [spec], { limits: QUICK });
    const seen = new Seen();
    const members: Subscription[] = [];
    const join = async () => members.push(await log.consume([spec.name], 'group-moving', seen.handler));
    await join();
    const load = new Load(log, spec.name, 10);
    for (let round = 0; round < 4; round++) {
      await join();
      const had = seen.deliveries;
      await until('both work', () => seen.deliveries > had + 100);
      await members.shift()!.stop();
    }
    await load.end();
    await until('all', () => lost(load.acknowledged, seen.ids).length === 0);
    await members[0]!.stop();
    t.equal(seen.gaps, 0);
    t.comment(`${load.acknowledged.length} records, ${seen.deliveries} deliveries`);
  });

  await t.test(
    'a member that works too long is replaced, and what it then finishes is refused',
    async (t) => {
      const spec = topic(1);
      const log = await openLog(t, kafka.brokers, [spec], {
        limits: { ...QUICK, rebalanceTimeoutMs: 1_500 },
      });
      await log.append(
        spec.name,
        Array.from({ length: 20 }, (_, n) => record(`${n}`)),
      );
      let finish: () => void = () => undefined;
      const late = new Promise<void>((resolve) => (finish = resolve));
      const given: string[] = [];
      const slow = await log.consume(
        [spec.name],
        'group-slow',
        async ({ records }) => {
          given.push(...records.map(({ id }) => id));
          await late;
        },
        { maxRecords: 5 },
      );
      await until('the slow one has some', () => given.length === 5);
      const seen = new Seen();
      const quick = await log.consume([spec.name], 'group-slow', seen.handler, { maxRecords: 5 });
      await until('the quick one has all', () => seen.ids.size === 20);
      const committed = async () => (await log.committed(spec.name, 'group-slow')).get(0) ?? 0;
      await until('committed', async () => (await committed()) === 20);
      finish();
      await slow.stop();
      t.equal(await committed(), 20, 'nothing goes back');
      t.equal(given.length, 5, 'the slow one got nothing more');
      t.equal(seen.gaps, 0);
      await quick.stop();
    },
  );

  await t.test('a zombie wakes up after its session: its commit is refused', async (t) => {
    const spec = topic(1);
    const group = `group-${randomUUID()}`;
    const log = await openLog(t, kafka.brokers, [spec], { limits: QUICK });
    await log.append(
      spec.name,
      Array.from({ length: 20 }, (_, n) => record(`${n}`)),
    );
    const program = fileURLToPath(new URL('./fixtures/kafka-zombie.js', import.meta.url));
    const zombie = spawn(process.execPath, [program, kafka.brokers, spec.name, group], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.teardown(() => void zombie.kill('SIGKILL'));
    const said: string[] = [];
    createInterface({ input: zombie.stdout }).on('line', (line) => said.push(line));
    await until('the zombie has some', () => said.length === 1);
    zombie.kill('SIGSTOP');
    const seen = new Seen();
    const quick = await log.consume([spec.name], group, seen.handler, { maxRecords: 5 });
    await until('the other one has all', () => seen.ids.size === 20);
    const committed = async () => (await log.committed(spec.name, group)).get(0) ?? 0;
    await until('committed', async () => (await committed()) === 20);
    zombie.kill('SIGCONT');
    zombie.stdin.write('go\n');
    await until('the zombie finishes', () => said.includes('finished'));
    await log.append(spec.name, [record('last')]);
    // The zombie may get its place back, and then the last record.
    await until('the last record', () => seen.ids.has('last') || said.includes('given last'));
    zombie.stdin.write('go\n');
    await until('committed to the end', async () => (await committed()) === 21);
    t.same(
      said.filter((line) => line.startsWith('given') && line !== 'given last'),
      ['given 0 1 2 3 4'],
      'it got nothing between',
    );
    await quick.stop();
  });

  await t.test('a closed log connects no more', async (t) => {
    const spec = topic(1);
    const log = await openLog(t, kafka.proxied, [spec], { direct: kafka.brokers });
    await log.close();
    kafka.proxy.hang();
    await t.rejects(log.bounds(spec.name), /closed/, 'at once, whatever the broker does');
    await t.rejects(log.committed(spec.name, 'group-closed'), /closed/);
    kafka.proxy.resume();
  });

  await losesNoRecord(t, kafka);
}
