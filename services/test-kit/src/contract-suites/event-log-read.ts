import type { Test } from 'tap';
import type { EventLog, LogRecord, StoredRecord } from '@sentinel-node/platform';
import { Collector, offsetsRise, readAll, readTopic, record, records, topic, until } from './harness.ts';
import type { MakeLog } from './harness.ts';

function into(collector: Collector): (batch: Parameters<Collector['handler']>[0]) => void {
  return (batch) => void collector.handler(batch);
}

function kilobytes(count: number, prefix: string): LogRecord[] {
  return records(count, 1, prefix).map((one) => ({ ...one, body: new Uint8Array(1_000) }));
}

export const readCases: Readonly<Record<string, (t: Test, makeLog: MakeLog) => Promise<void>>> = {
  'read gives [from, to), also after a restart': async (t, makeLog) => {
    const spec = topic(1);
    const under = await makeLog(t, [spec]);
    for (let round = 0; round < 5; round++) await under.log.append(spec.name, records(10, 1, `${round}-`));
    const offsets = (await readAll(under.log, spec.name, 0)).map(({ offset }) => offset);
    const check = async (log: EventLog) => {
      const some = await readAll(log, spec.name, 0, offsets[7], offsets[23]);
      t.same(
        some.map(({ offset }) => offset),
        offsets.slice(7, 23),
      );
      t.equal((await readAll(log, spec.name, 0, offsets[40])).length, 10);
      t.equal((await readAll(log, spec.name, 0, offsets[40], offsets[40])).length, 0);
      t.equal((await readAll(log, spec.name, 0, offsets[49]! + 1)).length, 0, 'ends at the end');
    };
    await check(under.log);
    await check(await under.reopen());
  },

  'a fetch that is empty in the middle is not the end: a read is whole, or it fails': async (t, makeLog) => {
    const spec = topic(1);
    // Longer than one answer takes on a busy machine, as below.
    const under = await makeLog(t, [spec], { readTimeoutMs: 5_000 });
    for (let round = 0; round < 15; round++) await under.log.append(spec.name, kilobytes(100, `${round}-`));
    const log = await under.reopen();
    await under.withholdRecords(spec);
    const outcome = await readAll(log, spec.name, 0, 0, 1_500).then(
      (found) => found.length,
      ({ code }: { code?: string }) => code,
    );
    t.ok(outcome === 1_500 || outcome === 'SHORT_READ', `outcome: ${outcome}`);
  },

  'read fails when the log ends before the end that was asked for': async (t, makeLog) => {
    const spec = topic(1);
    // Longer than one answer takes on a busy machine: without an answer the log counts as unavailable, not as short.
    const { log } = await makeLog(t, [spec], { readTimeoutMs: 5_000 });
    await log.append(spec.name, records(10, 1));
    const found: StoredRecord[] = [];
    const read = async () => {
      for await (const batch of log.read(spec.name, 0, 0, 12)) found.push(...batch.records);
    };
    await t.rejects(read, { code: 'SHORT_READ', message: /up to offset 10 of 12, .* ends at 10/ });
    t.equal(found.length, 10, 'what is there comes first');
    await t.rejects(readAll(log, spec.name, 0, 11, 12), { code: 'SHORT_READ' });
  },

  'read gives more than a batch, in order': async (t, makeLog) => {
    const spec = topic(2);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(5_000, 3));
    const log = await under.reopen();
    const found = await readTopic(log, spec);
    t.equal(new Set(found.map(({ id }) => id)).size, 5_000);
    t.ok(offsetsRise(found));
  },

  'tail from the end gives only what comes': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(20, 5, 'old-'));
    const collector = new Collector();
    const tail = await log.tail(spec.name, 'end', into(collector));
    await log.append(spec.name, records(20, 5, 'new-'));
    await until('20 records', () => collector.records.length >= 20);
    t.ok(tail.isFollowing());
    await tail.stop();
    t.ok(collector.ids.every((id) => id.startsWith('new-')));
    t.ok(offsetsRise(collector.records));
    await log.append(spec.name, records(5, 5, 'late-'));
    t.equal(collector.records.length, 20, 'nothing after stop');
  },

  'tail from positions gives what was missed, then what comes': async (t, makeLog) => {
    const spec = topic(1);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(30, 1, 'a-'));
    const log = await under.reopen();
    const from = (await readAll(log, spec.name, 0))[12]!.offset;
    const collector = new Collector();
    const tail = await log.tail(spec.name, new Map([[0, from]]), into(collector));
    await log.append(spec.name, records(10, 1, 'b-'));
    await until('28 records', () => collector.records.length >= 28);
    await tail.stop();
    t.equal(collector.records[0]?.offset, from);
    t.equal(collector.records.length, 28);
    t.ok(offsetsRise(collector.records));
  },

  'bounds tell the first kept and the next offset': async (t, makeLog) => {
    const spec = topic(3);
    const { log } = await makeLog(t, [spec]);
    t.same(
      await log.bounds(spec.name),
      [0, 1, 2].map((partition) => ({ partition, start: 0, end: 0 })),
    );
    const positions = await log.append(spec.name, records(30, 13));
    for (const { partition, start, end } of await log.bounds(spec.name)) {
      const offsets = positions.filter((at) => at.partition === partition).map(({ offset }) => offset);
      t.equal(start, 0);
      t.equal(end, Math.max(-1, ...offsets) + 1);
    }
  },

  'the epoch of a durable topic stays over a restart': async (t, makeLog) => {
    const spec = topic(1);
    const under = await makeLog(t, [spec]);
    const before = under.log.epoch(spec.name);
    t.equal((await under.reopen()).epoch(spec.name), before);
  },

  'a volatile topic either keeps its offsets over a restart or changes its epoch': async (t, makeLog) => {
    const spec = topic(1, 'volatile');
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(10, 1));
    t.equal((await readAll(under.log, spec.name, 0)).length, 10);
    const epoch = under.log.epoch(spec.name);
    const log = await under.reopen();
    const [position] = await log.append(spec.name, [record('key-0', 'later')]);
    t.equal(position!.offset === 10, log.epoch(spec.name) === epoch);
  },

  'a compacted topic keeps the newest record of each key': async (t, makeLog) => {
    const spec = topic(2, 'compacted');
    const under = await makeLog(t, [spec]);
    for (let round = 0; round < 20; round++) await under.log.append(spec.name, records(10, 10, `${round}-`));
    const bounds = await under.log.bounds(spec.name);
    const log = await under.reopen();
    const found = await readTopic(log, spec);
    const newest = new Map(found.map((stored) => [stored.key, stored.id]));
    t.equal(newest.size, 10);
    for (let key = 0; key < 10; key++) t.equal(newest.get(`key-${key}`), `19-${key}`);
    t.ok(offsetsRise(found));
    t.same(
      (await log.bounds(spec.name)).map(({ end }) => end),
      bounds.map(({ end }) => end),
    );
    const collector = new Collector();
    const subscription = await log.consume([spec.name], 'contract-compacted', collector.handler);
    await until('the newest', () => new Set(collector.records.map(({ key }) => key)).size === 10);
    await subscription.stop();
  },

  'a changed number of partitions is refused': async (t, makeLog) => {
    const spec = topic(2);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(3, 3));
    await t.rejects(under.reopen([{ ...spec, partitions: 3 }]), { code: 'PARTITIONS_CHANGED' });
    const log = await under.reopen();
    t.equal((await readTopic(log, spec)).length, 3, 'nothing is lost by the refusal');
  },

  'a topic that it was not opened on is refused': async (t, makeLog) => {
    const { log } = await makeLog(t, [topic(1)]);
    const { name } = topic(1);
    const refused: (() => Promise<unknown>)[] = [
      async () => log.append(name, records(1, 1)),
      async () => log.append(name, []),
      async () => readAll(log, name, 0),
      async () => log.consume([name], 'contract-unknown', new Collector().handler),
      async () => log.tail(name, 'end', () => undefined),
      async () => log.bounds(name),
      async () => log.epoch(name),
    ];
    for (const call of refused) await t.rejects(call, { message: `unknown topic ${name}` });
  },

  'a closed log takes and gives nothing': async (t, makeLog) => {
    const spec = topic(1);
    const { log } = await makeLog(t, [spec]);
    await log.append(spec.name, records(3, 1));
    await log.close();
    const refused: (() => Promise<unknown>)[] = [
      async () => log.append(spec.name, records(1, 1)),
      async () => readAll(log, spec.name, 0),
      async () => log.consume([spec.name], 'contract-closed', new Collector().handler),
      async () => log.tail(spec.name, 'end', () => undefined),
    ];
    for (const call of refused) await t.rejects(call, /closed/);
    await log.close();
  },
};
