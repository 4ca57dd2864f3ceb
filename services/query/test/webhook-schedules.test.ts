/** When webhooks are due, and what happens to notices that come while a process sends. */
import t, { type Test } from 'tap';
import { openDataFolder, openEmbeddedDocumentStore, type DocumentStore } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import { WEBHOOK_LIMITS } from '../src/webhooks/limits.ts';
import { Schedules, WEBHOOK_SCHEDULES_COLLECTION } from '../src/webhooks/schedules.ts';
import { uuid } from './chain-records.ts';

const AT = Date.UTC(2026, 10, 25, 12);
const ORG = uuid(1);
const WEBHOOK = uuid(2);
const DONE = { failures: 0, pausedUntil: 0, last: null };

async function openSchedules(t: Test) {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([WEBHOOK_SCHEDULES_COLLECTION]);
  const clock = new ManualClock(AT);
  return { store, clock, schedules: new Schedules(store, clock) };
}

/** The same store, in which `run` comes between the first read of a call and its write. */
function interrupted(store: DocumentStore, run: () => Promise<unknown>): DocumentStore {
  let isFirst = true;
  return new Proxy(store, {
    get: (of, property) => {
      const value = of[property as keyof DocumentStore] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        const isNow = property === 'bulkUpsert' && isFirst;
        if (isNow) isFirst = false;
        if (isNow) await run();
        return value.apply(of, given);
      };
    },
  });
}

t.test('given a process that sends, a wake makes it read again before it finishes', async (t) => {
  const { schedules } = await openSchedules(t);
  await schedules.wake(ORG, [WEBHOOK]);
  const taken = (await schedules.take(WEBHOOK))!;
  await schedules.wake(ORG, [WEBHOOK]);
  t.equal(await schedules.finish(taken, DONE), false);
});

t.test('given a process that sends in the pause of the URL before, a wake makes it read again', async (t) => {
  const { schedules } = await openSchedules(t);
  await schedules.wake(ORG, [WEBHOOK]);
  const before = (await schedules.take(WEBHOOK))!;
  const pausedUntil = AT + 2 * WEBHOOK_LIMITS.leaseMs;
  await schedules.finish(before, { ...DONE, failures: 1, pausedUntil });
  await schedules.wake(ORG, [WEBHOOK], { inPause: true });
  const taken = (await schedules.take(WEBHOOK))!;
  await schedules.wake(ORG, [WEBHOOK]);
  t.equal(await schedules.finish(taken, DONE), false);
});

t.test('given a process that finishes meanwhile, the webhook is due', async (t) => {
  const { store, clock, schedules } = await openSchedules(t);
  await schedules.wake(ORG, [WEBHOOK]);
  const taken = (await schedules.take(WEBHOOK))!;
  const late = new Schedules(
    interrupted(store, () => schedules.finish(taken, DONE)),
    clock,
  );
  await late.wake(ORG, [WEBHOOK]);
  t.equal((await schedules.due())[0]?.id, WEBHOOK);
});

t.test('given a process that takes the webhook meanwhile, it is not woken again and again', async (t) => {
  const { store, clock, schedules } = await openSchedules(t);
  await schedules.wake(ORG, [WEBHOOK]);
  const first = (await schedules.take(WEBHOOK))!;
  await schedules.finish(first, DONE);
  const late = new Schedules(
    interrupted(store, () => take()),
    clock,
  );
  let taken = 0;
  async function take() {
    await schedules.wake(ORG, [WEBHOOK]);
    const { rev } = (await schedules.take(WEBHOOK))!;
    taken = rev;
  }
  await late.wake(ORG, [WEBHOOK]);
  const [found] = await store.getMany(WEBHOOK_SCHEDULES_COLLECTION.name, [WEBHOOK]);
  t.equal(found?.rev, taken, 'it was taken after the notice was stored');
});

t.test('a pause of the receiver holds for new notices', async (t) => {
  const { clock, schedules } = await openSchedules(t);
  await schedules.wake(ORG, [WEBHOOK]);
  const taken = (await schedules.take(WEBHOOK))!;
  await schedules.finish(taken, { ...DONE, failures: 1, pausedUntil: AT + 5_000 });
  await schedules.wake(ORG, [WEBHOOK]);
  t.same(await schedules.due(), []);
  clock.advance(5_000);
  t.equal((await schedules.due()).length, 1);
});

t.test('given a clock that was ahead, a lease and a pause of its time hold nothing up', async (t) => {
  const { clock, schedules } = await openSchedules(t);
  const hours = 3 * 3_600_000;
  clock.advance(hours);
  await schedules.wake(ORG, [WEBHOOK]);
  await schedules.take(WEBHOOK);
  clock.advance(-hours);
  matchList(t, await schedules.due(), [{ id: WEBHOOK }], 'the process that had the lease is gone');
  t.ok(await schedules.take(WEBHOOK));

  clock.advance(hours);
  const paused = (await schedules.take(WEBHOOK))!;
  const last = { at: clock.now(), delivered: false, status: 500, problem: 'no' };
  const pausedUntil = clock.now() + 300_000;
  await schedules.finish(paused, { failures: 9, pausedUntil, last, nextAt: pausedUntil });
  clock.advance(-hours);
  await schedules.wake(ORG, [WEBHOOK]);
  matchList(t, await schedules.due(), [{ id: WEBHOOK }], 'for a new notice at once');
});
