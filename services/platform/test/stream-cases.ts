import { LIMITS, type OrganizationEntity, RegistryRecordSchema } from '@sentinel-node/contracts';
import type { Test } from 'tap';
import {
  commit,
  ConflictError,
  type DocumentStore,
  earlierCommitIds,
  execute,
  leftovers,
  loadStream,
  type NewCommit,
  Outbox,
  OverloadedError,
  registryRecordOf,
  startSweeper,
  STREAMS_COLLECTION,
  type StreamCommit,
  SWEEP_MIN_AGE_MS,
  compileChecker,
} from '../src/index.ts';
import { ManualClock, SeededRandom } from '@sentinel-node/test-kit/fakes';

type Organization = OrganizationEntity;
const ORG = '01900000-0000-7000-8000-000000000001';
const STREAM = `org:${ORG}`;
/** A record before compression, and the policies of all files of a device, which the stored commit has beside it. */
const MOST_LARGE_COMMIT_BYTES = LIMITS.registryRecordBytes + LIMITS.filesPerDevice * 400;
const at = Date.UTC(2026, 10, 21);

const change = (name: string, time = at): NewCommit<Organization> => ({
  orgId: ORG,
  entity: {
    kind: 'ORGANIZATION',
    id: ORG,
    name,
    stripeId: null,
    creationDate: at,
    users: [],
    removedUsers: [],
  },
  events: [],
  policies: [],
  at: time,
  by: null,
});

const random = new SeededRandom(7);
const timers = { delay: async () => undefined };

/** Opens a store with the collections of streams and claims; closed in the teardown. */
export type OpenStore = (t: Test) => Promise<DocumentStore>;

/** Checks that a sweep reads only unpublished documents, as far as the store's planner shows it. */
export async function sweepsByIndex(t: Test, opened: OpenStore): Promise<void> {
  const store = await opened(t);
  await commit(store, STREAM, 0, change('a'));
  t.equal((await store.explain(STREAMS_COLLECTION.name, leftovers(at))).fullScan, false);
}

