import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { LogUnavailableError, silentLog } from '@sentinel-node/platform';
import { Backlog } from '../src/backlog.ts';

/** A log of one partition a topic, as far as the count reads it. */
class Way {
  readonly ends = { [TOPICS.fileEvents]: 0, [TOPICS.chain]: 0 } as Record<string, number>;
  readonly done: Record<string, number> = {};
  isDown = false;
  now = 0;

  readonly bounds = async (topic: string) => {
    if (this.isDown) throw new LogUnavailableError('down');
    return [{ partition: 0, start: 0, end: this.ends[topic]! }];
  };
  readonly committed = async (topic: string, group: string) => {
    const isOfGroup = (topic === TOPICS.chain) === (group === GROUPS.projector);
    const next = this.done[topic];
    return new Map(isOfGroup && next !== undefined ? [[0, next]] : []);
  };

  open(limit: number | undefined): Backlog {
    return new Backlog({ eventLog: this, log: silentLog(), limit, now: () => this.now });
  }

  async counted(limit: number): Promise<Backlog> {
    const backlog = this.open(limit);
    await backlog.count();
    return backlog;
  }

  accept(backlog: Backlog, orgId: string, records: number): void {
    this.ends[TOPICS.fileEvents]! += records;
    backlog.note(orgId, records);
  }
}

t.test(
  'given a flood and a neighbour, the flood stops at half of the room and the neighbour goes on',
  async (t) => {
    const way = new Way();
    const backlog = await way.counted(1_000);
    way.accept(backlog, 'quiet', 1);
    for (let n = 0; n < 1_000 && backlog.refusalOf('loud') === undefined; n++)
      way.accept(backlog, 'loud', 10);
    t.equal(backlog.waiting, 501, 'as many as are free, and the call that was let in before');
    const refusal = backlog.refusalOf('loud');
    t.equal(refusal?.code, 'OVERLOADED');
    const wait = refusal?.retryAfterSeconds ?? 0;
    t.ok(wait >= 1 && wait <= 4);
    t.equal(backlog.refusalOf('quiet'), undefined);
    t.equal(backlog.refusalOf('new'), undefined);
    await backlog.count();
    t.equal(backlog.refusalOf('loud')?.code, 'OVERLOADED', 'counted, the same');

    way.done[TOPICS.fileEvents] = 501;
    way.ends[TOPICS.chain] = 501;
    await backlog.count();
    t.equal(backlog.waiting, 501, 'judged, they wait for the views');
    t.ok(backlog.refusalOf('loud'));
    way.done[TOPICS.chain] = 400;
    await backlog.count();
    t.equal(backlog.refusalOf('loud'), undefined);
  },
);

t.test(
  'an organisation alone is never refused, and a neighbour of a minute ago does not count',
  async (t) => {
    const way = new Way();
    const backlog = await way.counted(100);
    way.accept(backlog, 'quiet', 1);
    way.accept(backlog, 'loud', 500);
    t.ok(backlog.refusalOf('loud'));
    way.now += 60_000;
    await backlog.count();
    t.ok(backlog.refusalOf('loud'));
    way.now += 1;
    await backlog.count();
    t.equal(backlog.refusalOf('loud'), undefined);
    way.accept(backlog, 'loud', 1);
    way.accept(backlog, 'loud', 1);
    t.equal(backlog.refusalOf('loud'), undefined, 'its own reports are no neighbour');
    way.accept(backlog, 'quiet', 1);
    t.ok(backlog.refusalOf('loud'), 'but when it sends again');
    way.accept(backlog, 'loud', 1);
    t.ok(backlog.refusalOf('loud'), 'whoever was last');
  },
);

t.test(
  'behind a backlog above the limit, made by one that was alone, a newcomer has a sixteenth of it',
  async (t) => {
    const way = new Way();
    const backlog = await way.counted(1_600);
    way.accept(backlog, 'loud', 100_000);
    await backlog.count();
    t.equal(backlog.refusalOf('new'), undefined);
    way.accept(backlog, 'new', 100);
    t.ok(backlog.refusalOf('loud'));
    t.equal(backlog.refusalOf('new'), undefined);
    way.accept(backlog, 'new', 10);
    t.ok(backlog.refusalOf('new'));
  },
);

t.test('what waits from before a restart is the share of none of those that send now', async (t) => {
  const way = new Way();
  way.ends[TOPICS.fileEvents] = 150_000;
  const backlog = await way.counted(160_000);
  way.accept(backlog, 'quiet', 1);
  way.accept(backlog, 'new', 1);
  t.equal(backlog.waiting, 150_002);
  t.equal(backlog.refusalOf('quiet'), undefined);
  t.equal(backlog.refusalOf('new'), undefined);
  way.accept(backlog, 'loud', 10_001);
  t.ok(backlog.refusalOf('loud'));
  t.equal(backlog.refusalOf('quiet'), undefined);
});

t.test('what is accepted while a count fails is not forgotten', async (t) => {
  const way = new Way();
  const backlog = await way.counted(100);
  way.accept(backlog, 'quiet', 1);
  way.accept(backlog, 'loud', 60);
  way.isDown = true;
  await backlog.count();
  await backlog.count();
  t.equal(backlog.waiting, 61);
  t.ok(backlog.refusalOf('loud'));
});

