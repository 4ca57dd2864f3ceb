/**
 * Where notifications start in the log, which process searches for lost devices next, and which alerts that were set
 * aside have been told since.
 */
import {
  collectionOf,
  loadCheckpoint,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type EventLog,
  type RecordBatch,
} from '@sentinel-node/platform';

/**
 * `start` and `query-syslog`: `at` is when notifications started, `ends` the ends of the log at that time.
 * `look`: `at` is the earliest time of the next search. `looked`: `at` is the end of the last one, and `since` is from when on
 * searches have followed each other. `goes-on/…`: an alert by id; `at` is the time of its change.
 */
type Marker = {
  readonly id: string;
  readonly rev: number;
  readonly at: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly since?: number;
};

export const NOTICE_MARKERS_COLLECTION = {
  name: collectionOf<Marker>('notice_markers'),
  indexes: [],
} as const;

const { name } = NOTICE_MARKERS_COLLECTION;

export const partitionName = (topic: string, partition: number): string => `${topic}/${partition}`;

/**
 * Returns where notifications start. Records from before the first start give no notices.
 * @param id of the consumer
 */
export async function readStart(
  { store, eventLog, clock }: { store: DocumentStore; eventLog: EventLog; clock: Clock },
  topics: readonly string[],
  id = 'start',
): Promise<Pick<Marker, 'at' | 'ends'>> {
  const known = await store.get(name, id);
  if (known !== undefined) return known;
  const ends: Record<string, number> = {};
  for (const topic of topics)
    for (const { partition, end } of await eventLog.bounds(topic))
      ends[partitionName(topic, partition)] = end;
  await store.insertMissing(name, [{ id, rev: 1, at: clock.now(), ends }]);
  return (await store.get(name, id))!;
}

/**
 * Returns the records that the group has not finished, of those after the start of notifications. Kafka forgets the
 * position of a group that was away for long (offsets.retention.minutes) and then delivers the whole log again; the
 * store keeps it.
 */
export async function unfinished(
  store: DocumentStore,
  group: string,
  { topic, partition, records }: RecordBatch,
  ends: Marker['ends'],
): Promise<RecordBatch['records']> {
  const finished = await loadCheckpoint(store, { group, topic, partition });
  const start = Math.max(ends[partitionName(topic, partition)] ?? 0, finished);
  return records.filter(({ offset }) => offset >= start);
}

const goesOnId = (alertId: string): string => `goes-on/${alertId}`;

/** Returns which of the alerts, set aside when they were raised, were told when they went on. */
export async function toldGoingOn(
  store: DocumentStore,
  alertIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (alertIds.length === 0) return new Set();
  const found = new Set((await store.getMany(name, alertIds.map(goesOnId))).map(({ id }) => id));
  return new Set(alertIds.filter((id) => found.has(goesOnId(id))));
}

/** @param alerts that were told, to be kept until they are handled */
export async function keepGoingOn(
  store: DocumentStore,
  alerts: readonly { readonly id: string; readonly at: number }[],
): Promise<void> {
  const markers = alerts.map(({ id, at }): Marker => ({ id: goesOnId(id), rev: 1, at, ends: {} }));
  if (markers.length > 0) await store.insertMissing(name, markers);
}

export async function forgetGoingOn(store: DocumentStore, alertIds: readonly string[]): Promise<void> {
  if (alertIds.length > 0) await store.remove(name, alertIds.map(goesOnId));
}

/** Returns whether this process has the turn; one of all processes gets it in `everyMs`. */
export async function takeTurn(store: DocumentStore, now: number, everyMs: number): Promise<boolean> {
  const found = await store.get(name, 'look');
  // A time that is further away was written by a clock that was ahead.
  if (found !== undefined && found.at > now && found.at <= now + everyMs) return false;
  const next: Marker = { id: 'look', rev: (found?.rev ?? 0) + 1, at: now + everyMs, ends: {} };
  return saveIfCurrent(store, name, next, found?.rev);
}

/**
 * Returns since when searches have followed each other, in milliseconds since the Unix epoch: after a gap, or a change of the
 * clock, from now on.
 */
export async function lookingSince(store: DocumentStore, now: number, gapMs: number): Promise<number> {
  const found = await store.get(name, 'looked');
  if (found === undefined) return 0;
  const { at, since = 0 } = found;
  return Math.abs(now - at) <= gapMs && since <= now ? since : now;
}

/** Keeps that a search ended now. */
export async function keepLooked(store: DocumentStore, now: number, since: number): Promise<void> {
  const found = await store.get(name, 'looked');
  const next: Marker = { id: 'looked', rev: (found?.rev ?? 0) + 1, at: now, ends: {}, since };
  await saveIfCurrent(store, name, next, found?.rev);
}
