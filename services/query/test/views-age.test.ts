/** How old the views are, and where the API says so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  EMBEDDED_TOPICS,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  systemTimers,
  type EventLog,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { VIEWS_AGE, ViewsAge } from '../src/views/index.ts';
import { openStream } from './sse-client.ts';
import { viewsAgeCases } from './views-age-cases.ts';
import { createWorld, eventually } from './world.ts';

const START = Date.UTC(2026, 10, 21, 12);
const isoAfter = (ms: number): string => new Date(START + ms).toISOString();
const { lookMs, behindMs, currentMs } = VIEWS_AGE;

/** A log of one partition a topic that knows its ends and commits only. */
function stage() {
  const ends = new Map<string, number>();
  const done = new Map<string, number>();
  let answers = true;
  const answer = async <T>(value: T): Promise<T> => {
    if (!answers) throw new Error('no broker answers');
    return value;
  };
  const eventLog: Pick<EventLog, 'bounds' | 'committed'> = {
    bounds: (topic) => answer([{ partition: 0, start: 0, end: ends.get(topic) ?? 0 }]),
    committed: (topic, group) => {
      const at = done.get(`${group} ${topic}`);
      return answer(new Map(at === undefined ? [] : [[0, at]]));
    },
  };
  const clock = new ManualClock(START);
  let now = 0;
  const age = new ViewsAge({ eventLog, clock, log: silentLog(), now: () => now });
  /** Lets time pass, with the looks that come in it. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= lookMs) {
      const step = Math.min(left, lookMs);
      now += step;
      clock.advance(step);
      await age.look();
    }
  };
  return {
    age,
    pass,
    append: (topic: string) => ends.set(topic, (ends.get(topic) ?? 0) + 1),
    commit: (group: string, topic: string) => done.set(`${group} ${topic}`, ends.get(topic) ?? 0),
    commitBefore: (group: string, topic: string, records: number) =>
      done.set(`${group} ${topic}`, Math.max(0, (ends.get(topic) ?? 0) - records)),
    silence: (isSilent: boolean) => (answers = !isSilent),
  };
}

t.test('nothing is known before the first look', async (t) => {
  const { age } = stage();
  t.strictSame(age.word, { state: 'UNKNOWN', asOf: null });
});

t.test('views that have everything are of the last look', async (t) => {
  const { age, pass } = stage();
  await pass(lookMs);
  t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(lookMs) });
  await pass(10 * behindMs);
  t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(lookMs + 10 * behindMs) });
});

t.test(
  'a record that is not in the views makes them behind after the bound, until it is there',
  async (t) => {
    for (const topic of [TOPICS.registry, TOPICS.chain, TOPICS.deviceHealth, TOPICS.anchors]) {
      const { age, pass, append, commit } = stage();
      await pass(lookMs);
      append(topic);
      await pass(behindMs);
      t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(lookMs) }, `${topic}: a small lag is none`);
      await pass(lookMs);
      t.strictSame(age.word, { state: 'BEHIND', asOf: isoAfter(lookMs) }, topic);
      commit(GROUPS.projector, topic);
      await pass(lookMs);
      t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(behindMs + 3 * lookMs) }, topic);
    }
  },
);

t.test('a report that is accepted and not judged counts too, and then its verdict', async (t) => {
  const { age, pass, append, commit } = stage();
  await pass(lookMs);
  append(TOPICS.fileEvents);
  await pass(behindMs + lookMs);
  t.strictSame(age.word, { state: 'BEHIND', asOf: isoAfter(lookMs) });
  append(TOPICS.chain);
  commit(GROUPS.verifier, TOPICS.fileEvents);
  await pass(lookMs);
  t.strictSame(age.word, { state: 'BEHIND', asOf: isoAfter(lookMs) }, 'its verdict is not in the views');
  commit(GROUPS.projector, TOPICS.chain);
  await pass(lookMs);
  t.equal(age.word.state, 'CURRENT');
});

t.test(
  'a load with more behind each record is no lag, and the age is that of the newest that is shown',
  async (t) => {
    const { age, pass, append, commit } = stage();
    for (let n = 0; n < 50; n++) {
      commit(GROUPS.projector, TOPICS.chain);
      append(TOPICS.chain);
      await pass(lookMs);
      if (n > 0) t.equal(age.word.state, 'CURRENT');
    }
  },
);

t.test(
  'what was behind is current only well below the bound, so that a notice does not flicker',
  async (t) => {
    const { age, pass, append, commitBefore } = stage();
    const between = (behindMs + currentMs) / 2;
    const states: [lagMs: number, state: string][] = [
      [between, 'CURRENT'],
      [behindMs + 2 * lookMs, 'BEHIND'],
      [between, 'BEHIND'],
      [currentMs - 2 * lookMs, 'CURRENT'],
      [between, 'CURRENT'],
    ];
    for (const [lag, state] of states)
      for (let n = 0; n < (2 * behindMs) / lookMs; n++) {
        append(TOPICS.chain);
        // A record comes with each look, and the views are so many looks behind.
        commitBefore(GROUPS.projector, TOPICS.chain, lag / lookMs);
        await pass(lookMs);
        if (n > behindMs / lookMs) t.equal(age.word.state, state, `${lag} ms behind`);
      }
  },
);

t.test('while the log does not answer, nobody knows', async (t) => {
  const { age, pass, silence } = stage();
  await pass(lookMs);
  silence(true);
  await pass(behindMs);
  t.equal(age.word.state, 'CURRENT', 'a look that fails is no news');
  await pass(lookMs);
  t.strictSame(age.word, { state: 'UNKNOWN', asOf: isoAfter(lookMs) });
  silence(false);
  await pass(lookMs);
  t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(behindMs + 3 * lookMs) });
});

t.test('a start behind the log says so, and not since when', async (t) => {
  const { age, pass, append, commit } = stage();
  append(TOPICS.chain);
  await pass(lookMs);
  t.strictSame(age.word, { state: 'BEHIND', asOf: null });
  commit(GROUPS.projector, TOPICS.chain);
  await pass(lookMs);
  t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(2 * lookMs) });
});

t.test('looks of many hours take no more room, and the age stays right', async (t) => {
  const { age, pass, append, commit } = stage();
  await pass(lookMs);
  append(TOPICS.chain);
  const hours = 3 * VIEWS_AGE.waitingLooks * lookMs;
  await pass(hours);
  t.strictSame(age.word, { state: 'BEHIND', asOf: isoAfter(lookMs) });
  commit(GROUPS.projector, TOPICS.chain);
  await pass(lookMs);
  t.strictSame(age.word, { state: 'CURRENT', asOf: isoAfter(hours + 2 * lookMs) });
});

/** The embedded log, whose looks fail, or never see what the projector did, as long as it is told so. */
async function logOf(t: Test) {
  const folder = openDataFolder(t.testdir());
  const log = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await log.close();
    folder.release();
  });
  const state = { isSilent: false };
  const eventLog: EventLog = new Proxy(log, {
    get: (target, name) => {
      if (name === 'committed')
        return async (...args: Parameters<EventLog['committed']>) => {
          if (state.isSilent) throw new Error('no broker answers');
          return target.committed(...args);
        };
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { eventLog, state };
}

viewsAgeCases(t, async () => {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-views-')));
  const [eventLog, store] = await Promise.all([
    openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS }),
    openEmbeddedDocumentStore({ folder }),
  ]);
  const close = async (): Promise<void> => {
    await eventLog.close();
    await store.close();
    folder.release();
    rmSync(folder.path, { recursive: true });
  };
  return { store, eventLog, close };
});