t.test('what is done is forgotten: its sender has no share of what waits now', async (t) => {
  const way = new Way();
  const backlog = await way.counted(100);
  way.accept(backlog, 'quiet', 1);
  way.accept(backlog, 'loud', 500);
  await backlog.count();
  t.ok(backlog.refusalOf('loud'));
  way.done[TOPICS.fileEvents] = 501;
  await backlog.count();
  t.equal(backlog.waiting, 0);
  t.equal(backlog.refusalOf('loud'), undefined);
  way.accept(backlog, 'quiet', 70);
  way.accept(backlog, 'loud', 1);
  await backlog.count();
  t.equal(backlog.refusalOf('loud'), undefined);
  t.ok(backlog.refusalOf('quiet'));
});

t.test('given many counts while nothing is done, the shares are those of all that waits', async (t) => {
  const way = new Way();
  const backlog = await way.counted(1_000);
  way.accept(backlog, 'early', 300);
  for (let n = 0; n < 450; n++) {
    await backlog.count();
    way.accept(backlog, 'late', 1);
  }
  await backlog.count();
  t.equal(backlog.waiting, 750);
  t.ok(backlog.refusalOf('early'), '300 of 750, and 250 are free');
  way.accept(backlog, 'other', 1);
  t.ok(backlog.refusalOf('late'));
  // The oldest intervals became one with those after them, so a part of it that is done is not forgotten yet.
  way.done[TOPICS.fileEvents] = 400;
  await backlog.count();
  t.equal(backlog.waiting, 351);
  t.equal(backlog.refusalOf('early'), undefined);
  t.equal(backlog.refusalOf('late'), undefined);
  way.accept(backlog, 'late', 300);
  await backlog.count();
  t.ok(backlog.refusalOf('late'), 'some 650 of 651');
  t.equal(backlog.refusalOf('early'), undefined, 'none of it is early');
});

t.test('refused calls come back after one to four seconds, in turns', async (t) => {
  const way = new Way();
  const backlog = await way.counted(10);
  way.accept(backlog, 'quiet', 1);
  way.accept(backlog, 'loud', 50);
  const waits = Array.from({ length: 8 }, () => backlog.refusalOf('loud')?.retryAfterSeconds);
  t.same([...waits].sort(), [1, 1, 2, 2, 3, 3, 4, 4]);
});

t.test('a count that fails is told once, until one succeeds', async (t) => {
  const way = new Way();
  const told: unknown[] = [];
  const log = { ...silentLog(), warn: (...line: unknown[]) => void told.push(line) };
  const backlog = new Backlog({ eventLog: way, log, limit: 10, now: () => way.now });
  await backlog.count();
  t.same(told, []);
  for (const isDown of [true, true, false, true]) {
    way.isDown = isDown;
    await backlog.count();
  }
  t.equal(told.length, 2);
  const [first] = told as [[{ err: unknown }, string]];
  t.type(first[0].err, LogUnavailableError);
  t.match(first[1], /cannot be counted/);
});

t.test('the clock is the monotonic one', async (t) => {
  const way = new Way();
  const backlog = new Backlog({ eventLog: way, log: silentLog(), limit: 10 });
  await backlog.count();
  way.accept(backlog, 'quiet', 1);
  way.accept(backlog, 'loud', 50);
  t.ok(backlog.refusalOf('loud'));
  t.ok(backlog.isLimited);
});

t.test('without a count nothing is refused: none yet, none for five seconds, none wanted', async (t) => {
  const way = new Way();
  const flood = (backlog: Backlog): void => {
    way.accept(backlog, 'quiet', 1);
    way.accept(backlog, 'loud', 500);
  };
  const never = way.open(100);
  flood(never);
  t.equal(never.refusalOf('loud'), undefined);

  const counted = await way.counted(100);
  flood(counted);
  t.ok(counted.refusalOf('loud'));
  way.isDown = true;
  way.now += 5_000;
  await counted.count();
  t.ok(counted.refusalOf('loud'), 'the last count is not old yet');
  way.now += 1;
  t.equal(counted.refusalOf('loud'), undefined);
  way.isDown = false;
  await counted.count();
  t.ok(counted.refusalOf('loud'));

  const unlimited = way.open(undefined);
  await unlimited.count();
  flood(unlimited);
  t.equal(unlimited.refusalOf('loud'), undefined);
  t.notOk(unlimited.isLimited);
});

t.test('whatever is sent and done, who has no more than is free is taken, and who has is not', async (t) => {
  const orgs = ['a', 'b', 'c'] as const;
  const step = fc.record({ org: fc.constantFrom(...orgs), records: fc.nat(40), done: fc.nat(60) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 1_000 }), async (steps) => {
      const way = new Way();
      const backlog = way.open(200);
      const sent: string[] = [];
      for (const { org, records, done } of steps) {
        way.accept(backlog, org, records);
        for (let n = 0; n < records; n++) sent.push(org);
        const before = way.done[TOPICS.fileEvents] ?? 0;
        way.done[TOPICS.fileEvents] = Math.min(sent.length, before + done);
        await backlog.count();
        const waiting = sent.slice(way.done[TOPICS.fileEvents]);
        for (const one of orgs) {
          const own = waiting.filter((org) => org === one).length;
          const allowed = Math.max(200 - waiting.length, 200 / 16);
          // The estimate goes by intervals: it may take the whole interval in which the oldest waiting report came.
          const most = 40;
          const isRefused = backlog.refusalOf(one) !== undefined;
          if (isRefused && own + most < allowed) return false;
          if (!isRefused && own > allowed + most && new Set(sent).size > 1) return false;
        }
      }
      return true;
    }),
    { numRuns: 30 },
  );
  t.pass('for all');
});
