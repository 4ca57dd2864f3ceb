/** Metrics of an anchoring that does not get on, whoever is at fault. */
import { TOPICS } from '@sentinel-node/contracts';
import {
  LedgerUnavailableError,
  LogUnavailableError,
  NotDurableError,
  type DocumentStore,
  type EventLog,
  type Ledger,
  type LedgerStatus,
} from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { OWN_COLLECTIONS } from '../src/collections.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { bound } from './anchored.ts';
import { payment } from './payments.ts';
import { fileId, openWorld, serviceOn, type World } from './support.ts';

t.setTimeout(300_000);
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SECONDS = 1_000;

async function running(world: World, ledger?: Ledger) {
  const made = await serviceOn(world, 'test.example/log', ledger);
  await made.service.start();
  const metric = async (name: string): Promise<number> => {
    const lines = (await made.metrics.text()).split('\n');
    return Number(lines.find((line) => line.startsWith(`sentinel_anchoring_${name}{`))?.split(' ')[1]);
  };
  /** Makes turns for an hour. */
  const hour = async (): Promise<void> => {
    const until = world.clock.now() + HOUR_MS;
    for (; world.clock.now() < until; world.clock.advance(60_000)) await made.turn();
  };
  return { ...made, metric, hour };
}

async function world(t: Test): Promise<World> {
  const opened = await openWorld();
  t.teardown(() => opened.close());
  return opened;
}

async function deliver({ deliver, clock }: World, file: number): Promise<void> {
  await deliver({ file: fileId(file), from: 0, count: 2, acceptedAt: clock.now() });
  clock.advance(31_000);
}

/** Returns a port some of whose calls give what `instead` returns, unless that is undefined. */
const changed = <T extends object>(port: T, instead: (name: string | symbol, first: unknown) => unknown): T =>
  new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        instead(name, given[0]) ?? (value as (...given: unknown[]) => unknown).call(target, ...given);
    },
  });

t.test('a transaction that the ledger takes and leaves lying shows by its age', async (t) => {
  const open = await world(t);
  let status: LedgerStatus = 'QUEUED';
  const queued = async (answer: ReturnType<Ledger['status']>) => {
    const known = await answer;
    return known === undefined ? undefined : { txid: known.txid, status };
  };
  const ledger: Ledger = {
    ...bound(open.ledger),
    submit: async (tx) => ({ txid: (await open.ledger.submit(tx)).txid, status }),
    status: (txid) => queued(open.ledger.status(txid)),
  };
  const { metric, hour, turn, service, end } = await running(open, ledger);
  await turn();
  t.equal(await metric('unanchored_seconds'), 0, 'nothing is cut');
  await deliver(open, 1);
  await turn();
  const { cut } = (await open.cuts())[0]!;
  const age = () => (open.clock.now() - cut.closedAt) / SECONDS;
  for (let hours = 0; hours < 2; hours++) {
    await deliver(open, 2 + hours);
    await hour();
    t.equal(await metric('unanchored_seconds'), age(), 'that of the first batch, however many follow');
    t.ok(age() > 3_600 * hours);
  }
  t.same(service.notReady(), [], 'nothing else shows it');
  t.equal(await metric('waiting_leaves'), 0);
  t.equal(await metric('refused'), 0);
  status = 'SEEN_ON_NETWORK';
  await turn();
  open.clock.advance(ANCHORING_LIMITS.standingMs);
  await turn();
  t.equal(await metric('unanchored_seconds'), 0);
  await end();
});

