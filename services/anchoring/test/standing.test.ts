/** What is wrong with anchoring is published once when it begins, and once when it is over, across restarts. */
import { OperationRecordSchema, TOPICS } from '@sentinel-node/contracts';
import {
  compileChecker,
  LedgerUnavailableError,
  NotDurableError,
  silentLog,
  type EventLog,
  type Ledger,
} from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { createAlarms } from '../src/alarms.ts';
import { batchId, OWN_COLLECTIONS } from '../src/collections.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { CONTRADICTED } from '../src/standing/judge.ts';
import { Standing } from '../src/standing/standing.ts';
import { fileId, openWorld, serviceOn, type World } from './support.ts';

t.setTimeout(300_000);
const { cuts, operations, transactions } = OWN_COLLECTIONS;

const checker = compileChecker(OperationRecordSchema);

async function published({ eventLog }: World): Promise<string[]> {
  const found: string[] = [];
  for await (const { records } of eventLog.read(TOPICS.operations, 0, 0))
    for (const { body } of records) {
      const record: unknown = JSON.parse(Buffer.from(body).toString());
      if (!checker.check(record)) throw new Error('it is no record of operations');
      const { kind, state, why, batch } = record;
      found.push([kind, state, why, batch ?? '-'].join('/'));
    }
  return found;
}

/** A ledger with faults that a test switches on. */
function faulty(ledger: Ledger) {
  const faults = { noFunds: false, away: false };
  const proxy = new Proxy(ledger, {
    get: (target, name: keyof Ledger) => {
      const value = target[name] as unknown;
      if (name === 'funding' && faults.noFunds) return () => Promise.resolve([]);
      if (typeof value !== 'function') return value;
      const isAsked = ['submit', 'status', 'policy', 'height'].includes(name);
      if (isAsked && faults.away) return () => Promise.reject(new LedgerUnavailableError('away'));
      return (value as (...given: unknown[]) => unknown).bind(target);
    },
  });
  return { faults, ledger: proxy };
}

