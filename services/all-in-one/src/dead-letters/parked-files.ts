import { partitionOf, TOPICS, type DeadLetter } from '@sentinel-node/contracts';
import { HEADS_COLLECTION, loadHeads, readDeadLetter, type Parked } from '@sentinel-node/chain-verifier';
import type { DocumentStore, EventLog, StoredRecord } from '@sentinel-node/platform';

/** Keys whose heads are read in one call. */
const KEYS_PER_READ = 500;

/** A file (or a device, for its own notices) that is parked now. */
export interface ParkedFile {
  readonly key: string;
  readonly parked: Parked;
  /** The parking's first dead letter: the record that could not be judged. */
  readonly first: Omit<DeadLetter, 'body'>;
  /** Offset of that dead letter in its topic. */
  readonly at: number;
}

/** Yields every dead letter with its record, in order; skips other records. */
export async function* readDeadLetters(
  eventLog: Pick<EventLog, 'bounds' | 'read'>,
  only?: { readonly key: string; readonly from: number },
): AsyncGenerator<readonly [DeadLetter, StoredRecord]> {
  const bounds = await eventLog.bounds(TOPICS.deadLetters);
  const wanted = only === undefined ? undefined : partitionOf(only.key, bounds.length);
  for (const { partition, start, end } of bounds) {
    if (wanted !== undefined && partition !== wanted) continue;
    const from = Math.max(start, only?.from ?? start);
    if (from >= end) continue;
    for await (const { records } of eventLog.read(TOPICS.deadLetters, partition, from, end))
      for (const record of records) {
        if (only !== undefined && record.key !== only.key) continue;
        const deadLetter = readDeadLetter(record);
        if (deadLetter !== undefined) yield [deadLetter, record];
      }
  }
}

/**
 * Returns the files that are parked now, in the order of their first parking, and `keys`, all keys with a parking in the
 * dead letters.
 */
export async function findParked(
  eventLog: EventLog,
  store: DocumentStore,
): Promise<{ readonly files: readonly ParkedFile[]; readonly keys: ReadonlySet<string> }> {
  const latest = new Map<string, Omit<ParkedFile, 'parked'>>();
  for await (const [{ body: _body, ...first }, { offset: at }] of readDeadLetters(eventLog)) {
    // A second delivery of an older parking must not replace a newer one.
    const known = latest.get(first.key);
    if (first.kind === 'POISON' && first.parking > (known?.first.parking ?? -1))
      latest.set(first.key, { key: first.key, first, at });
  }
  await store.ensure([HEADS_COLLECTION]);
  const files: ParkedFile[] = [];
  const keys = [...latest.keys()];
  for (let from = 0; from < keys.length; from += KEYS_PER_READ) {
    const heads = await loadHeads(store, keys.slice(from, from + KEYS_PER_READ));
    for (const [key, { parked }] of heads)
      if (parked !== undefined) files.push({ ...latest.get(key)!, parked });
  }
  return { files, keys: new Set(keys) };
}

export async function readParked(store: DocumentStore, key: string): Promise<Parked | undefined> {
  return (await loadHeads(store, [key])).get(key)?.parked;
}