t.test('an anchor that no block takes shows by its age, however many follow', async (t) => {
  const open = await world(t);
  let isMined = false;
  const seen = (txid: string) => ({ txid, status: 'SEEN_ON_NETWORK' as const });
  const ledger: Ledger = {
    ...bound(open.ledger),
    submit: async (tx) => seen((await open.ledger.submit(tx)).txid),
    status: async (txid) => (isMined ? open.ledger.status(txid) : seen(txid)),
  };
  const { metric, hour, turn, end } = await running(open, ledger);
  await turn();
  t.equal(await metric('unmined_seconds'), 0, 'nothing is sent');
  await deliver(open, 1);
  await turn();
  const { cut } = (await open.cuts())[0]!;
  for (let hours = 0; hours < 2; hours++) {
    await deliver(open, 2 + hours);
    await hour();
    t.equal(await metric('unmined_seconds'), (open.clock.now() - cut.closedAt) / SECONDS);
  }
  t.equal((await open.cuts()).length, 3);
  t.ok((await metric('unanchored_seconds')) < 3_600, 'it is on the network');
  isMined = true;
  await open.ledger.mine();
  await hour();
  await turn();
  t.equal(await metric('unmined_seconds'), 0);
  await end();
});

t.test('an anchor that no block takes shows by its age, also of a clock that was ahead', async (t) => {
  const open = await world(t);
  const { metric, hour, turn, end } = await running(open);
  open.clock.advance(DAY_MS);
  await deliver(open, 1);
  await turn();
  open.clock.advance(-DAY_MS);
  await turn();
  await hour();
  t.ok((await metric('unmined_seconds')) >= 3_500);
  await deliver(open, 2);
  await turn();
  await open.ledger.mine();
  await hour();
  await turn();
  t.equal(await metric('unmined_seconds'), 0, 'in a block');
  await end();
});

t.test('the age grows while nobody can look', async (t) => {
  const open = await world(t);
  let isAway = false;
  const { transactions } = OWN_COLLECTIONS;
  const store: DocumentStore = changed(open.store, (name, first) =>
    isAway && name === 'find' && first === transactions.name
      ? Promise.reject(new NotDurableError('away'))
      : undefined,
  );
  const { metric, hour, turn, end } = await running({ ...open, store });
  await turn();
  isAway = true;
  await hour();
  t.ok((await metric('unanchored_seconds')) >= 3_600);
  t.ok((await metric('unmined_seconds')) >= 3_600);
  isAway = false;
  await turn();
  t.equal(await metric('unanchored_seconds'), 0);
  await end();
});

/** Returns a read that the log does not answer. */
const unanswered = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new LogUnavailableError('away')) }),
});

t.test('entries that are not read show by the time since they last were', async (t) => {
  const open = await world(t);
  let isAway = false;
  const eventLog: EventLog = changed(open.eventLog, (name, first) =>
    isAway && name === 'read' && first === TOPICS.chain ? unanswered() : undefined,
  );
  const { metric, hour, turn, end } = await running({ ...open, eventLog });
  await deliver(open, 1);
  await turn();
  t.equal(await metric('unread_seconds'), 0);
  isAway = true;
  await deliver(open, 2);
  await hour();
  t.equal(await metric('waiting_leaves'), 0, 'of what is not read nothing is known');
  t.ok((await metric('unread_seconds')) >= 3_600);
  isAway = false;
  await turn();
  t.equal(await metric('unread_seconds'), 0);
  t.equal((await open.cuts()).length, 2);
  await end();
});

t.test(
  'a cut whose consequences cannot be written shows, and so does one that cannot be recorded',
  async (t) => {
    for (const refused of [
      ['bulkUpsert', OWN_COLLECTIONS.heads.name],
      ['insertUnique', OWN_COLLECTIONS.cuts.name],
    ]) {
      const open = await world(t);
      let isFull = true;
      const store: DocumentStore = changed(open.store, (name, first) =>
        isFull && name === refused[0] && first === refused[1]
          ? Promise.reject(new NotDurableError('full'))
          : undefined,
      );
      const { metric, hour, turn, end } = await running({ ...open, store });
      await deliver(open, 1);
      await hour();
      t.ok((await metric('unread_seconds')) >= 3_600, refused.join(' '));
      isFull = false;
      await turn();
      t.equal(await metric('unread_seconds'), 0);
      await end();
    }
  },
);

