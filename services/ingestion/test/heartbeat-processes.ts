/** Tests what several processes of ingestion make of the heartbeats of one device, on any adapters. */
import type { Test } from 'tap';
import { TOPICS, type HealthRecord, type NoticeRecord } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import { startBeside, startWorld, until, type Answer, type BackEnd, type World } from './support.ts';

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
  /** Returns the events with this code. */
  readonly told: (code: string) => Promise<NoticeRecord[]>;
}

/** Returns the log, with a count of the heartbeats that the tail of one process has taken. */
function counted(log: EventLog, taken: number[], at: number): EventLog {
  const tail: EventLog['tail'] = (topic, from, onBatch) =>
    log.tail(topic, from, (batch) => {
      onBatch(batch);
      if (topic === TOPICS.deviceHealth) taken[at]! += batch.records.length;
    });
  return new Proxy(log, {
    get: (target, name) => {
      if (name === 'tail') return tail;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
}

/** Starts processes whose clocks are ahead by so much (ms). */
async function startProcesses(
  t: Test,
  aheadMs: readonly number[],
  more: { readonly backEnd?: () => Promise<BackEnd> },
): Promise<Processes> {
  const taken = aheadMs.map(() => 0);
  const wrapLog = (at: number) => (log: EventLog) => counted(log, taken, at);
  const first = await startWorld(t, { ...more, wrapLog: wrapLog(0) });
  const all = [first];
  while (all.length < aheadMs.length) all.push(await startBeside(t, first, { wrapLog: wrapLog(all.length) }));
  for (const [at, ms] of aheadMs.entries()) all[at]!.clock.advance(ms);
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
      await until(() => taken.every((count) => count === length));
      return answer;
    },
    kept,
    told: async (code) =>
      (await first.records())
        .map(({ header }) => header)
        .filter((header) => header.kind === 'notice' && header.code === code) as NoticeRecord[],
  };
}

export function heartbeatsAtProcesses(t: Test, backEnd?: () => Promise<BackEnd>): void {
  const more = backEnd === undefined ? {} : { backEnd };
  const start = (t: Test, aheadMs: readonly number[]) => startProcesses(t, aheadMs, more);

  t.test('the last of two heartbeats is the newest, though the clock of its process is behind', async (t) => {
    const { all, advance, beat, kept } = await start(t, [SECOND_MS, 0]);
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
      const { all, advance, beat, kept } = await start(t, [0, 0]);
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

  t.test(
    'an agent whose clock went back is heard, at the latest with the heartbeat after a refusal',
    async (t) => {
      const { all, advance, beat, kept } = await start(t, [0, 0]);
      let backMs = 0;
      const beatBack = (at: number, more: object = {}) =>
        beat(at, { timestamp: new Date(all[0]!.clock.now() - backMs).toISOString(), ...more });
      for (const at of [0, 1]) t.equal((await beatBack(at)).statusCode, 200);
      for (const [ms, status] of [
        [10_000, 503],
        [100_000, 503],
        [HOUR_MS, 200],
      ] as const) {
        backMs += ms;
        advance(200);
        t.equal((await beatBack(0)).statusCode, status, `${ms} ms`);
        advance(SECOND_MS);
        t.equal((await beatBack(0)).statusCode, 200);
        advance(60_000);
        for (const at of [1, 0]) t.equal((await beatBack(at)).statusCode, 200, 'also by the others');
      }
      t.equal(
        (await beatBack(1, { instanceId: 'two', timestamp: '2026-01-01T00:00:00.000Z' })).statusCode,
        200,
      );
      t.equal((await kept()).length, 13, 'another instance is compared with its own');
    },
  );

  t.test('two agents that come to processes of their own', async (t) => {
    const { advance, beat, told } = await start(t, [HOUR_MS, 0]);
    const both = async () => {
      for (const [at, instanceId] of [
        [0, 'a'],
        [1, 'b'],
      ] as const) {
        advance(30_000);
        t.equal((await beat(at, { instanceId })).statusCode, 200);
      }
    };
    await both();
    t.equal((await told('TWO_AGENTS')).length, 0, 'one may have been started after the other');
    for (let n = 0; n < 5; n += 1) await both();
    t.equal((await told('TWO_AGENTS')).length, 2, 'once an hour by each process');
  });

  t.test('an agent that is started again, and comes to every process in turns, is one', async (t) => {
    const { advance, beat, told } = await start(t, [SECOND_MS, 0, 2 * SECOND_MS]);
    for (const [n, instanceId] of [...'aaaabbbbccccdddd'].entries()) {
      advance(20_000);
      t.equal((await beat(n % 3, { instanceId })).statusCode, 200);
    }
    t.same(await told('TWO_AGENTS'), []);
  });

  t.test('reports that wait, of an agent that comes to every process in turns', async (t) => {
    const { advance, beat, kept, told } = await start(t, [0, 0, 0, 0]);
    const problems = async () => (await kept()).map(({ heartbeat }) => heartbeat.files[0]!.problem);
    const waiting = { queue: 7, oldestUnsent: '2026-11-21T08:00:00.000Z' };
    for (let n = 0; n < 4; n += 1) {
      await beat(n, waiting);
      advance(60_000);
    }
    t.same(await problems(), [undefined, undefined, undefined, undefined], 'no process knew of it before');
    for (let n = 0; n < 8; n += 1) {
      await beat(n % 4, waiting);
      advance(60_000);
    }
    t.same((await problems()).slice(-5), Array(5).fill('REPORTS_WAIT'));
    t.equal((await told('REPORTS_WAIT')).length, 1);
    await beat(0);
    t.equal((await problems()).at(-1), undefined);
  });

  t.test('reports that were set aside are told once, whichever process hears of them', async (t) => {
    const { advance, beat, told } = await start(t, [0, 0, 0]);
    const counts = [0, 0, 0, 2, 2, 2, 5, 5, 5, 5];
    for (const [n, setAside] of counts.entries()) {
      advance(60_000);
      await beat(n % 3, { setAside });
    }
    t.same(
      (await told('REPORTS_SET_ASIDE')).map(({ message }) => message.replace(/ in all.*/, '')),
      [2, 5].map(
        (all) =>
          `The agent set ${all === 2 ? 2 : 3} reports aside, because the server refused one for good (${all}`,
      ),
    );
  });

  t.test('two agents in turns at one process: what each tells counts by itself', async (t) => {
    const { advance, beat, kept, told } = await start(t, [0]);
    const waiting = { queue: 7, oldestUnsent: '2026-11-21T08:00:00.000Z', setAside: 2 };
    for (let n = 0; n < 12; n += 1) {
      advance(30_000);
      await beat(0, n % 2 === 0 ? { instanceId: 'a', ...waiting } : { instanceId: 'b', setAside: 1 });
    }
    t.equal((await told('REPORTS_SET_ASIDE')).length, 2, 'each once');
    t.equal((await told('REPORTS_WAIT')).length, 1);
    const [last, before] = (await kept()).toReversed().map(({ heartbeat }) => heartbeat.files[0]!.problem);
    t.same([before, last], ['REPORTS_WAIT', undefined]);
  });
}
