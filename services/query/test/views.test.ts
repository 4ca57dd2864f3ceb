import t, { type Test } from 'tap';
import {
  EMBEDDED_TOPICS,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  systemTimers,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { SeededRandom } from '@sentinel-node/platform/testing';
import { TOPICS, type ChainRecord } from '@sentinel-node/contracts';
import { projectorService } from '../src/projector.ts';
import {
  applyOps,
  chainOps,
  mergeOps,
  rebuildViews,
  VIEW_COLLECTIONS,
  VIEWS,
  viewSourceEnds,
} from '../src/views/index.ts';
import {
  anchor,
  appendAnchor,
  appendChain,
  appendHeartbeat,
  FileHistory,
  heartbeat,
  uuid,
} from './chain-records.ts';
import { eventually } from './world.ts';

const TIME = 1_790_000_000_000;
const ORG = uuid(1);
const DEVICE = uuid(2);

function histories(files: number): FileHistory[] {
  return Array.from({ length: files }, (_, at) => {
    const history = new FileHistory({ orgId: ORG, deviceId: DEVICE, fileId: uuid(10 + at) }, TIME + at);
    history.baseline();
    history.link();
    const [alert] = history.breach('UNEXPECTED_CHANGE').alerts;
    history.again(alert!.id);
    history.handled(alert!.id, { id: uuid(3), email: 'a@example.org', note: 'seen', reset: at % 2 === 0 });
    history.link();
    return history;
  });
}

async function everything(store: DocumentStore): Promise<Record<string, Document[]>> {
  const found: Record<string, Document[]> = {};
  for (const { name } of VIEW_COLLECTIONS) {
    found[name] = [];
    for await (const page of store.scan(name)) found[name].push(...page);
  }
  return found;
}

async function scratch(
  test: Test,
): Promise<{ log: EventLog; open: (file: string) => Promise<DocumentStore> }> {
  const folder = openDataFolder(test.testdir());
  const log = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const stores: DocumentStore[] = [];
  test.teardown(async () => {
    await Promise.all([log.close(), ...stores.map((store) => store.close())]);
    folder.release();
  });
  const open = async (file: string): Promise<DocumentStore> => {
    const store = await openEmbeddedDocumentStore({ folder, file });
    stores.push(store);
    await store.ensure(VIEW_COLLECTIONS);
    return store;
  };
  return { log, open };
}

t.test('chain operations are pure and name what they write', async (t) => {
  const [history] = histories(1);
  const breach = history!.records[2]!;
  const position = { partition: 3, offset: 7 };
  const ops = chainOps(breach, position);
  t.same(ops, chainOps(breach, position));
  t.same(
    ops.map(({ collection }) => collection),
    [VIEWS.links, VIEWS.alertRequests, VIEWS.alerts, VIEWS.events, VIEWS.fileStates, VIEWS.deviceActivity],
  );
  const [link] = ops[0]!.documents;
  t.match(link, { number: 3, kind: 'BREAK', partition: 3, offset: 7, alertId: breach.alerts[0]!.id });
  t.notOk('eventRequest' in ops[2]!.documents[0]!, 'the report is kept once');
});

t.test('a claim is no sign of the device', async (t) => {
  const [history] = histories(1);
  const claim = history!.records[4]!;
  const [activity] = chainOps(
    { ...claim, file: { ...claim.file!, contactAt: 5 } },
    { partition: 0, offset: 0 },
  )
    .filter(({ collection }) => collection === VIEWS.deviceActivity)
    .flatMap(({ documents }) => documents);
  t.equal(activity!.rev, 5);
});

t.test('a batch is merged to one write a document, the highest rev', async (t) => {
  const [history] = histories(1);
  const ops = history!.records.flatMap((record, offset) => chainOps(record, { partition: 0, offset }));
  const states = mergeOps([...ops].reverse()).find(({ collection }) => collection === VIEWS.fileStates);
  t.equal(states!.documents.length, 1);
  t.equal(states!.documents[0]!.rev, history!.records.length);
});

t.test('any duplication, and any order across files, gives the same views', async (t) => {
  const { open } = await scratch(t);
  const deliveries = histories(4).flatMap(({ records }) =>
    records.map((record, offset) => ({ record, offset })),
  );
  const reference = await open('reference.db');
  await applyOps(
    reference,
    deliveries.flatMap(({ record, offset }) => chainOps(record, { partition: 0, offset })),
  );
  const expected = await everything(reference);
  for (const seed of [1, 2, 3, 4, 5]) {
    const store = await open(`seed-${seed}.db`);
    for (const batch of shuffledBatches(deliveries, new SeededRandom(seed)))
      await applyOps(
        store,
        batch.flatMap(({ record, offset }) => chainOps(record, { partition: 0, offset })),
      );
    t.same(await everything(store), expected, `seed ${seed}`);
  }
});

interface Delivery {
  readonly record: ChainRecord;
  readonly offset: number;
}

/** In order per file, any order across files, and from time to time something again from earlier. */
function shuffledBatches(deliveries: readonly Delivery[], random: SeededRandom): Delivery[][] {
  const queues = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const key = delivery.record.fileId!;
    queues.set(key, [...(queues.get(key) ?? []), delivery]);
  }
  const done: Delivery[] = [];
  const batches: Delivery[][] = [];
  while (queues.size > 0) {
    const batch: Delivery[] = [];
    for (let size = 1 + random.below(4); size > 0 && queues.size > 0; size--) {
      const key = [...queues.keys()][random.below(queues.size)]!;
      const queue = queues.get(key)!;
      batch.push(queue.shift()!);
      if (queue.length === 0) queues.delete(key);
      if (done.length > 0 && random.below(3) === 0) batch.push(done[random.below(done.length)]!);
    }
    done.push(...batch);
    batches.push(batch);
  }
  return batches;
}