t.test('every answer and the stream tell it', async (t) => {
  const { eventLog, state } = await logOf(t);
  state.isSilent = true;
  // Looks and ticks of the stream come at once.
  const timers = {
    ...systemTimers,
    every: (ms: number, task: () => Promise<void>) => systemTimers.every(Math.min(ms, 20), task),
  };
  const world = await createWorld(t, {}, { eventLog, timers });
  const admin = await world.organization('Acme', 'ada@acme.example');
  const { headers } = await admin.call('GET', `/devices/${admin.orgId}`);
  t.equal(headers['sentinel-views'], 'UNKNOWN');
  t.notOk('sentinel-views-as-of' in headers);
  const stream = await openStream(t, world, admin, admin.orgId);
  const first = await stream.next(({ event }) => event === 'views');
  t.strictSame(first.data, { state: 'UNKNOWN', asOf: null });
  t.equal(first.id, undefined, 'a stream is resumed from what was sent before');
  t.equal(stream.frames[0]!.event, 'ready');
  state.isSilent = false;
  const second = await stream.next(({ event, data }) => event === 'views' && data.state === 'CURRENT');
  t.match(second.data.asOf, /^2026-11-21T10:/);
  const resumed = await openStream(t, world, admin, admin.orgId, stream.frames.findLast(({ id }) => id)!.id);
  t.match((await resumed.next(({ event }) => event === 'views')).data, { state: 'CURRENT' });
  await eventually(async () => {
    const { headers: now } = await world.call('GET', `/alerts/link/shared/data/none`);
    return now['sentinel-views'] === 'CURRENT' && now['sentinel-views-as-of'] !== undefined
      ? true
      : undefined;
  });
});
