/**
 * Tests that the log has the commits of a stream in order, whoever publishes them, when the log refuses some of them,
 * and when processes end between any two steps.
 */
import { type OrganizationEntity } from '@sentinel-node/contracts';
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import { SeededRandom } from '@sentinel-node/test-kit/fakes';
import {
  ConflictError,
  earlierCommitIds,
  execute,
  type NewCommit,
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  Outbox,
  STREAMS_COLLECTION,
  type StreamCommit,
} from '../src/index.ts';

/** What happens to an append: `UNANSWERED` is taken, and the caller is told that it was not. */
const FATES = ['TAKEN', 'REFUSED', 'UNANSWERED', 'KILLED_BEFORE', 'KILLED_AFTER'] as const;
type Fate = (typeof FATES)[number];
/** The process ends here. */
class Killed extends Error {}

const ORG = '01900000-0000-7000-8000-000000000001';
const entity: OrganizationEntity = {
  kind: 'ORGANIZATION',
  id: ORG,
  name: 'Acme',
  stripeId: null,
  creationDate: 0,
  users: [],
  removedUsers: [],
};

/** A process does these one after the other. */
const stepsOf = fc.array(fc.constantFrom('COMMAND', 'SWEEP'), { minLength: 1, maxLength: 3 });
const schedule = {
  processes: fc.array(stepsOf, { minLength: 2, maxLength: 4 }),
  fates: fc.array(fc.constantFrom(...FATES), { maxLength: 8 }),
  /** The clocks of the processes are apart, so that a later commit can have an earlier time. */
  times: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 4 }),
};

t.test('the commits of a stream reach the log in order', async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([STREAMS_COLLECTION]);
  const random = new SeededRandom(7);
  const timers = { delay: async () => undefined };
  let runs = 0;
  let overtaking = 0;
  await fc.assert(
    fc.asyncProperty(fc.record(schedule), fc.scheduler(), async ({ processes, fates, times }, scheduler) => {
      const stream = `org:${++runs}`;
      const log: number[] = [];
      const left = [...fates];
      const append = scheduler.scheduleFunction(async (version: number, fate: Fate): Promise<void> => {
        if (fate === 'KILLED_BEFORE') throw new Killed();
        if (fate === 'REFUSED') throw new NotDurableError('refused');
        log.push(version);
        if (fate === 'KILLED_AFTER') throw new Killed();
        if (fate === 'UNANSWERED') throw new NotDurableError('no answer');
      });
      const outbox = new Outbox<StreamCommit>({
        store,
        collection: STREAMS_COLLECTION.name,
        faultOf: () => undefined,
        publish: (entry) => append(entry.version, left.shift() ?? 'TAKEN'),
        earlierIds: earlierCommitIds,
      });
      const command = async (at: number): Promise<void> => {
        const change: NewCommit = { orgId: ORG, entity, events: [], policies: [], at, by: null };
        const { commit } = await execute({ store, stream, decide: () => change, random, timers });
        if (commit !== undefined) await outbox.publish(commit);
      };
      const process = async (steps: readonly string[], at: number): Promise<void> => {
        try {
          for (const step of steps) await (step === 'SWEEP' ? outbox.sweep() : command(at));
        } catch (error) {
          if (!(error instanceof Killed || error instanceof ConflictError)) throw error;
        }
      };
      const all = processes.map((steps, index) => process(steps, times[index % times.length]!));
      await scheduler.waitFor(Promise.all(all));
      if (log.some((version, index) => version !== index + 1)) overtaking++;
      left.length = 0;
      await scheduler.waitFor(outbox.sweep());

      const first = [...new Set(log)];
      const made = await store.count(STREAMS_COLLECTION.name, { stream });
      const wanted = Array.from({ length: made }, (_, index) => index + 1);
      if (JSON.stringify(first) !== JSON.stringify(wanted)) throw new Error(`the log has ${log.join(' ')}`);
      if ((await store.count(STREAMS_COLLECTION.name, { unpublished: 1 })) > 0)
        throw new Error('left behind');
    }),
    { numRuns: 100 },
  );
  t.ok(overtaking > 10, `runs that were no plain sequence: ${overtaking}`);
});