async function scene(t: Test) {
  const world = await openWorld();
  const { faults, ledger } = faulty(world.ledger);
  const ends: (() => Promise<void>)[] = [];
  let batch = 0;
  t.teardown(async () => {
    for (const end of ends) await end();
    await world.close();
  });
  const start = async (over: World = world) => {
    const made = await serviceOn(over, 'test.example/log', ledger);
    await made.service.start();
    let isOver = false;
    const end = async (): Promise<void> => {
      if (!isOver) await made.end();
      isOver = true;
    };
    ends.push(end);
    return { ...made, end };
  };
  const turns = async ({ turn }: { readonly turn: () => Promise<void> }, count = 3): Promise<void> => {
    for (let n = 0; n < count; n++) {
      await turn();
      world.clock.advance(ANCHORING_LIMITS.retryBackoff.longestMs + 1_000);
    }
  };
  const deliver = async (): Promise<void> => {
    await world.deliver({ file: fileId(batch++), from: 0, count: 2, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
  };
  return { world, faults, start, turns, deliver };
}

t.test('a ledger that is away is one stop after an hour, and one record when it goes on', async (t) => {
  const { world, faults, start, turns, deliver } = await scene(t);
  const running = await start();
  await deliver();
  await turns(running);
  t.same(await published(world), [], 'all is well, which nobody needs to hear');
  faults.away = true;
  await deliver();
  await turns(running, 10);
  t.same(await published(world), [], 'a short outage is none');
  world.clock.advance(ANCHORING_LIMITS.stoppedMs);
  await turns(running, 10);
  const stopped = 'anchoring/wrong/no anchor has reached the ledger for an hour/1';
  t.same(await published(world), [stopped]);
  await running.end();
  const again = await start();
  await turns(again, 5);
  t.same(await published(world), [stopped], 'a restart tells nothing again');
  faults.away = false;
  await turns(again, 5);
  t.same(await published(world), [stopped, 'anchoring/right//-']);
  await deliver();
  await turns(again, 5);
  t.equal((await published(world)).length, 2);
});

t.test('without funds anchoring stops and funds are low; both are over when somebody pays', async (t) => {
  const { world, faults, start, turns, deliver } = await scene(t);
  faults.noFunds = true;
  const running = await start();
  await deliver();
  await turns(running, 10);
  const wrong = [
    'anchoring/wrong/there are no funds for the next anchor/0',
    'funds/wrong/the funds last for less than 14 days/-',
  ];
  t.same(await published(world), wrong);
  faults.noFunds = false;
  await turns(running, 5);
  t.same(
    await published(world),
    [...wrong, 'anchoring/right//-'],
    'how long the funds last is not known yet',
  );
  for (let n = 0; n < 3; n++) {
    await deliver();
    await turns(running, 3);
  }
  t.same((await published(world)).slice(3), ['funds/right//-']);
});

t.test(
  'a batch that contradicts its transaction is told once, and again only after anchoring went on',
  async (t) => {
    const { world, start, turns, deliver } = await scene(t);
    const running = await start();
    for (let n = 0; n < 3; n++) {
      await deliver();
      await turns(running);
    }
    await running.end();
    const [, second] = await world.transactions();
    await world.store.remove(transactions.name, [batchId(1)]);
    const told = [`evidence/wrong/${CONTRADICTED}/1`, `anchoring/wrong/${CONTRADICTED}/1`];
    for (let starts = 0; starts < 2; starts++) {
      const refusing = await start();
      t.same(refusing.service.notReady(), ['anchoring']);
      await turns(refusing);
      await refusing.end();
      t.same(await published(world), told);
    }
    await world.store.bulkUpsert(transactions.name, [{ ...second!, rev: second!.rev + 1 }]);
    const repaired = await start();
    await turns(repaired);
    t.same(await published(world), told, 'a start that finds nothing is no word that anchoring goes on');
    await deliver();
    await turns(repaired);
    t.same(await published(world), [...told, 'anchoring/right//-']);
    await repaired.end();
    await world.store.remove(cuts.name, [batchId(1)]);
    await turns(await start());
    t.same((await published(world)).slice(3), told);
  },
);

t.test(
  'a contradiction that the start found is published even if the service is stopped at once',
  async (t) => {
    const { world, start, turns, deliver } = await scene(t);
    const running = await start();
    await deliver();
    await turns(running);
    await deliver();
    await turns(running);
    await running.end();
    await world.store.remove(cuts.name, [batchId(1)]);
    await (await start()).end();
    t.same(await published(world), [`evidence/wrong/${CONTRADICTED}/1`, `anchoring/wrong/${CONTRADICTED}/1`]);
  },
);

t.test('a log that takes nothing delays the record; the next change does not replace it', async (t) => {
  const { world, faults, start, turns, deliver } = await scene(t);
  let isFull = true;
  const eventLog: EventLog = new Proxy(world.eventLog, {
    get: (target, name: keyof EventLog) => {
      const value = target[name] as (...given: unknown[]) => unknown;
      if (name !== 'append') return value.bind(target);
      return (topic: string, ...given: unknown[]) =>
        topic === TOPICS.operations && isFull
          ? Promise.reject(new NotDurableError('full'))
          : value.call(target, topic, ...given);
    },
  });
  faults.noFunds = true;
  const running = await start({ ...world, eventLog });
  await deliver();
  await turns(running, 5);
  faults.noFunds = false;
  await turns(running, 5);
  t.same(await published(world), []);
  t.match(await world.store.get(operations.name, 'anchoring'), {
    unpublished: 1,
    record: { state: 'wrong' },
  });
  isFull = false;
  await turns(running, 5);
  t.same(
    (await published(world)).filter((one) => one.startsWith('anchoring')),
    ['anchoring/wrong/there are no funds for the next anchor/0', 'anchoring/right//-'],
  );
});

t.test('a contradiction that cannot be recorded yet is recorded by a later step', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  await world.store.ensure(Object.values(OWN_COLLECTIONS));
  const standing = new Standing({ ...world, log: silentLog() });
  const alarms = standing.observe(createAlarms(silentLog(), undefined));
  const waiting = { v: 1, kind: 'evidence', state: 'right', why: null, batch: null, rev: 1, at: 1 } as const;
  const { store } = world;
  const get = store.get.bind(store) as typeof store.get;
  let isBusy = true;
  store.get = (async (name: string, id: string) =>
    isBusy && name === operations.name
      ? { id, rev: 1, at: 1, unpublished: 1, record: { ...waiting, kind: id } }
      : get(name, id)) as typeof store.get;
  alarms.contradicted({ batch: 0, what: 'by the test' });
  await standing.step();
  isBusy = false;
  world.clock.advance(ANCHORING_LIMITS.standingMs + 1);
  await standing.step();
  t.same(await published(world), [`evidence/wrong/${CONTRADICTED}/0`, `anchoring/wrong/${CONTRADICTED}/0`]);
});
