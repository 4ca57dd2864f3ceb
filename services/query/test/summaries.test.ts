/** Compares the counts in memory with a survey of the store at every moment. */
import {
  deviceStream,
  type DeviceEntity,
  type FeedItem,
  type FileEntity,
  type RegistryRecord,
} from '@sentinel-node/contracts';
import { createMetrics, silentLog, type DocumentStore, type Query } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { Summaries } from '../src/dashboard/summaries.ts';
import { deviceCountsOf, summaryOf, type Survey } from '../src/dashboard/summary.ts';
import { newestAlerts } from '../src/dashboard/newest-alerts.ts';
import { surveyOf } from '../src/dashboard/survey.ts';
import { readExpirations } from '../src/devices/index.ts';
import {
  applyOps,
  chainFeed,
  chainOps,
  healthFeed,
  healthOps,
  registryFeed,
  registryOps,
  VIEWS,
  type MaintenanceView,
  type ViewOp,
} from '../src/views/index.ts';
import { FileHistory, heartbeat, uuid } from './chain-records.ts';
import { scratch } from './view-scratch.ts';

const START = Date.UTC(2026, 10, 21, 10);
const [DEVICES, FILES] = [3, 4];
const DAY_MS = 86_400_000;

type Step =
  | {
      kind: 'save';
      device: number;
      healthInterval: number;
      enabled: boolean;
      deleted: boolean;
      files: FileStep[];
    }
  | {
      kind: 'report';
      device: number;
      file: number;
      what: 'link' | 'breach' | 'again' | 'handled';
      age: number;
    }
  | { kind: 'beat'; device: number; named: number[]; problems: number[]; age: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'again'; back: number }
  | { kind: 'read' }
  | { kind: 'fail'; device: number; isWritten: boolean };
type FileStep = { enabled: boolean; isProbe: boolean; interval: number; isThere: boolean };

const device = fc.nat(DEVICES - 1);
const file = fc.nat(FILES - 1);
const age = fc.constantFrom(0, 0, 1, 10_000, 40_000);
const someFiles = fc.uniqueArray(file, { maxLength: FILES });
const mostly = fc.constantFrom(true, true, true, false);
const fileStep = fc.record({
  enabled: mostly,
  isProbe: fc.boolean(),
  interval: fc.constantFrom(1, 20, 100),
  isThere: mostly,
});
const save = fc.record({
  kind: fc.constant('save' as const),
  device,
  healthInterval: fc.constantFrom(10, 60),
  enabled: mostly,
  deleted: fc.constantFrom(false, false, false, false, true),
  files: fc.array(fileStep, { minLength: FILES, maxLength: FILES }),
});
const report = fc.record({
  kind: fc.constant('report' as const),
  device,
  file,
  what: fc.constantFrom('link' as const, 'breach' as const, 'again' as const, 'handled' as const),
  age,
});
const beat = fc.record({
  kind: fc.constant('beat' as const),
  device,
  named: someFiles,
  problems: someFiles,
  age,
});
const wait = fc.record({
  kind: fc.constant('wait' as const),
  ms: fc.oneof(fc.nat(70_000), fc.constantFrom(1, 30_000, 30_001, 180_000, 180_001, 31 * DAY_MS)),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { arbitrary: save, weight: 3 },
    { arbitrary: report, weight: 6 },
    { arbitrary: beat, weight: 4 },
    { arbitrary: wait, weight: 4 },
    { arbitrary: fc.record({ kind: fc.constant('again' as const), back: fc.nat(8) }), weight: 1 },
    { arbitrary: fc.record({ kind: fc.constant('read' as const) }), weight: 2 },
    {
      arbitrary: fc.record({ kind: fc.constant('fail' as const), device, isWritten: fc.boolean() }),
      weight: 1,
    },
  ),
  { minLength: 10, maxLength: 40 },
);

/** The writes and feed items of a step. */
interface Change {
  readonly ops: readonly ViewOp[];
  readonly items: readonly FeedItem[];
}

