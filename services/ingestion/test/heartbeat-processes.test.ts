/** Tests what several processes of ingestion make of the heartbeats of one device. */
import t, { type Test } from 'tap';
import { TOPICS, type HealthRecord } from '@sentinel-node/contracts';
import { startBeside, startWorld, until, type Answer, type World } from './support.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

interface Processes {
  readonly all: readonly World[];
  /** Lets all clocks go on. */
  readonly advance: (ms: number) => void;
  /** Sends a heartbeat to a process; resolves when the others had the time to learn of it. */
  readonly beat: (at: number, changes?: object) => Promise<Answer>;
  /** Returns the records of kept heartbeats, oldest first. */
  readonly kept: () => Promise<HealthRecord[]>;
}

/** Starts processes whose clocks are ahead by so much (ms). */
async function startProcesses(t: Test, aheadMs: readonly number[]): Promise<Processes> {
  const first = await startWorld(t);
  const all = [first];
  while (all.length < aheadMs.length) all.push(await startBeside(t, first));
  for (const [at, ms] of aheadMs.entries()) all[at]!.clock.advance(ms);
  let seen = 0;
  const tail = await first.eventLog.tail(
    TOPICS.deviceHealth,
    'end',
    ({ records }) => (seen += records.length),
  );
  t.teardown(() => tail.stop());
  const kept = async () =>
    (await first.raw(TOPICS.deviceHealth)).map(
      ({ body }) => JSON.parse(Buffer.from(body).toString()) as HealthRecord,
    );
  return {
    all,
    advance: (ms) => all.forEach(({ clock }) => clock.advance(ms)),
    beat: async (at, changes = {}) => {
      const answer = await all[at]!.health({
        timestamp: new Date(all[0]!.clock.now()).toISOString(),
        ...{ instanceId: 'one', agentVersion: '1', queue: 0, oldestUnsent: null },
        files: [{ id: first.file.id, checkedAt: null }],
        ...changes,
      });
      const { length } = await kept();
      await until(() => seen === length);
      await new Promise((resolve) => setImmediate(resolve));
      return answer;
    },
    kept,
  };
}

t.test('the last of two heartbeats is the newest, though the clock of its process is behind', async (t) => {
  const { all, advance, beat, kept } = await startProcesses(t, [SECOND_MS, 0]);
  const problem = [{ id: all[0]!.file.id, checkedAt: null, problem: 'EACCES' }];
  t.equal((await beat(1)).statusCode, 200);
  advance(60_000);
  t.equal((await beat(0)).statusCode, 200);
  advance(200);
  t.equal((await beat(1, { files: problem })).statusCode, 200);
  const records = await kept();
  const times = records.map(({ receivedAt }) => receivedAt);
  t.same(times, [...new Set(times)].sort(), 'each has a later time of receipt');
  t.same(records.at(-1)!.heartbeat.files, problem);
  t.equal(times[2], times[1]! + 1);
  advance(60_000);
  await beat(1);
  t.equal((await kept()).at(-1)!.receivedAt, all[1]!.clock.now(), 'and then the clock counts again');
});

for (const [name, at] of [
  ['the process that has the newer one', 0],
  ['another process', 1],
] as const)
  t.test(`a heartbeat that was held up on its way and comes to ${name} does not replace it`, async (t) => {
    const { all, advance, beat, kept } = await startProcesses(t, [0, 0]);
    const problem = [{ id: all[0]!.file.id, checkedAt: null, problem: 'EACCES' }];
    const timeOf = () => ({ timestamp: new Date(all[0]!.clock.now()).toISOString() });
    await beat(1);
    advance(60_000);
    const held = timeOf();
    advance(31_000);
    const heldToo = timeOf();
    advance(31_000);
    t.equal((await beat(0, { files: problem })).statusCode, 200);
    advance(10_000);
    const events = [{ code: 'OTHER', message: '', fileId: null }];
    for (const changes of [held, heldToo, heldToo]) {
      const answer = await beat(at, { ...changes, events });
      t.equal(answer.statusCode, 503);
      t.match(answer.json(), { code: 'UNAVAILABLE', detail: /older than the last one/ });
      t.equal(Number(answer.headers['retry-after']), 1);
    }
    t.same((await kept()).at(-1)!.heartbeat.files, problem);
    t.same(await all[0]!.records(), [], 'nor are its events taken: its agent sends them again');
    advance(50_000);
    t.equal((await beat(at)).statusCode, 200, 'the next one of the agent');
    t.equal((await kept()).length, 3);
  });

t.test('an agent whose clock went back is heard with the heartbeat after the refusal', async (t) => {
  const { all, advance, beat, kept } = await startProcesses(t, [0, 0]);
  let backMs = 0;
  const beatBack = (at: number, more: object = {}) =>
    beat(at, { timestamp: new Date(all[0]!.clock.now() - backMs).toISOString(), ...more });
  for (const at of [0, 1]) t.equal((await beatBack(at)).statusCode, 200);
  for (const ms of [10_000, HOUR_MS]) {
    backMs += ms;
    advance(200);
    t.equal((await beatBack(0)).statusCode, 503);
    advance(SECOND_MS);
    t.equal((await beatBack(0)).statusCode, 200);
    advance(60_000);
    for (const at of [1, 0]) t.equal((await beatBack(at)).statusCode, 200, 'also by the others');
  }
  t.equal((await beatBack(1, { instanceId: 'two', timestamp: '2026-01-01T00:00:00.000Z' })).statusCode, 200);
  t.equal((await kept()).length, 9, 'another instance is compared with its own');
});