t.test('views rebuilt from the log are the same documents', async (t) => {
  const { log, open } = await scratch(t);
  const live = await open('live.db');
  const projector = projectorService({ store: live, eventLog: log, timers: systemTimers, log: silentLog() });
  await projector.start();
  t.teardown(() => projector.stop());
  const files = histories(3);
  const positions = await appendChain(
    log,
    files.flatMap(({ records }) => records),
  );
  const { orgId, deviceId, fileId } = files[0]!.key;
  await appendHeartbeat(
    log,
    heartbeat({ orgId, deviceId }, TIME + 500, [{ id: fileId, checkedAt: TIME + 400 }]),
  );
  const range = { partition: positions[0]!.partition, from: 0, to: positions[0]!.offset + 1 };
  await appendAnchor(log, anchor(0, 1, [range]));
  await appendAnchor(log, anchor(0, 2, [range], 'MINED'));
  await eventually(async () => {
    const [batch, contact] = [
      await live.get(VIEWS.anchorBatches, '0'),
      await live.get(VIEWS.deviceContacts, deviceId),
    ];
    const last = await live.get(VIEWS.fileStates, files[2]!.key.fileId);
    return batch?.status === 'MINED' && contact !== undefined && last?.rev === 6 ? true : undefined;
  });
  await projector.stop();
  const rebuilt = await open('rebuilt.db');
  await rebuildViews(log, rebuilt, await viewSourceEnds(log));
  const [a, b] = [await everything(live), await everything(rebuilt)];
  t.equal(a[VIEWS.links]!.length, 3 * 5 + 2);
  t.same(b, a);
});

/** A projector on a log of its own, whose fatal lines are kept. */
async function projecting(t: Test) {
  const { log, open } = await scratch(t);
  const lines: object[] = [];
  const fatal = (line: object) => void lines.push(line);
  const store = await open('live.db');
  const projector = projectorService({
    store,
    eventLog: log,
    timers: systemTimers,
    log: Object.assign(silentLog(), { fatal }),
  });
  await projector.start();
  return { log, store, open, projector, lines };
}

for (const topic of [TOPICS.chain, TOPICS.registry]) {
  t.test(`the projection stops with an alarm at a record of ${topic} that it cannot read`, async (t) => {
    const { log, projector, lines } = await projecting(t);
    t.same(projector.notReady(), []);
    await log.append(topic, [{ key: 'x', id: 'x', body: Buffer.from('{"v":2}') }]);
    await t.rejects(projector.failed, { name: 'UnreadableRecordError' });
    t.same(projector.notReady(), ['projector']);
    t.match(lines, [{ alarm: true }]);
    t.equal((await log.committed(topic, 'query-projector')).size, 0, 'nothing was passed over');
    await projector.stop();
  });
}

t.test(
  'that a file is parked, and its verdicts afterwards, leave the views as a rebuild gives them',
  async (t) => {
    const { log, store, open, projector } = await projecting(t);
    const key = { orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) };
    const history = new FileHistory(key, 1_700_000_000_000);
    const [first, second] = [history.baseline(), history.link()];
    const parked = {
      parking: 7,
      offset: 7,
      index: 0,
      outcome: 'PARKED',
      cause: 'x',
      letters: 1,
      replayed: 0,
    };
    const parking = { v: 1, kind: 'parking', rev: 2, timestamp: first.timestamp, parking: parked };
    const replayed = { ...parked, offset: 8, outcome: 'REPLAYED', replayed: 1 };
    const records = [first, parking, { ...second, rev: 3, parking: replayed }];
    await log.append(
      TOPICS.chain,
      records.map((record) => ({
        key: key.fileId,
        id: `${key.fileId}:${record.rev}`,
        body: Buffer.from(JSON.stringify(record)),
      })),
    );
    await eventually(async () => {
      const [next] = (await log.committed(TOPICS.chain, 'query-projector')).values();
      return next === records.length ? true : undefined;
    });
    await projector.stop();
    const rebuilt = await open('rebuilt.db');
    await rebuildViews(log, rebuilt, await viewSourceEnds(log));
    const live = await everything(store);
    t.match(live[VIEWS.fileStates], [{ id: key.fileId, rev: 3, number: second.file!.number }]);
    t.equal(live[VIEWS.links]!.length, 2);
    t.same(await everything(rebuilt), live);
  },
);

t.test('what only looks like a parking stops the projection', async (t) => {
  const { log, projector } = await projecting(t);
  const body = Buffer.from('{"v":1,"kind":"parking","rev":1,"timestamp":0,"entries":[]}');
  await log.append(TOPICS.chain, [{ key: 'x', id: 'x', body }]);
  await t.rejects(projector.failed, { name: 'UnreadableRecordError' });
  await projector.stop();
});