/** Makes an organisation's records as the other services and commands would. */
class Author {
  readonly orgId: string;
  readonly #clock: ManualClock;
  readonly #first: number;
  readonly #versions = new Map<number, number>();
  readonly #histories = new Map<string, FileHistory>();
  readonly #open = new Map<string, string[]>();
  #position = 0;

  constructor(run: number, clock: ManualClock) {
    this.#first = run * 100;
    this.orgId = uuid(this.#first);
    this.#clock = clock;
  }

  deviceId = (at: number): string => uuid(this.#first + 1 + at);
  fileId = (at: number, file: number): string => uuid(this.#first + 10 + at * FILES + file);

  save({ device: at, healthInterval, enabled, deleted, files }: Extract<Step, { kind: 'save' }>): Change {
    const now = this.#clock.now();
    const version = (this.#versions.get(at) ?? 0) + 1;
    this.#versions.set(at, version);
    const entities = files.map((given, file) => fileEntity(this.fileId(at, file), given, now, version));
    const entity: DeviceEntity = {
      kind: 'DEVICE',
      id: this.deviceId(at),
      orgId: this.orgId,
      name: `Device ${at} ${version}`,
      description: '',
      path: '/srv',
      healthInterval,
      enabled,
      category: 'STANDARD',
      disabledNote: null,
      disabledDate: null,
      disabledBy: null,
      ...(version % 2 === 0 ? { enabledAt: now } : {}),
      creationDate: START,
      configVersion: version,
      keyVersion: 1,
      previousKey: null,
      deleted,
      files: entities.filter((_, file) => files[file]!.isThere),
      removedFiles: entities.filter((_, file) => !files[file]!.isThere),
    };
    const { orgId } = this;
    const stream = deviceStream(entity.id);
    const record: RegistryRecord = { v: 1, stream, version, orgId, at: now, by: null, entity, events: [] };
    return { ops: registryOps(record), items: registryFeed(record) };
  }

  report({ device: at, file, what, age: old }: Extract<Step, { kind: 'report' }>): Change {
    const now = this.#clock.now();
    const [deviceId, fileId] = [this.deviceId(at), this.fileId(at, file)];
    const history =
      this.#histories.get(fileId) ?? new FileHistory({ orgId: this.orgId, deviceId, fileId }, START);
    this.#histories.set(fileId, history);
    const open = this.#open.get(fileId) ?? [];
    this.#open.set(fileId, open);
    const made = recordOf(history, open, what);
    const state = made.file!;
    const record = {
      ...made,
      timestamp: now,
      alerts: made.alerts.map((alert) => ({ ...alert, lastTimestamp: now })),
      file: { ...state, checkedAt: now - old, contactAt: now },
    };
    return { ops: chainOps(record, { partition: 0, offset: this.#position++ }), items: chainFeed(record) };
  }

  beat({ device: at, named, problems, age: old }: Extract<Step, { kind: 'beat' }>): Change {
    const now = this.#clock.now();
    const key = { orgId: this.orgId, deviceId: this.deviceId(at) };
    const made = heartbeat(
      key,
      now,
      named.map((file) => ({ id: this.fileId(at, file), checkedAt: now - old })),
    );
    const files = made.heartbeat.files.map((file, index) =>
      problems.includes(named[index]!) ? { ...file, problem: 'EACCES' } : file,
    );
    const record = { ...made, heartbeat: { ...made.heartbeat, files } };
    return { ops: healthOps(record), items: healthFeed(record) };
  }
}

function recordOf(history: FileHistory, open: string[], what: Extract<Step, { kind: 'report' }>['what']) {
  const [id] = open;
  if (what === 'again' && id !== undefined) return history.again(id);
  if (what === 'handled' && id !== undefined) {
    open.shift();
    return history.handled(id, { id: uuid(3), email: 'a@example.org', note: 'seen' });
  }
  if (what !== 'breach') return history.link();
  const record = history.breach();
  open.push(record.alerts[0]!.id);
  return record;
}

const fileEntity = (
  id: string,
  { enabled, isProbe, interval }: FileStep,
  now: number,
  version: number,
): FileEntity => ({
  id,
  name: `File ${interval}`,
  description: '',
  path: id,
  type: 'TEXT',
  monitoringFrequency: isProbe ? 'PROBE' : 'FOLLOW',
  ...(isProbe ? { interval } : {}),
  rolled: false,
  modifiable: true,
  enabled,
  creationDate: START,
  ...(interval === 20 ? { enabledAt: now } : {}),
  ...(interval === 100 ? { moved: { at: now, version } } : {}),
});

/** Returns the same store with writes that can fail, with or without their effect. */
function faulty(store: DocumentStore): { store: DocumentStore; failNext: (isWritten: boolean) => void } {
  let fault: { readonly isWritten: boolean } | undefined;
  const writeBatches: DocumentStore['writeBatches'] = async (batches) => {
    const now = fault;
    fault = undefined;
    if (now?.isWritten !== false) await store.writeBatches(batches);
    if (now !== undefined) throw new Error('the write failed');
  };
  const wrapped = new Proxy(store, {
    get: (target, name) => {
      if (name === 'writeBatches') return writeBatches;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store: wrapped, failNext: (isWritten) => (fault = { isWritten }) };
}

/** Returns the ids of the three newest ACTIVE alerts of files that are there. */
async function activeAlertsOf(store: DocumentStore, orgId: string): Promise<string[]> {
  const alerts = await store.find(VIEWS.alerts, { where: { orgId, status: 'ACTIVE' }, limit: 10_000 });
  const files = await store.getMany(
    VIEWS.files,
    alerts.map(({ fileId }) => fileId),
  );
  const there = new Set(files.filter(({ deleted }) => !deleted).map(({ id }) => id));
  const ids = alerts.filter(({ fileId }) => there.has(fileId)).map(({ id }) => id);
  return ids.sort().reverse().slice(0, 3);
}

const READ_STEP: Step = { kind: 'read' };

t.test(
  'the counts are those of a survey, whatever comes in whatever order, and as time goes on',
  async (t) => {
    const { open } = await scratch(t);
    const inner = await open('summaries.db');
    let runs = 0;
    const run = async (given: readonly Step[]): Promise<void> => {
      const clock = new ManualClock(START);
      const author = new Author(++runs, clock);
      const { orgId } = author;
      const { store, failNext } = faulty(inner);
      const deps = { store, clock, log: silentLog() };
      const metrics = createMetrics('query', { processMetrics: false });
      const own = new Summaries({ ...deps, metrics, isSoleWriter: true });
      const other = new Summaries({
        ...deps,
        metrics: createMetrics('query', { processMetrics: false }),
        isSoleWriter: false,
      });
      other.confirmBy(async () => true);
      const done: Change[] = [];
      const write = async ({ ops, items }: Change): Promise<void> => {
        await applyOps(own, ops);
        other.noteChanges(orgId, items);
      };
      const take = async (step: Step): Promise<void> => {
        if (step.kind === 'wait') return clock.advance(step.ms);
        if (step.kind === 'read') {
          // Reads while a write is running.
          const change = author.beat({ kind: 'beat', device: 0, named: [0, 1], problems: [], age: 0 });
          await Promise.all([own.summary(orgId), other.summary(orgId), write(change), own.summary(orgId)]);
          return;
        }
        if (step.kind === 'again') {
          const change = done.at(-1 - step.back);
          return change === undefined ? undefined : write(change);
        }
        if (step.kind === 'fail') {
          const change = author.beat({
            kind: 'beat',
            device: step.device,
            named: [0, 2],
            problems: [],
            age: 0,
          });
          failNext(step.isWritten);
          await write(change).catch(() => undefined);
          // The writer repeats the write; until then the feed has nothing of it.
          await write(change);
          return;
        }
        const change =
          step.kind === 'save'
            ? author.save(step)
            : step.kind === 'report'
              ? author.report(step)
              : author.beat(step);
        done.push(change);
        await write(change);
      };
      for (const step of [READ_STEP, ...given]) {
        const since = clock.now();
        await take(step);
        const now = clock.now();
        const survey = await surveyOf(inner, orgId, now);
        const namedOf = async (counted: Survey) =>
          (await newestAlerts(inner, orgId, counted, now)).map(({ id }) => id);
        const newest = await activeAlertsOf(inner, orgId);
        const wanted = JSON.stringify([summaryOf(survey), deviceCountsOf(survey), newest]);
        const surveyed = await namedOf(survey);
        if (surveyed.join() !== newest.join())
          throw new Error(`surveyed: ${surveyed.join()} instead of ${newest.join()}`);
        const lapsed = await readExpirations({ store: inner, clock }, orgId, since);
        for (const [name, summaries] of Object.entries({ own, other })) {
          const found = JSON.stringify([
            await summaries.summary(orgId),
            await summaries.deviceCounts(orgId),
            await namedOf(await summaries.survey(orgId)),
          ]);
          if (found !== wanted) throw new Error(`${name}: ${found}\ninstead of ${wanted}`);
          const told = await summaries.expirations(orgId, since);
          for (const kind of ['devices', 'files'] as const)
            if ([...told[kind]].sort().join() !== [...lapsed[kind]].sort().join())
              throw new Error(`${name}, ${kind}: ${told[kind].join()} instead of ${lapsed[kind].join()}`);
          if ((told.nextAt ?? Infinity) > (lapsed.nextAt ?? Infinity) || (told.nextAt ?? Infinity) <= now)
            throw new Error(`${name}: ${told.nextAt} instead of ${lapsed.nextAt} at ${now}`);
        }
      }
      const text = await metrics.text();
      if (!/mended_total\{[^}]*\} 0/.test(text)) throw new Error('a summary had to be mended');
      if (own.used === 0 || other.used === 0) throw new Error('nothing was kept');
    };
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 30 });
    t.ok(runs >= 30, `${runs} runs`);
  },
);

t.test('a record of a handled alert that is written again after a start counts nothing', async (t) => {
  const { open } = await scratch(t);
  const store = await open('again.db');
  const clock = new ManualClock(START);
  const author = new Author(1, clock);
  const started = (): Summaries =>
    new Summaries({
      store,
      clock,
      log: silentLog(),
      metrics: createMetrics('query', { processMetrics: false }),
      isSoleWriter: true,
    });
  const file = { enabled: true, isProbe: false, interval: 1, isThere: true };
  const device = { kind: 'save', device: 0, healthInterval: 10, enabled: true, deleted: false } as const;
  const report = { kind: 'report', device: 0, file: 0, age: 0 } as const;
  const before = started();
  const breach = author.report({ ...report, what: 'breach' });
  for (const { ops } of [
    author.save({ ...device, files: Array.from({ length: FILES }, () => file) }),
    breach,
    author.report({ ...report, what: 'handled' }),
  ])
    await applyOps(before, ops);
  const after = started();
  const counted = await after.summary(author.orgId);
  t.equal(counted.health.devicesWithActiveAlert, 0);
  await applyOps(after, breach.ops);
  t.same(await after.summary(author.orgId), counted);
});

t.test('parked files are counted as a survey counts them, and anew as soon as one is told of', async (t) => {
  const { open } = await scratch(t);
  const store = await open('parked.db');
  const clock = new ManualClock(START);
  const author = new Author(1, clock);
  const { orgId } = author;
  const made = (isSoleWriter: boolean): Summaries => {
    const metrics = createMetrics('query', { processMetrics: false });
    const summaries = new Summaries({ store, clock, log: silentLog(), metrics, isSoleWriter });
    summaries.confirmBy(async () => true);
    return summaries;
  };
  const both = [made(true), made(false)];
  const file = { enabled: true, isProbe: false, interval: 1, isThere: true };
  const device = { kind: 'save', healthInterval: 10, enabled: true, deleted: false } as const;
  const saved = [
    author.save({
      ...device,
      device: 0,
      files: [file, { ...file, enabled: false }, { ...file, isThere: false }, file],
    }),
    author.save({ ...device, device: 1, deleted: true, files: [file, file, file, file] }),
    author.save({ ...device, device: 2, enabled: false, files: [file, file, file, file] }),
  ];
  for (const { ops } of saved) await applyOps(store, ops);
  for (const summaries of both) t.equal((await summaries.summary(orgId)).notJudged, undefined);

  const all = [0, 1, 2].flatMap((at) => [0, 1, 2].map((file) => [at, author.fileId(at, file)] as const));
  await store.bulkUpsert(
    VIEWS.fileParkings,
    all.map(([, id]) => ({ id, rev: 1, parking: 0, judgedUntil: 0, waiting: 1 })),
  );
  const named = [
    // The device that is off.
    ...[0, 1, 2].map((file) => ({ id: author.fileId(2, file), deviceId: author.deviceId(2) })),
    // One that is off itself; the third is deleted.
    ...[0, 1].map((file) => ({ id: author.fileId(0, file), deviceId: author.deviceId(0) })),
  ];
  const byDevice = new Map(
    [0, 1, 2].map((at) => [
      author.deviceId(at),
      new Set(all.filter(([of]) => of === at).map(([, id]) => id)),
    ]),
  );
  for (const isWhole of [true, false]) {
    const surveyed = summaryOf(await surveyOf(store, orgId, START, { byDevice, isWhole }));
    t.match(surveyed.notJudged, { files: 5, atLeast: !isWhole });
    matchList(t, surveyed.notJudged!.named, named);
    const none = summaryOf(await surveyOf(store, orgId, START, { byDevice: new Map(), isWhole }));
    t.strictSame(none.notJudged, isWhole ? undefined : { files: 0, atLeast: true, named: [] });
  }
  for (const summaries of both) {
    summaries.noteChanges(orgId, [{ kind: 'parking', id: author.fileId(0, 0), rev: 1 }]);
    const { notJudged } = await summaries.summary(orgId);
    t.match(notJudged, { files: 5, atLeast: false });
    matchList(t, notJudged!.named, named);
  }
});

t.test('a window that is reviewed while an organisation is read sets nothing aside any more', async (t) => {
  const { open } = await scratch(t);
  const inner = await open('reviewed.db');
  const clock = new ManualClock(START);
  const author = new Author(1, clock);
  const { orgId } = author;
  const window: MaintenanceView = {
    id: uuid(50),
    rev: 1,
    orgId,
    reason: 'patch day',
    start: START - 1_000,
    end: START + 1_000,
    weekly: null,
    revisions: [
      {
        at: START - 1_000,
        scope: { everything: true, deviceIds: [], files: [], labels: [] },
        intervals: [{ from: START - 1_000, to: START + 1_000 }],
      },
    ],
    creationDate: START - 1_000,
    createdBy: 'ada@example.org',
    endedAt: null,
    review: null,
    overAt: START + 1_000,
    awaitsReview: true,
  };
  const reviewed: MaintenanceView = {
    ...window,
    rev: 2,
    review: { at: START, by: 'ada@example.org', note: 'seen' },
    awaitsReview: false,
  };
  const opsOf = (view: MaintenanceView): ViewOp[] => [
    { collection: VIEWS.maintenance, mode: 'upsert', documents: [view] },
  ];
  const file = { enabled: true, isProbe: false, interval: 1, isThere: true };
  const files = Array.from({ length: FILES }, () => file);
  for (const ops of [
    author.save({ kind: 'save', device: 0, healthInterval: 10, enabled: true, deleted: false, files }).ops,
    author.report({ kind: 'report', device: 0, file: 0, what: 'breach', age: 0 }).ops,
    opsOf(window),
  ])
    await applyOps(inner, ops);
  const store: DocumentStore = new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'find') return typeof value === 'function' ? value.bind(target) : value;
      return async (collection: string, query: Query) => {
        const found = await target.find(collection, query);
        if (collection === VIEWS.maintenance) await applyOps(summaries, opsOf(reviewed));
        return found;
      };
    },
  });
  const summaries: Summaries = new Summaries({
    store,
    clock,
    log: silentLog(),
    metrics: createMetrics('query', { processMetrics: false }),
    isSoleWriter: true,
  });
  t.same(await summaries.summary(orgId), summaryOf(await surveyOf(inner, orgId, clock.now())));
  t.equal((await summaries.summary(orgId)).activeAlerts, 1);
});
