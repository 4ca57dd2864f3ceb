/** Projects the log into views and the feed. For each batch of records: views, then checkpoint, feed, and commit. */
import {
  GROUPS,
  isParkingRecord,
  LIMITS,
  TOPICS,
  type FeedItem,
  type FeedRecord,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import {
  CHECKPOINTS_COLLECTION,
  checkpointBatch,
  hasCheckpoint,
  HeldWork,
  Lifecycle,
  retryTransient,
  type DocumentStore,
  type EventLog,
  type Log,
  type LogRecord,
  type Metrics,
  type RecordBatch,
  type Service,
  type StoredRecord,
  type Timers,
} from '@sentinel-node/platform';
import { pagesById } from '../storage/pages-by-id.ts';
import { anchorOps } from './anchor-ops.ts';
import { VIEW_COLLECTIONS, VIEWS } from './collections.ts';
import type { FileView } from './documents.ts';
import { chainFeed, healthFeed, mergeItems, parkingFeed, registryFeed } from './feed-items.ts';
import { healthOps } from './health-ops.ts';
import { beginsOrEnds } from './parking-ops.ts';
import { viewsOf } from './read.ts';
import {
  chainRecordOps,
  isPassedOver,
  readAnchorRecord,
  readChainTopic,
  readHealthRecord,
  readRegistryRecord,
  VIEW_SOURCES,
} from './records.ts';
import { registryOps } from './registry-ops.ts';
import { applyOps, type ViewOp, type ViewWriter } from './view-op.ts';

export const PROJECTOR_LIMITS = {
  /** A batch whose writes fail for longer makes the service not ready, because reads would show old data as if it were current. */
  failingSeconds: 60,
} as const;

/** The most items of one feed record: about a quarter of a megabyte. */
const FEED_ITEMS_PER_RECORD = 2_000;

export interface ProjectorDeps {
  readonly store: DocumentStore;
  /** Writes the views into the store. Default: the store itself. */
  readonly views?: ViewWriter;
  readonly eventLog: EventLog;
  readonly timers: Pick<Timers, 'delay'>;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly now?: () => number;
}

/** The view writes and feed items of a batch of source records. */
interface Projection {
  readonly ops: readonly ViewOp[];
  /** Feed items by organisation; the items of `everyOrganization` go to all organisations. */
  readonly items: ReadonlyMap<string, readonly FeedItem[]>;
  readonly everyOrganization: readonly FeedItem[];
  /** The last record of each file that was parked or freed; such a record names no organisation. */
  readonly parkings: ReadonlyMap<string, ParkingRecord>;
}

/** The projector stops with an alarm (`failed`, not ready) at an unreadable record, unless it is a heartbeat. */
export interface Projector extends Service {
  /** Rejects when the projection stopped for good. */
  readonly failed: Promise<never>;
}

export function projectorService(deps: ProjectorDeps): Projector {
  const { store, eventLog, timers, log } = deps;
  const count = deps.metrics?.counter<'topic'>({
    name: 'projector_records_total',
    help: 'Records of the log projected into views, by topic',
    labels: { topic: [...VIEW_SOURCES.keys()] },
  });
  const held = new HeldWork(deps.now);
  deps.metrics?.observedGauge(
    {
      name: 'projector_held_seconds',
      help: 'Since the oldest batch of records in hand was begun; 0: none is',
    },
    () => held.heldSeconds,
  );
  const lifecycle = new Lifecycle((error) =>
    log.fatal({ err: error }, 'the projection stopped; views are no longer kept up to date'),
  );
  const handle = async (batch: RecordBatch): Promise<void> => {
    const { topic } = batch;
    // Without the error: a parser's message quotes the record, and logs never hold bodies.
    const projection = project(batch, ({ offset, partition }) =>
      log.error({ topic, partition, offset }, 'a heartbeat cannot be read and is passed over'),
    );
    await held.hold((failed) =>
      retryTransient(
        timers,
        () => lifecycle.state === 'stopped',
        () => write(deps, batch, projection),
        (err) => {
          if (failed()) log.warn({ err, topic: batch.topic }, 'views cannot be written; trying again');
        },
      ),
    );
    count?.({ topic: batch.topic }, batch.records.length);
  };
  return {
    name: 'projector',
    failed: lifecycle.failed,
    start: async () => {
      const lost = await lostViews(store);
      await store.ensure([...VIEW_COLLECTIONS, CHECKPOINTS_COLLECTION]);
      if (lost.length > 0)
        log.error(
          { views: lost },
          'these views are made new and empty, after their records were projected: run sentinel rebuild with their names',
        );
      lifecycle.run(await eventLog.consume([...VIEW_SOURCES.keys()], GROUPS.projector, handle));
    },
    stop: () => lifecycle.stop(),
    notReady: () =>
      lifecycle.isRunning && held.failingSeconds <= PROJECTOR_LIMITS.failingSeconds ? [] : ['projector'],
  };
}

/** Returns the views that are not there, although records were projected: somebody dropped them, or this version added them. */
async function lostViews(store: DocumentStore): Promise<string[]> {
  await store.ensure([CHECKPOINTS_COLLECTION]);
  if (!(await hasCheckpoint(store, GROUPS.projector))) return [];
  const there = new Set(await store.collections());
  return VIEW_COLLECTIONS.flatMap(({ name }) => (there.has(name) ? [] : [name]));
}

async function write(
  { store, views = store, eventLog }: ProjectorDeps,
  batch: RecordBatch,
  { ops, items, everyOrganization, parkings }: Projection,
): Promise<void> {
  await applyOps(views, ops, checkpointBatch(GROUPS.projector, batch));
  const feed = new Map(items);
  // The organisation of a file that is not projected yet learns of it by the next look at the parked files.
  for (const file of (await viewsOf<FileView>(store, VIEWS.files, parkings.keys())).values())
    feed.set(file.orgId, [...(feed.get(file.orgId) ?? []), ...parkingFeed(file, parkings.get(file.id)!)]);
  if (everyOrganization.length > 0)
    for await (const orgId of organizationIds(store))
      feed.set(orgId, [...(feed.get(orgId) ?? []), ...everyOrganization]);
  const records = [...feed].flatMap(([orgId, given]) => feedRecords(orgId, mergeItems(given), batch));
  if (records.length > 0) await eventLog.append(TOPICS.feed, records);
}

/** @param onPassedOver told of each record that nobody can read and that is passed over */
function project({ topic, records }: RecordBatch, onPassedOver: (record: StoredRecord) => void): Projection {
  const ops: ViewOp[] = [];
  const items = new Map<string, FeedItem[]>();
  const everyOrganization: FeedItem[] = [];
  const parkings = new Map<string, ParkingRecord>();
  const addItems = (orgId: string, given: readonly FeedItem[]): void => {
    const existing = items.get(orgId);
    if (existing === undefined) items.set(orgId, [...given]);
    else existing.push(...given);
  };
  for (const record of records)
    try {
      ops.push(...projectRecord(topic, record, { addItems, everyOrganization, parkings }));
    } catch (error) {
      if (!isPassedOver(topic, error)) throw error;
      onPassedOver(record);
    }
  return { ops, items, everyOrganization, parkings };
}

/** Where the feed items of records go. */
interface Told {
  readonly addItems: (orgId: string, items: readonly FeedItem[]) => void;
  readonly everyOrganization: FeedItem[];
  readonly parkings: Map<string, ParkingRecord>;
}

function projectRecord(
  topic: string,
  stored: StoredRecord,
  { addItems, everyOrganization, parkings }: Told,
): ViewOp[] {
  if (topic === TOPICS.chain) {
    const record = readChainTopic(stored);
    if (!isParkingRecord(record)) addItems(record.orgId, chainFeed(record));
    else if (beginsOrEnds(record.parking)) parkings.set(stored.key, record);
    return chainRecordOps(record, stored);
  }
  if (topic === TOPICS.registry) {
    const record = readRegistryRecord(stored);
    addItems(record.orgId, registryFeed(record));
    return registryOps(record);
  }
  if (topic === TOPICS.deviceHealth) {
    const record = readHealthRecord(stored);
    addItems(record.orgId, healthFeed(record));
    return healthOps(record);
  }
  const record = readAnchorRecord(stored);
  everyOrganization.push({ kind: 'anchor', id: String(record.batch), rev: record.rev });
  return anchorOps(record);
}

function feedRecords(orgId: string, items: readonly FeedItem[], batch: RecordBatch): LogRecord[] {
  const { topic, partition, records } = batch;
  const parts: LogRecord[] = [];
  for (let at = 0; at < items.length; at += FEED_ITEMS_PER_RECORD) {
    const record: FeedRecord = { v: 1, orgId, items: items.slice(at, at + FEED_ITEMS_PER_RECORD) };
    const id = `${topic}/${partition}/${records[0]!.offset}/${orgId}/${at}`;
    parts.push({ key: orgId, id, body: Buffer.from(JSON.stringify(record)) });
  }
  return parts;
}

async function* organizationIds(store: DocumentStore): AsyncGenerator<string> {
  for await (const page of pagesById(store, VIEWS.organizations, {}, LIMITS.findDocuments))
    for (const { id } of page) yield id;
}