t.test('without funds they last for no day', async (t) => {
  const open = await world(t);
  let isPoor = false;
  const funding: Ledger['funding'] = (hash) => (isPoor ? Promise.resolve([]) : open.ledger.funding(hash));
  const { metric, hour, turn, end } = await running(open, { ...bound(open.ledger), funding });
  await turn();
  t.equal(await metric('funds_days'), -1, 'not known yet');
  isPoor = true;
  await deliver(open, 1);
  await hour();
  t.equal(await metric('funds_days'), 0);
  await end();
});

t.test('low funds show again after a restart, and in a process that another signs for', async (t) => {
  const open = await world(t);
  const ledger: Ledger = { ...bound(open.ledger), funding: async () => funds };
  const funds = [await payment(open, 100_000)];
  const first = await running(open, ledger);
  const other = await running(open, ledger);
  for (const file of [1, 2]) {
    await deliver(open, file);
    await first.turn();
  }
  const days = await first.metric('funds_days');
  t.ok(days > 0 && days < ANCHORING_LIMITS.lowFundsDays, `${days}`);
  await other.turn();
  t.equal(await other.metric('funds_days'), days, 'of what the first process signed');
  await first.end();
  await other.end();
  const again = await running(open, ledger);
  await again.turn();
  t.equal(await again.metric('funds_days'), days, 'without a further anchor');
  await again.end();
});

for (const restarted of [false, true])
  t.test(
    `a clock that was ahead for one cut delays nothing later, ${restarted ? 'after a restart' : 'in the same process'}`,
    async (t) => {
      const open = await world(t);
      const { ledger } = open;
      let isAway = false;
      const away = async <T>(answer: () => Promise<T>): Promise<T> => {
        if (isAway) throw new LedgerUnavailableError('away');
        return answer();
      };
      const own: Ledger = {
        ...bound(ledger),
        policy: () => away(() => ledger.policy()),
        submit: (tx) => away(() => ledger.submit(tx)),
      };
      let going = await running(open, own);
      open.clock.advance(DAY_MS);
      await deliver(open, 1);
      await going.turn();
      const [first] = await open.cuts();
      open.clock.advance(-DAY_MS);
      t.ok(first!.cut.closedAt > open.clock.now() + DAY_MS / 2);
      if (restarted) {
        await going.end();
        going = await running(open, own);
      }
      await going.turn();
      for (let file = 2; file < 4; file++) {
        await deliver(open, file);
        await going.turn();
        t.equal((await open.cuts()).length, file, 'what is due is cut');
      }
      t.ok(
        (await open.cuts()).every(({ cut }) => cut.closedAt >= first!.cut.closedAt),
        'no batch is earlier',
      );
      await open.ledger.mine();
      open.clock.advance(20_000);
      await going.turn();
      t.equal((await open.transactions())[0]!.record.transaction?.status, 'MINED', 'the ledger is asked');
      isAway = true;
      await deliver(open, 4);
      await going.turn();
      const waits = Number(await going.metric('unanchored_seconds'));
      await going.hour();
      t.ok(
        Number(await going.metric('unanchored_seconds')) >= waits + 3_500,
        'its age is that since it was seen',
      );
      open.clock.advance(60_000);
      await going.turn();
      const told = await open.store.find(OWN_COLLECTIONS.operations.name, { limit: 10 });
      t.match(
        told.find(({ id }) => id === 'anchoring'),
        { record: { state: 'wrong', why: /for an hour/ } },
      );
      await going.end();
    },
  );

t.test('what is due and waits for the time between two cuts is not called cut', async (t) => {
  const open = await world(t);
  const { metric, turn, end } = await running(open);
  await deliver(open, 1);
  await turn();
  const due = open.clock.now() - 31_000;
  await open.deliver({ file: fileId(2), from: 0, count: 1, acceptedAt: due });
  open.clock.advance(ANCHORING_LIMITS.cutSpacingMs / 2);
  await turn();
  t.equal((await open.cuts()).length, 1);
  t.equal(await metric('unread_seconds'), 0.5);
  open.clock.advance(ANCHORING_LIMITS.cutSpacingMs / 2);
  await turn();
  t.equal((await open.cuts()).length, 2);
  t.equal(await metric('unread_seconds'), 0);
  await end();
});
