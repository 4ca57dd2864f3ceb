/** Tests what the heartbeats of a device show together, without a log. */
import t from 'tap';
import type { Heartbeat } from '@sentinel-node/contracts';
import { hear, hearElsewhere, withTold, type HeardDevice } from '../src/domain/heard-device.ts';

const INTERVAL_S = 60;
const SECOND_MS = 1_000;

const heartbeat = (instanceId: string, sentMs: number) => ({
  ...{ timestamp: new Date(sentMs).toISOString(), instanceId, agentVersion: '1', files: [] },
  ...{ queue: 0, oldestUnsent: null },
});

/** A process that hears heartbeats itself (`here`) or learns of them. Times are seconds. */
function process() {
  let device: HeardDevice | undefined;
  return {
    here: (instanceId: string, sentS: number, nowS = sentS, more: Partial<Heartbeat> = {}) => {
      const given = { ...heartbeat(instanceId, sentS * SECOND_MS), ...more };
      const heard = hear(device, given, nowS * SECOND_MS, INTERVAL_S);
      ({ device } = heard);
      return heard.heard;
    },
    elsewhere: (instanceId: string, sentS: number, nowS = sentS) => {
      const given = heartbeat(instanceId, sentS * SECOND_MS);
      device = hearElsewhere(device!, given, sentS * SECOND_MS, nowS * SECOND_MS);
    },
    untold: (instanceId: string, told: number) => {
      device = withTold(device!, instanceId, told);
    },
    instances: () => device!.instances.map(({ instanceId }) => instanceId).join(''),
    agents: () => device!.agents.map(({ instanceId }) => instanceId).join(''),
  };
}

t.test(
  'the last heartbeat before a restart, that is learned after the first one of the new start',
  async (t) => {
    const one = process();
    one.here('a', 100);
    one.here('b', 170);
    one.elsewhere('a', 160, 171);
    t.equal(one.instances(), 'ab');
    t.notOk(one.here('b', 230)!.isAlternating);
    const other = process();
    other.here('b', 170);
    other.elsewhere('a', 160, 171);
    t.equal(other.instances(), 'ab', 'also when it was not known before');
    t.notOk(other.here('b', 230)!.isAlternating);
  },
);

t.test('two agents whose clocks differ: at least one process finds them', async (t) => {
  for (const aheadS of [-3_600, -10, 0, 10, 3_600]) {
    const [one, two] = [process(), process()];
    one.here('a', 10_000 + aheadS, 10_000);
    two.here('b', 10_030, 10_030);
    one.elsewhere('b', 10_030, 10_031);
    let found = false;
    for (let n = 1; n <= 3; n += 1) {
      const nowS = 10_000 + n * INTERVAL_S;
      found ||= one.here('a', nowS + aheadS, nowS)!.isAlternating;
      two.elsewhere('a', nowS + aheadS, nowS + 1);
      found ||= two.here('b', nowS + 30, nowS + 30)!.isAlternating;
      one.elsewhere('b', nowS + 30, nowS + 31);
    }
    t.ok(found, `${aheadS} s ahead`);
  }
});

t.test('a late heartbeat changes nothing but the next refusal', async (t) => {
  const one = process();
  one.here('a', 100);
  one.here('b', 110);
  t.equal(one.here('a', 90, 120), undefined);
  t.equal(one.instances(), 'ab');
  t.equal(one.here('a', 90, 121), undefined, 'the same again');
  t.equal(one.here('a', 89, 122), undefined, 'an older one');
  t.equal(one.here('a', 97, 123.9), undefined, 'sent before the refusal');
  t.match(one.here('a', 99, 125), { isAlternating: true }, 'sent after the refusal');
  t.equal(one.here('a', 98, 300), undefined, 'compared with the one that was kept');
});

t.test('a refusal is over with the next heartbeat', async (t) => {
  const one = process();
  one.here('a', 100);
  one.here('a', 90, 120);
  t.ok(one.here('a', 160));
  t.equal(one.here('a', 130, 165), undefined);
});

t.test('reports that wait over several starts of an agent', async (t) => {
  const waiting = { queue: 1, oldestUnsent: new Date(0).toISOString(), setAside: 1 };
  const one = process();
  const heard = [...'abcd'].map((name, n) => one.here(name, 10_000 + n * INTERVAL_S, undefined, waiting)!);
  t.same(
    heard.map(({ isStuck }) => isStuck),
    [false, false, false, true],
  );
  t.same(
    heard.map(({ setAside }) => setAside),
    [1, 1, 1, 1],
    'of those that were set aside each start counts its own',
  );
  t.equal(one.here('e', 10_500, undefined, waiting)!.isStuck, false, 'after an outage they have time');
});

t.test('what could not be told of reports that were set aside is told by the next heartbeat', async (t) => {
  const one = process();
  const setAside = (name: string, sentS: number, count: number) =>
    one.here(name, sentS, undefined, { setAside: count })!.setAside;
  t.equal(setAside('a', 0, 2), 2);
  t.equal(setAside('b', 10, 1), 1);
  one.untold('a', 1);
  t.equal(setAside('a', 60, 3), 2, 'one of three was told');
  t.equal(setAside('b', 70, 1), 0, 'that of another instance stays told');
});

t.test('the time of receipt rises', async (t) => {
  const one = process();
  const times = [
    one.here('a', 0, 100),
    one.here('a', 1, 100),
    one.here('b', 2, 50),
    one.here('b', 3, 200),
  ].map((heard) => heard!.receivedAt);
  t.same(times, [100_000, 100_001, 100_002, 200_000]);
  one.elsewhere('a', 150);
  t.equal(one.here('a', 200, 200)!.receivedAt, 200_001, 'one that is not the highest changes nothing');
  one.elsewhere('a', 500, 201);
  t.equal(one.here('a', 501, 202)!.receivedAt, 500_001);
});

t.test('the last eight instances are remembered', async (t) => {
  const one = process();
  for (const [at, name] of [...'abcdefghi'].entries()) one.here(name, 100 + at);
  t.equal(one.agents(), 'bcdefghi');
  one.elsewhere('b', 200);
  t.equal(one.agents(), 'cdefghib');
  t.ok(one.here('a', 50, 201), 'one that was forgotten is not compared');
});

t.test(
  'a heartbeat that is older by more than a proxy holds it up is of a clock that was set back',
  async (t) => {
    const one = process();
    one.here('a', 1_000);
    t.equal(one.here('a', 880, 1_010), undefined, 'two minutes older: held up');
    const other = process();
    other.here('a', 1_000);
    t.ok(other.here('a', 879.999, 1_010), 'older yet');
    t.ok(other.here('a', 879.999, 1_020), 'the same time again is not older');
  },
);

t.test('one that was sent after a refusal is kept, with the time that it may be on its way', async (t) => {
  const refused = () => {
    const one = process();
    one.here('a', 1_000);
    one.here('a', 950, 1_010);
    return one;
  };
  t.ok(refused().here('a', 965, 1_020), 'ten seconds later, and five on the way');
  t.equal(refused().here('a', 965.001, 1_020), undefined, 'it was held up itself');
  t.equal(refused().here('a', 950, 1_020), undefined);
});

t.test('a time of receipt far above the clock is kept with the time of the clock', async (t) => {
  const one = process();
  one.here('a', 0, 1_000);
  t.equal(one.here('a', 1, 941)!.at, undefined, 'clocks of processes differ by less');
  t.strictSame(one.here('a', 2, 940)!, {
    ...{ receivedAt: 1_000_002, at: 940_000 },
    ...{ isAlternating: false, isStuck: false, setAside: 0 },
  });
});
