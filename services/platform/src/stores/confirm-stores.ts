import { COLLECTIONS, GROUPS, TOPICS } from '@sentinel-node/contracts';
import { PortError } from '../ports/errors.ts';
import type { CollectionSpec, DocumentStore } from '../ports/document-store.ts';
import type { EventLog } from '../ports/event-log.ts';
import { confirmLogKey, isLogKeyRecorded, type LogKey } from '../secrets/log-key.ts';
import { STREAMS_COLLECTION } from '../streams/stream.ts';
import { confirmCheckpoints, hasCheckpoint } from './checkpoints.ts';
import { confirmRestored } from './restoring.ts';

/** The log is in use, but this store was never used with it: decisions that only the store has are missing. */
export class StoreIsNewError extends PortError {
  constructor() {
    super(
      'STORE_IS_NEW',
      'the document store is new, but the log holds records: is its address, and the name of the database, right? If it was lost, restore a backup',
    );
  }
}

/** The store refers to records of the log, but the log is empty. */
export class LogIsNewError extends PortError {
  constructor() {
    super(
      'LOG_IS_NEW',
      'the log is empty, but the document store was used with one that is not: is its address right? If it was lost, restore a backup',
    );
  }
}

/** A collection from which services go on is gone, and what follows from it stands in the log or in the store. */
export class CollectionLostError extends PortError {
  readonly collection: string;
  constructor(collection: string, sign: string, remedy: string) {
    super(
      'COLLECTION_LOST',
      `the collection ${collection} is empty, but ${sign}: somebody dropped or renamed it. Stop all services, then ${remedy}`,
    );
    this.collection = collection;
  }
}

/** Nothing was ever started on these stores: whoever reads them looks at another place than the system's. */
export class NothingStartedError extends PortError {
  constructor() {
    super(
      'NOTHING_STARTED',
      'no system was ever started on these stores: are their addresses, and the name of the database, right?',
    );
  }
}

/**
 * Checks that the log and the document store belong together, then compares the key of the log with the recorded key.
 * On stores that do not belong together, chains would start again and batches be cut again, and the log would keep both
 * for ever.
 * @param options.mayBegin when false, stores without a recorded key are refused; else they begin with this one
 * @throws RestoreUnfinishedError, StoreIsNewError, NothingStartedError, LogIsNewError, StoreIsOlderError,
 * LogIsOlderError, GroupMovedError, LogKeyChangedError, CollectionLostError, CheckpointUnusableError
 */
export async function confirmStores(
  store: DocumentStore,
  eventLog: EventLog,
  key: LogKey,
  { mayBegin = true }: { readonly mayBegin?: boolean } = {},
): Promise<void> {
  await confirmRestored(store);
  // Each store is checked twice, because another process may begin between the two checks.
  const isInUse = () => isLogInUse(eventLog);
  if (await isLogKeyRecorded(store)) {
    if (!(await isInUse()) && (await hasPublished(store)) && !(await isInUse())) throw new LogIsNewError();
  } else if ((await isInUse()) && !(await isLogKeyRecorded(store))) throw new StoreIsNewError();
  else if (!mayBegin && !(await isLogKeyRecorded(store))) throw new NothingStartedError();
  await confirmLogKey(store, key);
  await confirmCheckpoints(store, eventLog);
  await store.ensure([...BEFORE_COMMITS, HEADS]);
  await confirmKept(store, eventLog);
}

/** No report, judgement or cut precedes the first recorded organisation. */
async function isLogInUse(eventLog: Pick<EventLog, 'bounds'>): Promise<boolean> {
  return (await eventLog.bounds(TOPICS.registry)).some(({ end }) => end > 0);
}

/** Collections that hold a document as soon as the log has a commit: a command writes both before it publishes. */
const BEFORE_COMMITS = [STREAMS_COLLECTION, { name: COLLECTIONS.reservations, indexes: [] }];
const HEADS = { name: COLLECTIONS.heads, indexes: [] };

/**
 * Without streams every API key would be refused, and commands be decided anew; without reservations nobody would belong to an
 * organisation; without heads each file would begin a second chain. Heads are stored before their checkpoint.
 * @param store in which these collections are ensured
 * @throws CollectionLostError
 */
export async function confirmKept(
  store: Pick<DocumentStore, 'find'>,
  eventLog: Pick<EventLog, 'bounds'>,
): Promise<void> {
  const isUsed = await isLogInUse(eventLog);
  for (const spec of isUsed ? BEFORE_COMMITS : [])
    if (await isEmpty(store, spec))
      throw new CollectionLostError(
        spec.name,
        'the log holds commits',
        'put it back under its name, or empty both stores and restore the newest backup',
      );
  await confirmHeads(store);
}

/** The same check of the heads alone, by a verifier that finds none. @throws CollectionLostError */
export async function confirmHeads(store: Pick<DocumentStore, 'find'>): Promise<void> {
  if ((await hasCheckpoint(store, GROUPS.verifier)) && (await isEmpty(store, HEADS)))
    throw new CollectionLostError(
      HEADS.name,
      'the verifier has judged reports',
      'put it back under its name, or have all reports judged again, to the same result (deploy/runbook.md, “Heads”)',
    );
}

async function isEmpty(store: Pick<DocumentStore, 'find'>, { name }: CollectionSpec): Promise<boolean> {
  return (await store.find(name, { limit: 1 })).length === 0;
}

async function hasPublished(store: DocumentStore): Promise<boolean> {
  await store.ensure([STREAMS_COLLECTION]);
  const found = await store.find(STREAMS_COLLECTION.name, { limit: 1 });
  return found.some((commit) => commit['unpublished'] === undefined);
}
