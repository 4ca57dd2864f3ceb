import t from 'tap';
import { silentLog, systemTimers } from '@sentinel-node/platform';
import { SeededRandom } from '@sentinel-node/test-kit/fakes';
import { KEY_ENDED, type ChainRecord } from '@sentinel-node/contracts';
import { chainFeed } from '../src/views/feed-items.ts';
import { projectorService } from '../src/views/projector.ts';
import {
  applyOps,
  chainOps,
  type DeviceContactView,
  healthOps,
  mergeOps,
  rebuildViews,
  VIEWS,
  viewSourceEnds,
} from '../src/views/index.ts';
import {
  anchor,
  appendAnchor,
  appendChain,
  appendHeartbeat,
  deviceNotice,
  FileHistory,
  heartbeat,
  uuid,
} from './chain-records.ts';
import { everything, scratch } from './view-scratch.ts';
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

t.test('chain operations are pure and name what they write', async (t) => {
  const [history] = histories(1);
  const breach = history!.records[2]!;
  const position = { partition: 3, offset: 7 };
  const ops = chainOps(breach, position);
  t.same(ops, chainOps(breach, position));
  t.same(
    ops.map(({ collection }) => collection),
    [
      VIEWS.links,
      VIEWS.alertRequests,
      VIEWS.alerts,
      VIEWS.events,
      VIEWS.fileStates,
      VIEWS.deviceActivity,
      VIEWS.deviceFirstContacts,
    ],
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

t.test('a report whose record has a later time is a sign of the device, at its own time', async (t) => {
  const [history] = histories(1);
  const report = history!.records[1]!;
  const late = { ...report, file: { ...report.file!, contactAt: report.timestamp - 5 } };
  const devices = (record: ChainRecord) => chainFeed(record).filter(({ kind }) => kind === 'device').length;
  t.equal(devices(report), 1);
  t.equal(devices(late), 1);
  t.equal(devices(history!.records[4]!), 0, 'a claim is none');
  const activity = chainOps(late, { partition: 0, offset: 0 }).find(
    ({ collection }) => collection === VIEWS.deviceActivity,
  );
  t.equal(activity?.documents[0]?.rev, report.timestamp - 5);
});

t.test('a call with an ended key is no sign of the device', (t) => {
  const position = { partition: 0, offset: 0 };
  const document = { id: DEVICE, orgId: ORG };
  const told = deviceNotice({ orgId: ORG, deviceId: DEVICE }, TIME, KEY_ENDED);
  t.strictSame(
    chainOps(told, position).filter(({ collection }) => collection !== VIEWS.events),
    [{ collection: VIEWS.deviceRefusals, mode: 'upsert', documents: [{ ...document, rev: TIME }] }],
  );
  const other = deviceNotice({ orgId: ORG, deviceId: DEVICE }, TIME, 'TWO_AGENTS');
  const seen = chainOps(other, position).find(({ collection }) => collection === VIEWS.deviceActivity);
  t.strictSame(seen?.documents, [{ ...document, rev: TIME }], 'what an agent with a good key says is one');
  t.end();
});

t.test('a check is as old as the agent says, and one in the future no better', (t) => {
  const checkedAt = (ms: number): number | undefined => {
    const record = heartbeat({ orgId: ORG, deviceId: DEVICE }, TIME, [{ id: uuid(10), checkedAt: ms }]);
    const [contact] = healthOps(record).find(
      ({ collection }) => collection === VIEWS.deviceContacts,
    )!.documents;
    return (contact as DeviceContactView).checkedAt[uuid(10)];
  };
  t.equal(checkedAt(TIME), TIME);
  t.equal(checkedAt(TIME - 5_000), TIME - 5_000);
  t.equal(checkedAt(TIME + 5_000), TIME - 5_000, 'a clock that went back since the check');
  t.equal(checkedAt(TIME + 365 * 24 * 3_600_000), TIME - 365 * 24 * 3_600_000);
  t.end();
});

t.test('of what was heard of a device the earliest stays, in any order', async (t) => {
  const [history] = histories(1);
  const ops = history!.records.flatMap((record, offset) => chainOps(record, { partition: 0, offset }));
  const first = (given: typeof ops) =>
    mergeOps(given).find(({ collection }) => collection === VIEWS.deviceFirstContacts)!.documents[0]!.rev;
  const earliest = Math.min(...history!.records.map(({ timestamp }) => timestamp));
  t.equal(first(ops), -earliest);
  t.equal(first([...ops].reverse()), -earliest);
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

/** Returns deliveries in order within a file, in any order across files, and sometimes repeated from an earlier one. */
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