export const streamCases: Readonly<Record<string, (t: Test, opened: OpenStore) => Promise<void>>> = {
  'a stream is its newest commit': async (t, opened) => {
    const store = await opened(t);
    t.equal(await loadStream(store, STREAM), undefined);
    for (let version = 0; version < 12; version++)
      await commit(store, STREAM, version, change(`v${version + 1}`));
    await commit(store, `${STREAM}0`, 0, change('another stream'));
    t.match(await loadStream<Organization>(store, STREAM), { version: 12, entity: { name: 'v12' } });
    const record = registryRecordOf((await loadStream(store, STREAM))!);
    t.strictSame(
      compileChecker(RegistryRecordSchema).errors(record),
      [],
      'and gives a record of the contract',
    );
  },

  'a commit as large as a device of 10,000 files is stored and read whole': async (t, opened) => {
    const store = await opened(t);
    const { entity, ...rest } = change('large');
    const text = 'x'.repeat(MOST_LARGE_COMMIT_BYTES - JSON.stringify(rest).length);
    await commit(store, STREAM, 0, { ...rest, entity: { ...entity, name: text } });
    const stored = await loadStream<Organization>(store, STREAM);
    t.ok(stored?.entity.name === text, 'compared without a diff of megabytes');
  },

  'of two that append after one version exactly one wins': async (t, opened) => {
    const store = await opened(t);
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) => commit(store, STREAM, 0, change(name))),
    );
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) if (result.status === 'rejected') t.type(result.reason, ConflictError);
  },

  'commands that meet decide again from the new state': async (t, opened) => {
    const store = await opened(t);
    const add = (letter: string) =>
      execute<Organization>({
        store,
        stream: STREAM,
        decide: (state) => change((state?.entity.name ?? '') + letter),
        random,
        timers,
        retries: 30,
      });
    const letters = [...'abcdefghijkl'];
    await Promise.all(letters.map(add));
    const state = await loadStream<Organization>(store, STREAM);
    t.equal(state?.version, letters.length);
    t.strictSame([...(state?.entity.name ?? '')].sort(), letters, 'no decision is lost');
  },

  'a command may change nothing, or fail': async (t, opened) => {
    const store = await opened(t);
    const run = (decide: () => undefined) =>
      execute<Organization>({ store, stream: STREAM, decide, random, timers });
    t.strictSame(await run(() => undefined), { state: undefined, commit: undefined });
    await t.rejects(
      run(() => {
        throw new Error('refused');
      }),
      { message: 'refused' },
    );
  },

  'retries are bounded': async (t, opened) => {
    const store = await opened(t);
    let decided = 0;
    const decide = async (state: { version: number } | undefined) => {
      decided++;
      await commit(store, STREAM, state?.version ?? 0, change('somebody else'));
      return change('mine');
    };
    const waits: number[] = [];
    const slow = { delay: async (ms: number) => void waits.push(ms) };
    await t.rejects(
      execute<Organization>({ store, stream: STREAM, decide, random, timers: slow, retries: 3 }),
      ConflictError,
    );
    t.equal(decided, 4);
    t.equal(waits.length, 3, 'a wait before each retry');
    t.ok(
      waits.every((ms, i) => ms >= 0 && ms <= 4 * 2 ** i),
      'jitter below a doubling bound',
    );
  },

  'what is published leaves the index and is not published again': async (t, opened) => {
    const store = await opened(t);
    const sent: string[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: () => undefined,
      publish: async ({ id }) => void sent.push(id),
    });
    const made = await commit(store, STREAM, 0, change('a'));
    t.equal(await outbox.publish(made), true);
    t.equal(await outbox.sweep(), 0);
    t.equal(sent.length, 1);
    const stored = await loadStream(store, STREAM);
    t.notOk(stored && 'unpublished' in stored);
    t.equal(stored?.rev, 2);
    t.equal(await outbox.publish(made), true, 'a second publisher of the same entry does no harm');
    t.equal((await loadStream(store, STREAM))?.rev, 2);
  },

  'what is not in the form of an entry is never published, and nothing past it': async (t, opened) => {
    const store = await opened(t);
    const sent: string[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: ({ version }) => (version === 1 ? 'it is the first' : undefined),
      publish: async ({ id }) => void sent.push(id),
      earlierIds: earlierCommitIds,
    });
    await commit(store, STREAM, 0, change('a'));
    const second = await commit(store, STREAM, 1, change('b'));
    const told = {
      name: 'UnpublishableError',
      message:
        /the document \S+:000000000001 of the collection streams waits .*: it is the first; run sentinel audit/,
    };
    await t.rejects(outbox.sweep(), told);
    await t.rejects(outbox.publish(second), told);
    t.strictSame(sent, []);
    t.equal(await store.count(STREAMS_COLLECTION.name, { unpublished: 1 }), 2);
  },

  'leftovers are swept oldest first, all of them': async (t, opened) => {
    const store = await opened(t);
    const sent: number[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: () => undefined,
      publish: async (entry) => void sent.push(entry.at),
    });
    const times = Array.from({ length: 230 }, (_, i) => at + ((i * 97) % 230));
    await Promise.all(times.map((time, i) => commit(store, `s${i}`, 0, change('x', time))));
    t.equal(await outbox.sweep(at + 5), 5, 'younger ones are left to their writer');
    t.equal(await outbox.sweep(), 225);
    t.strictSame(
      sent,
      [...times].sort((a, b) => a - b),
    );
    t.equal(await store.count(STREAMS_COLLECTION.name, { unpublished: 1 }), 0);
  },

  'an entry that cannot be taken now stays; a surprise is not swallowed': async (t, opened) => {
    const store = await opened(t);
    let failure: Error | undefined = new OverloadedError('full');
    const delayed: string[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: () => undefined,
      publish: async () => {
        if (failure) throw failure;
      },
      onDelayed: (_, error) => void delayed.push(error.code),
    });
    const made = await commit(store, STREAM, 0, change('a'));
    t.equal(await outbox.publish(made), false);
    t.equal(await outbox.sweep(), 0);
    t.strictSame(delayed, ['OVERLOADED', 'OVERLOADED']);
    failure = new Error('a fault of the program');
    await t.rejects(outbox.sweep(), { message: 'a fault of the program' });
    failure = undefined;
    t.equal(await outbox.sweep(), 1);
  },

  'a commit follows those of its stream that are not published yet': async (t, opened) => {
    const store = await opened(t);
    const refused = new Set<string>();
    const sent: string[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: () => undefined,
      publish: async ({ stream, version }) => {
        const name = `${stream}${version}`;
        if (refused.has(name)) throw new OverloadedError('full');
        sent.push(name);
      },
      earlierIds: earlierCommitIds,
    });
    const made = (stream: string, version: number, time = at) =>
      commit(store, stream, version - 1, change('x', time));
    await outbox.publish(await made('a', 1));
    await made('a', 2, at + 9);
    refused.add('a2');
    const third = await made('a', 3);
    t.equal(await outbox.publish(third), false, 'what comes before cannot be taken now');
    t.equal(await outbox.publish(await made('b', 1)), true, 'another stream does not wait');
    t.equal(await outbox.sweep(at + 9), 0, 'nor is it overtaken by a sweep of older entries');
    t.strictSame(sent, ['a1', 'b1']);
    refused.clear();
    const fourth = await made('a', 4);
    t.equal(await outbox.publish(fourth), true, 'who comes next publishes what others left behind');
    t.strictSame(sent.slice(2), ['a2', 'a3', 'a4']);
    t.equal(await store.count(STREAMS_COLLECTION.name, { unpublished: 1 }), 0);
    t.equal(await outbox.sweep(), 0);
  },

  'the sweeper takes everything at the start, later only what is old enough': async (t, opened) => {
    const store = await opened(t);
    const clock = new ManualClock(at);
    const sent: string[] = [];
    const outbox = new Outbox<StreamCommit>({
      store,
      collection: STREAMS_COLLECTION.name,
      faultOf: () => undefined,
      publish: async ({ stream }) => void sent.push(stream),
    });
    let tick = async (): Promise<void> => undefined;
    const manual = {
      every: (_: number, task: () => Promise<void>) => {
        tick = task;
        return { stop: async () => undefined, failed: new Promise<never>(() => undefined) };
      },
    };
    await commit(store, 'first', 0, change('a', at));
    await startSweeper(outbox, clock, manual);
    t.strictSame(sent, ['first']);
    await commit(store, 'second', 0, change('b', at));
    await tick();
    t.strictSame(sent, ['first']);
    clock.advance(SWEEP_MIN_AGE_MS + 1);
    await tick();
    t.strictSame(sent, ['first', 'second']);
  },
};
