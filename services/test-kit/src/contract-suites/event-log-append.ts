import type { Test } from 'tap';
import { matchList } from '../matching/index.ts';
import { LIMITS, partitionOf } from '@sentinel-node/contracts';
import {
  Collector,
  offsetsRise,
  readAll,
  readTopic,
  record,
  records,
  text,
  topic,
  until,
} from './harness.ts';
import type { MakeLog } from './harness.ts';

export const appendCases: Readonly<Record<string, (t: Test, makeLog: MakeLog) => Promise<void>>> = {
  'an append answers a position a record, where the record is then read': async (t, makeLog) => {
    const spec = topic(4);
    const { log } = await makeLog(t, [spec]);
    const wanted = records(50, 7);
    const positions = await log.append(spec.name, wanted);
    t.equal(positions.length, wanted.length);
    for (const [index, position] of positions.entries()) {
      t.equal(position.partition, partitionOf(wanted[index]!.key, spec.partitions), 'partition of the key');
      const [found] = await readAll(log, spec.name, position.partition, position.offset, position.offset + 1);
      t.equal(found?.id, wanted[index]!.id);
      t.equal(found?.key, wanted[index]!.key);
      t.equal(found && text(found), wanted[index]!.id);
      t.equal(found?.offset, position.offset);
    }
  },

  'records of a key keep their order over many appends, offsets rise': async (t, makeLog) => {
    const spec = topic(3);
    const { log } = await makeLog(t, [spec]);
    const appends: Promise<unknown>[] = [];
    for (let round = 0; round < 40; round++) appends.push(log.append(spec.name, records(10, 5, `${round}-`)));
    await Promise.all(appends);
    const found = await readTopic(log, spec);
    t.equal(found.length, 400);
    t.ok(offsetsRise(found));
    for (let key = 0; key < 5; key++) {
      const ids = found.filter((stored) => stored.key === `key-${key}`).map(({ id }) => id);
      const wanted = Array.from({ length: 40 }, (_, round) => [
        `${round}-${key}`,
        `${round}-${key + 5}`,
      ]).flat();
      t.same(ids, wanted, `order of key ${key}`);
    }
  },

  '1,000 concurrent appends are all read back, once each': async (t, makeLog) => {
    const spec = topic(6);
    const { log } = await makeLog(t, [spec]);
    const wanted = records(1_000, 211);
    const answers = await Promise.all(wanted.map((one) => log.append(spec.name, [one])));
    const places = new Set(answers.map(([at]) => `${at!.partition}/${at!.offset}`));
    t.equal(places.size, 1_000, 'no position twice');
    const found = await readTopic(log, spec);
    t.same(found.map(({ id }) => id).sort(), wanted.map(({ id }) => id).sort());
    for (const [index, [at]] of answers.entries()) {
      const stored = found.find((one) => one.id === wanted[index]!.id);
      t.match(at, { partition: stored?.partition, offset: stored?.offset });
    }
  },

  'what was acknowledged is there after a restart, and the count goes on': async (t, makeLog) => {
    const spec = topic(2);
    const under = await makeLog(t, [spec]);
    await under.log.append(spec.name, records(20, 4, 'a'));
    const before = await under.log.bounds(spec.name);
    const log = await under.reopen();
    t.same(await log.bounds(spec.name), before);
    const [position] = await log.append(spec.name, [record('key-0', 'later')]);
    t.equal(position!.offset, before[position!.partition]!.end);
    t.equal((await readTopic(log, spec)).length, 21);
  },

  'bodies, keys and ids come back to the byte': async (t, makeLog) => {
    const spec = topic(1);
    const { log, reopen } = await makeLog(t, [spec]);
    const body = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) & 0xff);
    const odd = [
      { key: 'schlüssel-\u{1F511}', id: '"; DROP TABLE batches; --', body },
      { key: 'empty', id: 'é', body: new Uint8Array(0) },
      { key: 'view', id: 'view', body: body.subarray(100, 200) },
    ];
    await log.append(spec.name, odd);
    for (const found of [await readAll(log, spec.name, 0), await readAll(await reopen(), spec.name, 0)]) {
      t.same(
        found.map(({ key, id }) => ({ key, id })),
        odd.map(({ key, id }) => ({ key, id })),
      );
      found.forEach((stored, index) => t.ok(Buffer.from(stored.body).equals(odd[index]!.body)));
    }
  },

  'an append of nothing answers nothing': async (t, makeLog) => {
    const spec = topic(1);
    const { log } = await makeLog(t, [spec]);
    t.same(await log.append(spec.name, []), []);
    matchList(t, await log.bounds(spec.name), [{ partition: 0, start: 0, end: 0 }]);
  },

  'what is seen before its acknowledgement stays, and everything is seen after it': async (t, makeLog) => {
    const spec = topic(1);
    const { log } = await makeLog(t, [spec]);
    const appends = records(200, 1).map(async (one) => {
      const [position] = await log.append(spec.name, [one]);
      const [bounds] = await log.bounds(spec.name);
      t.ok(position!.offset < bounds!.end);
    });
    // The number of early records depends on the speed of the adapter and the machine.
    const early = await readAll(log, spec.name, 0);
    await Promise.all(appends);
    const whole = await readAll(log, spec.name, 0);
    t.equal(whole.length, 200);
    t.same(
      early.map(({ id }) => id),
      whole.slice(0, early.length).map(({ id }) => id),
    );
  },

  'an append of many and of the largest records comes back whole and in order': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec]);
    const many = records(10_000, 3, 'many-').map((one) => ({ ...one, body: new Uint8Array(1_000) }));
    const large = ['first', 'second'].map((id) => ({
      key: 'key-0',
      id,
      body: new Uint8Array(LIMITS.logRecordBytes).fill(id.length),
    }));
    const positions = await log.append(spec.name, [...many, ...large]);
    t.equal(positions.length, 10_002);
    const found = await readTopic(log, spec);
    t.ok(offsetsRise(found));
    for (let key = 0; key < 3; key++) {
      const wanted = [...many, ...large].filter((one) => one.key === `key-${key}`).map(({ id }) => id);
      const ids = found.filter((one) => one.key === `key-${key}`).map(({ id }) => id);
      t.ok(ids.join() === wanted.join(), `order of key ${key}`);
    }
    for (const one of large)
      t.ok(Buffer.from(found.find(({ id }) => id === one.id)!.body).equals(one.body), one.id);
    const collector = new Collector();
    const subscription = await log.consume([spec.name], 'contract-large', collector.handler);
    await until('all of it', () => collector.records.length >= 10_002);
    await subscription.stop();
    await t.rejects(
      log.append(spec.name, [{ ...large[0]!, body: new Uint8Array(LIMITS.logRecordBytes + 1) }]),
      RangeError,
    );
  },
};
