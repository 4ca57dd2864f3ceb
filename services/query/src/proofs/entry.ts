/** An entry with every field that its link hash covers, from the entry's record. */
import { TOPICS, toHex, ZERO_HASH, type ChainRecord, type Entry } from '@sentinel-node/contracts';
import { ApiError, UnreadableRecordError, type DocumentStore, type EventLog } from '@sentinel-node/platform';
import {
  type ChainEntryView,
  type ChainPosition,
  type LinkView,
  readChainRecord,
  VIEWS,
} from '../views/index.ts';

export interface FoundEntry {
  readonly entry: Entry;
  /** Link hash of the previous entry; zeros at number 0. */
  readonly previous: string;
  readonly position: ChainPosition;
  readonly orgId: string;
}

export type EntryView = LinkView | ChainEntryView;

/**
 * Finds a link, or an entry that chains do not show. @throws ApiError NOT_FOUND unless the entry belongs to this file
 */
export async function findEntry(
  { store, eventLog }: { readonly store: DocumentStore; readonly eventLog: EventLog },
  fileId: string,
  id: string,
): Promise<FoundEntry> {
  const view: EntryView | undefined =
    (await store.get(VIEWS.links, id)) ?? (await store.get(VIEWS.chainEntries, id));
  if (view?.fileId !== fileId) throw new ApiError('NOT_FOUND');
  const { partition, offset } = view;
  const position = { partition, offset };
  const record = await recordAt(eventLog, position);
  const entry = record.entries.find((one) => one.id === id);
  if (entry === undefined || record.fileId !== fileId)
    throw new UnreadableRecordError(TOPICS.chain, position);
  return { entry, previous: await previousOf(store, record, entry), position, orgId: record.orgId };
}

async function recordAt(eventLog: EventLog, position: ChainPosition): Promise<ChainRecord> {
  const { partition, offset } = position;
  for await (const { records } of eventLog.read(TOPICS.chain, partition, offset, offset + 1)) {
    const record = readChainRecord(records[0]!);
    if (record !== undefined) return record;
  }
  throw new UnreadableRecordError(TOPICS.chain, position);
}

async function previousOf(
  store: DocumentStore,
  { fileId, entries }: ChainRecord,
  entry: Entry,
): Promise<string> {
  if (entry.number === 0) return toHex(ZERO_HASH);
  const number = entry.number - 1;
  const beside = entries.find((one) => one.number === number);
  if (beside !== undefined) return beside.linkHash;
  for (const name of [VIEWS.links, VIEWS.chainEntries]) {
    const [before] = await store.find(name, {
      where: { fileId, number },
      limit: 1,
    });
    if (before !== undefined) return before.linkHash;
  }
  throw new Error(`entry ${number} of file ${fileId ?? ''} is in no view`);
}
