/** Tests when heartbeats show that an agent's reports do not reach the server: given those before, when one comes, then. */
import t from 'tap';
import type { Heartbeat } from '@sentinel-node/contracts';
import {
  filesOfStuck,
  recordDelivery,
  saysAllWait,
  saysReportsWait,
  withProblems,
  type Delivery,
} from '../src/domain/deliveries.ts';

const INTERVAL_S = 60;
/** Three health intervals, in seconds: how old a report must be, and for how long heartbeats must have told of one. */
const ALLOWED_S = 180;
/** Any time; times below are seconds after it. */
const START_MS = Date.UTC(2026, 10, 30);

const at = (seconds: number): string => new Date(START_MS + seconds * 1_000).toISOString();
const heartbeat = (sentS: number, more: Partial<Heartbeat> = {}): Heartbeat => ({
  ...{ timestamp: at(sentS), instanceId: 'one', agentVersion: '1', files: [], queue: 0, oldestUnsent: null },
  ...more,
});
/** A heartbeat whose oldest report has waited for `ageS`. */
const behind = (sentS: number, ageS = ALLOWED_S): Heartbeat =>
  heartbeat(sentS, { queue: 1, oldestUnsent: at(sentS - ageS) });

/** An agent whose heartbeats arrive; `heardS` is the server's time when its clock is another. */
function agent() {
  let last: Delivery | undefined;
  return (beat: Heartbeat, heardS = (Date.parse(beat.timestamp) - START_MS) / 1_000) => {
    const found = recordDelivery(last, beat, START_MS + heardS * 1_000, INTERVAL_S);
    last = found.delivery;
    return found;
  };
}

t.test('old reports are stuck when heartbeats have told of them for three intervals', async (t) => {
  const hear = agent();
  const told = [0, 60, 120, 179, 180, 240].map((sentS) => hear(behind(sentS)).isStuck);
  t.same(told, [false, false, false, false, true, true]);
});

t.test('a report is old from three intervals on', async (t) => {
  const hear = agent();
  const young = [0, 60, 120, 180, 240].map((sentS) => hear(behind(sentS, ALLOWED_S - 1)).isStuck);
  t.same(
    young,
    [false, false, false, false, false],
    'an agent that sends every three minutes is no stuck one',
  );
});

t.test('a longer health interval allows more', async (t) => {
  const first = recordDelivery(undefined, behind(0, 899), START_MS, 300);
  t.equal(first.delivery.behindSinceMs, undefined);
  t.equal(recordDelivery(undefined, behind(0, 900), START_MS, 300).delivery.behindSinceMs, START_MS);
});

t.test('a heartbeat without an old report ends the time', async (t) => {
  for (const well of [heartbeat(120), behind(120, 1), heartbeat(120, { queue: 1, oldestUnsent: null })]) {
    const hear = agent();
    for (const sentS of [0, 60]) hear(behind(sentS));
    t.notOk(hear(well).isStuck);
    t.notOk(hear(behind(180)).isStuck, 'counted anew');
    t.notOk(hear(behind(359)).isStuck);
    t.ok(hear(behind(360)).isStuck);
  }
});

t.test('an empty queue has nothing that waits, whatever its oldest time says', async (t) => {
  const hear = agent();
  const beats = [0, 60, 120, 180].map(
    (sentS) => hear(heartbeat(sentS, { oldestUnsent: at(-9_000) })).isStuck,
  );
  t.same(beats, [false, false, false, false]);
});

t.test('heartbeats are in a row up to three intervals apart', async (t) => {
  const inRow = agent();
  inRow(behind(0));
  t.ok(inRow(behind(ALLOWED_S)).isStuck);
  const apart = agent();
  apart(behind(0));
  t.notOk(apart(behind(ALLOWED_S + 1)).isStuck, 'after an outage the agent has time to send');
  t.notOk(apart(behind(2 * ALLOWED_S)).isStuck);
  t.ok(apart(behind(2 * ALLOWED_S + 1)).isStuck);
});

t.test('a clock of the agent that went back hides no old report', async (t) => {
  const hear = agent();
  const late = heartbeat(0, { queue: 2, oldestUnsent: at(ALLOWED_S) });
  t.equal(hear(late, 0).delivery.behindSinceMs, START_MS, 'the report bears a later time than the heartbeat');
});

t.test(
  "a server's clock that went back counts from there, and does not wait until the earlier time",
  async (t) => {
    const hear = agent();
    hear(behind(10_000));
    t.notOk(hear(behind(10_060), 100).isStuck);
    t.notOk(hear(behind(10_200), 279).isStuck);
    t.ok(hear(behind(10_300), 280).isStuck);
  },
);

t.test('reports set aside are told by how many more there are', async (t) => {
  const deliveryTold = (toldSetAside: number): Delivery => ({
    ...{ seenAtMs: START_MS, behindSinceMs: undefined, toldSetAside },
  });
  const after = (told: number, setAside: number | undefined) =>
    recordDelivery(
      deliveryTold(told),
      heartbeat(60, setAside === undefined ? {} : { setAside }),
      START_MS + 60_000,
      INTERVAL_S,
    );
  t.equal(after(0, 2).setAside, 2);
  t.equal(after(2, 2).setAside, 0);
  t.equal(after(2, 5).setAside, 3);
  t.equal(after(2, 5).delivery.toldSetAside, 2, 'what was told before; the caller tells the rest');
  t.equal(after(2, 1).setAside, 0, 'fewer than were told');
  t.equal(after(2, 1).delivery.toldSetAside, 1, 'a second one is then told again');
  t.equal(after(2, undefined).delivery.toldSetAside, 0, 'earlier agents give no number');
});

const A = { id: 'a' };
const B = { id: 'b' };
const WAITS = { problem: 'REPORTS_WAIT' };
const beatOf = (files: readonly object[]): Heartbeat =>
  heartbeat(0, { files: files as unknown as Heartbeat['files'] });

t.test('what the agent says of its files itself', async (t) => {
  const some = beatOf([A, { ...B, ...WAITS }]);
  const all = beatOf([{ ...A, ...WAITS }, { ...B, ...WAITS }]); // prettier-ignore
  const other = beatOf([A, { ...B, problem: 'EACCES' }]);
  const none = beatOf([A, B]);
  const empty = beatOf([]);
  const of = (judge: (beat: Heartbeat) => unknown) => [some, all, other, none, empty].map(judge);
  t.same(of(saysReportsWait), [true, true, false, false, false]);
  t.same(of(saysAllWait), [false, true, false, false, false], 'a heartbeat without files says nothing');
  t.same(
    of(filesOfStuck),
    [[], [], [], ['a', 'b'], []],
    'an agent that names a problem knows which are well',
  );
});

t.test("the server's reasons are added to files that have none", async (t) => {
  const given = beatOf([{ ...A, problem: 'EACCES' }, B, { id: 'c' }]);
  t.equal(withProblems(given, new Map()), given);
  const changed = withProblems(given, new Map([['a', 'REPORTS_WAIT'], ['b', 'REPORT_REFUSED']])); // prettier-ignore
  t.strictSame(changed, {
    ...given,
    files: [{ ...A, problem: 'EACCES' }, { ...B, problem: 'REPORT_REFUSED' }, { id: 'c' }],
  });
});
