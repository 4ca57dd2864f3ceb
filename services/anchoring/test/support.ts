import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { TOPICS, utf8, type AnchorRecord, type Category } from '@sentinel-node/contracts';
import {
  createHttp,
  createMetrics,
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  readConfig,
} from '@sentinel-node/platform';
import { createDevLedger } from '@sentinel-node/platform/ledger';
import { openEmbeddedDocumentStore, openEmbeddedEventLog, silentLog } from '@sentinel-node/platform';
import { type DocumentStore, type EventLog, type Ledger, type Metrics } from '@sentinel-node/platform';
import { ManualClock, SeededRandom } from '@sentinel-node/test-kit/fakes';
import { createAlarms } from '../src/alarms.ts';
import { Anchorer } from '../src/anchorer.ts';
import { OWN_COLLECTIONS, type CutDocument, type TransactionDocument } from '../src/collections.ts';
import { Cutter } from '../src/cutter.ts';
import { createAnchoring, type AnchoringDeps } from '../src/index.ts';

export const LOG_KEY = logKeyOf('a master secret of the tests of anchoring');
export const ANCHORING_KEY = '11'.repeat(32);
export const INTERVALS = { STANDARD: 3_600, ADVANCED: 600, MISSION_CRITICAL: 60 } as const;
export const NEVER = {
  every: () => ({ stop: () => Promise.resolve(), failed: new Promise<never>(() => undefined) }),
};

export const fileId = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
export const linkHash = (file: string, number: number): string =>
  createHash('sha256').update(`${file}/${number}`).digest('hex');

export interface Delivery {
  readonly file: string;
  readonly from: number;
  readonly count: number;
  readonly acceptedAt: number;
  readonly category?: Category;
}

export function chainRecord({ file, from, count, acceptedAt, category = 'MISSION_CRITICAL' }: Delivery) {
  const entries = Array.from({ length: count }, (_, i) => ({
    number: from + i,
    acceptedAt,
    linkHash: linkHash(file, from + i),
  }));
  const record = { v: 1, fileId: file, category, entries };
  return { key: file, id: `${file}/${from}`, body: utf8(JSON.stringify(record)) };
}

export interface Ports {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly ledger: Ledger;
}

/** Topics that anchoring reads and writes. */
export const OWN_TOPICS: readonly string[] = [TOPICS.chain, TOPICS.anchors, TOPICS.operations];

/** Stores of one test. */
export interface BackEnd {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  close(): Promise<void>;
}

/** Opens the embedded adapters in a folder, which stays. */
export async function embeddedIn(dir: string): Promise<BackEnd> {
  const folder = openDataFolder(dir);
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  return {
    store,
    eventLog,
    close: async () => {
      await eventLog.close();
      await store.close();
      folder.release();
    },
  };
}

/** Opens the embedded adapters in their own folder. @param copied a folder whose stores are copied into it */
export async function embeddedBackEnd(copied?: string): Promise<BackEnd> {
  const dir = mkdtempSync(join(tmpdir(), 'anchoring-'));
  if (copied !== undefined) cpSync(copied, dir, { recursive: true });
  const backEnd = await embeddedIn(dir);
  return {
    ...backEnd,
    close: async () => {
      await backEnd.close();
      rmSync(dir, { recursive: true });
    },
  };
}

