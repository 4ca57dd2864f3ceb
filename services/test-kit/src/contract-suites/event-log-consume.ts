import type { Test } from 'tap';
import type { RecordBatch } from '@sentinel-node/platform';
import { Collector, gate, offsetsRise, record, records, topic, until } from './harness.ts';
import type { MakeLog } from './harness.ts';

const GROUP = 'contract-group';

export const consumeCases: Readonly<Record<string, (t: Test, makeLog: MakeLog) => Promise<void>>> = {
  'a group gets every record, in order per partition, from the earliest on': async (t, makeLog) => {
    const [one, two] = [topic(3), topic(2)];
    const { log } = await makeLog(t, [one, two]);
    await log.append(one.name, records(100, 9, 'before-'));
    const collector = new Collector();
    const subscription = await log.consume([one.name, two.name], GROUP, collector.handler);
    await log.append(one.name, records(100, 9, 'after-'));
    await log.append(two.name, records(50, 9, 'two-'));
    await until('250 records', () => collector.records.length >= 250);
    await subscription.stop();
    t.equal(new Set(collector.ids).size, 250);
    for (const name of [one.name, two.name]) {
      const batches = collector.batches.filter((batch) => batch.topic === name);
      t.ok(offsetsRise(batches.flatMap((batch) => batch.records)));
    }
  },

  'a batch holds one partition and at most maxRecords': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(300, 11));
    const collector = new Collector();
    const subscription = await log.consume([spec.name], GROUP, collector.handler, { maxRecords: 7 });
    await until('300 records', () => collector.records.length >= 300);
    await subscription.stop();
    for (const { partition, records } of collector.batches) {
      t.ok(records.length >= 1 && records.length <= 7);
      t.ok(records.every((stored) => stored.partition === partition));
    }
  },

  'one batch of a partition at a time': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(200, 11));
    const running = new Set<number>();
    let handled = 0;
    let overlaps = 0;
    const handler = async (batch: RecordBatch) => {
      if (running.has(batch.partition)) overlaps++;
      running.add(batch.partition);
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(batch.partition);
      handled += batch.records.length;
    };
    const subscription = await log.consume([spec.name], GROUP, handler, { maxRecords: 3 });
    await until('200 records', () => handled >= 200);
    await subscription.stop();
    t.equal(overlaps, 0);
  },

  'stop waits for the handler; a restarted group goes on after what was handled': async (t, makeLog) => {
    const spec = topic(2);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(40, 7));
    const { opened, open } = gate();
    let finished = 0;
    const first = await under.log.consume([spec.name], GROUP, async (batch) => {
      await opened;
      finished += batch.records.length;
    });
    let stopped = false;
    const stopping = first.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    open();
    await stopping;
    t.ok(stopped);
    const committed = [...(await under.log.committed(spec.name, GROUP)).values()];
    t.equal(
      committed.reduce((sum, next) => sum + next, 0),
      finished,
      'exactly the finished batches are committed',
    );
    const log = await under.reopen();
    const collector = new Collector();
    const second = await log.consume([spec.name], GROUP, collector.handler);
    await until('the rest', () => collector.records.length >= 40 - finished);
    await log.append(spec.name, [record('key-1', 'last')]);
    await until('the last', () => collector.ids.includes('last'));
    await second.stop();
    t.equal(collector.records.length, 41 - finished, 'nothing twice');
  },

  'a handler that throws ends its subscription, and the batch comes again': async (t, makeLog) => {
    const spec = topic(1);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(10, 1));
    const first = await log.consume(
      [spec.name],
      GROUP,
      (batch) =>
        batch.records.some(({ id }) => id === '5') ? Promise.reject(new Error('five')) : Promise.resolve(),
      { maxRecords: 5 },
    );
    await t.rejects(first.failed, { message: 'five' });
    await first.stop();
    t.equal((await log.committed(spec.name, GROUP)).get(0), 5);
    const collector = new Collector();
    const second = await log.consume([spec.name], GROUP, collector.handler);
    await until('the rest', () => collector.ids.includes('9'));
    await second.stop();
    t.same(collector.ids, ['5', '6', '7', '8', '9']);
  },

  'a crash between handling and commit delivers again': async (t, makeLog) => {
    const spec = topic(1);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(10, 1));
    const crashed = new Collector();
    await under.log.consume([spec.name], GROUP, async (batch) => {
      await crashed.handler(batch);
      await new Promise(() => undefined);
    });
    await until('handled', () => crashed.records.length === 10);
    const log = await under.reopen();
    t.equal((await log.committed(spec.name, GROUP)).size, 0);
    const collector = new Collector();
    const again = await log.consume([spec.name], GROUP, collector.handler);
    await until('again', () => collector.records.length === 10);
    await again.stop();
    t.same(collector.ids, crashed.ids);
  },

  'two consumers of a group share the partitions; a leaving one hands over': async (t, makeLog) => {
    const spec = topic(4);
    const { log } = await makeLog(t, [spec]);
    const [left, right] = [new Collector(), new Collector()];
    const one = await log.consume([spec.name], GROUP, left.handler);
    const two = await log.consume([spec.name], GROUP, right.handler);
    const all = () => [...left.ids, ...right.ids];
    // On a slow machine the second member joins only after some rounds.
    let appended = 0;
    await until('both got some', async () => {
      await log.append(spec.name, records(100, 97, `both-${appended}-`));
      appended += 100;
      await until(`${appended} records`, () => all().length >= appended);
      return left.records.length > 0 && right.records.length > 0;
    });
    await one.stop();
    const had = left.records.length;
    await log.append(spec.name, records(400, 97, 'alone-'));
    await until('the last 400 records', () => new Set(all()).size >= appended + 400);
    await two.stop();
    t.equal(left.records.length, had, 'nothing after stop');
    t.equal(all().length, appended + 400, 'nothing twice');
  },

  'a partition changes hands only after its running batch': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(100, 31));
    const { opened, open } = gate();
    const running = new Map<number, number>();
    let overlaps = 0;
    const seen: string[] = [];
    const handler = async (batch: RecordBatch) => {
      const before = running.get(batch.partition) ?? 0;
      if (before > 0) overlaps++;
      running.set(batch.partition, before + 1);
      await opened;
      running.set(batch.partition, running.get(batch.partition)! - 1);
      seen.push(...batch.records.map(({ id }) => id));
    };
    const one = await log.consume([spec.name], GROUP, handler, { maxRecords: 5 });
    const two = await log.consume([spec.name], GROUP, handler, { maxRecords: 5 });
    await new Promise((resolve) => setImmediate(resolve));
    open();
    await until('100 records', () => seen.length >= 100);
    await Promise.all([one.stop(), two.stop()]);
    t.equal(overlaps, 0);
    t.equal(new Set(seen).size, seen.length, 'nothing twice');
  },

  'groups do not touch each other': async (t, makeLog) => {
    const spec = topic(1);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(10, 1));
    const [left, right] = [new Collector(), new Collector()];
    const subscriptions = [
      await log.consume([spec.name], 'contract-left', left.handler),
      await log.consume([spec.name], 'contract-right', right.handler),
    ];
    await until('both', () => left.records.length >= 10 && right.records.length >= 10);
    await Promise.all(subscriptions.map((subscription) => subscription.stop()));
    t.same(left.ids, right.ids);
    t.equal((await log.committed(spec.name, 'contract-none')).size, 0);
  },
};