/** Opens anchoring on the embedded or other adapters, driven by the test. @param now when its clock begins */
export async function openWorld(
  batchLeaves?: number,
  openBackEnd: () => Promise<BackEnd> = embeddedBackEnd,
  now?: number,
) {
  const { store, eventLog, close } = await openBackEnd();
  const clock = new ManualClock(now);
  const ledger = createDevLedger({ store, clock, timers: NEVER });
  await ledger.start();
  await store.ensure(Object.values(OWN_COLLECTIONS));
  const ports: Ports = { store, eventLog, ledger };

  const anchoring = async (given: Ports = ports, metrics?: Metrics) => {
    const log = silentLog();
    const common = { ...given, log, clock, logId: LOG_KEY.logId };
    const limit = batchLeaves === undefined ? {} : { batchLeaves };
    const yieldTurn = () => setImmediate();
    const cutter = new Cutter({ ...common, ...limit, categoryIntervalSeconds: INTERVALS, yieldTurn });
    const random = new SeededRandom(7);
    const alarms = createAlarms(log, metrics);
    const anchorer = new Anchorer({ ...common, random, anchoringKey: ANCHORING_KEY, alarms });
    await anchorer.restore();
    await cutter.restore();
    return { cutter, anchorer };
  };
  const all = async <T>(collection: string): Promise<T[]> =>
    (await store.find(collection, { limit: 10_000 })) as T[];

  return {
    ...ports,
    ledger,
    clock,
    anchoring,
    deliver: (...records: readonly Delivery[]) => eventLog.append(TOPICS.chain, records.map(chainRecord)),
    cuts: () => all<CutDocument>(OWN_COLLECTIONS.cuts.name),
    transactions: () => all<TransactionDocument>(OWN_COLLECTIONS.transactions.name),
    anchors: async (): Promise<AnchorRecord[]> => {
      const records: AnchorRecord[] = [];
      for await (const batch of eventLog.read(TOPICS.anchors, 0, 0))
        for (const { body } of batch.records)
          records.push(JSON.parse(Buffer.from(body).toString()) as AnchorRecord);
      return records;
    },
    close: async () => {
      await ledger.stop();
      await close();
    },
  };
}
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Returns the service on a world, not started, with turns that the test makes. */
export async function serviceOn(
  world: World,
  origin: string,
  ledger: Ledger = world.ledger,
  more: Partial<AnchoringDeps> = {},
) {
  const tasks: (() => Promise<void>)[] = [];
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const service = createAnchoring({
    ...{ log: silentLog(), metrics, clock: world.clock, eventLog: world.eventLog, store: world.store },
    ...{ ledger, logKey: LOG_KEY, origin, anchoringKey: ANCHORING_KEY },
    ...more,
    categoryIntervalSeconds: INTERVALS,
    timers: {
      every: (_, task) => {
        tasks.push(task);
        return NEVER.every();
      },
    },
  });
  const shell = await createHttp({ config: readConfig({}), log: silentLog(), metrics });
  await service.routes?.(shell.app);
  return {
    service,
    metrics,
    /** Repeated tasks, each on its own. */
    tasks,
    turn: async () => {
      for (const task of tasks) await task();
    },
    get: (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
      shell.app.inject({ method, url, headers: { host: 'localhost:8443', ...headers } }),
    post: (url: string, headers: Record<string, string>, payload: string | object) =>
      shell.app.inject({ method: 'POST', url, headers: { host: 'localhost:8443', ...headers }, payload }),
    /** Listens on a free port of this machine. */
    listen: () => shell.app.listen({ host: '127.0.0.1', port: 0 }),
    end: async () => {
      await service.stop();
      await shell.app.close();
    },
  };
}

/**
 * Returns the leaves of every cut as `file/number`, from the records in its ranges, by the rule of the highest number.
 */
export async function leavesOfCuts(world: World): Promise<string[][]> {
  const heads = new Map<string, number>();
  const found: string[][] = [];
  for (const { cut } of await world.cuts()) {
    const leaves: string[] = [];
    for (const { partition, from, to } of cut.ranges)
      for await (const { records } of world.eventLog.read(TOPICS.chain, partition, from, to))
        for (const { body } of records) {
          const record = JSON.parse(Buffer.from(body).toString()) as {
            fileId: string;
            entries: { number: number }[];
          };
          for (const { number } of record.entries) {
            if (number <= (heads.get(record.fileId) ?? -1)) continue;
            heads.set(record.fileId, number);
            leaves.push(`${record.fileId}/${number}`);
          }
        }
    found.push(leaves);
  }
  return found;
}
