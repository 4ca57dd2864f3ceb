/** Rebuilds the tree of a batch from the records that its cut covers. */
import {
  decodeChainBody,
  equalBytes,
  fromHex,
  isParkingRecord,
  TOPICS,
  type Cut,
} from '@sentinel-node/contracts';
import {
  ApiError,
  compileChecker,
  UnreadableRecordError,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { Type, type Static } from 'typebox';
import { type ChainEntryView, type ChainPosition, type LinkView, VIEWS, viewsOf } from '../views/index.ts';
import { type BatchEntry, LeafCollector } from './leaf-collector.ts';
import { type YieldTurn, LeafTree } from './leaf-tree.ts';
import { PROOF_WORK } from './limits.ts';

export interface LeavesDeps {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly logId: Uint8Array;
  readonly yieldTurn: YieldTurn;
}

/** The fields of a record that a leaf needs; the projector validates the rest. */
const RecordSchema = Type.Object({
  fileId: Type.Union([Type.String(), Type.Null()]),
  entries: Type.Array(Type.Object({ id: Type.String(), number: Type.Number(), linkHash: Type.String() })),
});
const checker = compileChecker(RecordSchema);

type LeafRecord = Static<typeof RecordSchema> & ChainPosition;
/** Returns which entries of some records belong to the batch. */
type Selection = (records: readonly LeafRecord[]) => Promise<(id: string, at: ChainPosition) => boolean>;

/**
 * Returns the tree of the batch.
 * @throws ApiError UNAVAILABLE while the views are behind the batch
 * @throws Error when the records do not give the anchored root
 */
export async function treeOfBatch(deps: LeavesDeps, cut: Cut): Promise<LeafTree> {
  const tree =
    (await treeWith(deps, cut, everyEntry)) ?? (await treeWith(deps, cut, firstDeliveries(deps.store)));
  if (tree === undefined)
    throw new Error(`the leaves of batch ${cut.batch} are not those that were anchored`);
  return tree;
}

/** Returns undefined when the selected entries do not give the root of the batch. */
async function treeWith(deps: LeavesDeps, cut: Cut, selection: Selection): Promise<LeafTree | undefined> {
  const collector = new LeafCollector(deps.logId, cut.leafCount);
  for (const range of cut.ranges)
    for await (const records of recordsOf(deps.eventLog, range)) {
      const isNew = await selection(records);
      for (const record of records)
        for (const entry of record.entries)
          if (record.fileId !== null && isNew(entry.id, record))
            collector.take(record.fileId, entry satisfies BatchEntry);
      await deps.yieldTurn();
    }
  if (!collector.isWhole) return undefined;
  const tree = await LeafTree.of(await collector.sort(deps.yieldTurn), deps.yieldTurn);
  const root = tree.root();
  return root !== undefined && equalBytes(root, fromHex(cut.leafRoot)) ? tree : undefined;
}

/** Selects every entry. Correct unless a record was delivered again after the cut that holds it. */
const everyEntry: Selection = async () => () => true;

/**
 * Selects first deliveries: an entry belongs to the batch that covers its first delivery, and its view has that
 * position.
 */
function firstDeliveries(store: DocumentStore): Selection {
  return async (records) => {
    const ids = records.flatMap(({ entries }) => entries.map(({ id }) => id));
    const [links, others] = await Promise.all([
      viewsOf<LinkView>(store, VIEWS.links, ids),
      viewsOf<ChainEntryView>(store, VIEWS.chainEntries, ids),
    ]);
    return (id, { partition, offset }) => {
      const view = links.get(id) ?? others.get(id);
      if (view === undefined)
        throw new ApiError('UNAVAILABLE', { detail: 'The entries of the batch are still coming in.' });
      return view.partition === partition && view.offset === offset;
    };
  };
}

async function* recordsOf(
  eventLog: EventLog,
  { partition, from, to }: Cut['ranges'][number],
): AsyncIterable<readonly LeafRecord[]> {
  for await (const { records } of eventLog.read(TOPICS.chain, partition, from, to))
    for (let at = 0; at < records.length; at += PROOF_WORK.lookupEntries)
      yield records.slice(at, at + PROOF_WORK.lookupEntries).flatMap((record) => parsed(record));
}

/** Returns no record when the record has no entries. @throws UnreadableRecordError */
function parsed(record: ChainPosition & { readonly body: Uint8Array }): LeafRecord[] {
  const { partition, offset } = record;
  let value: unknown;
  try {
    value = decodeChainBody(record.body);
  } catch (cause) {
    throw new UnreadableRecordError(TOPICS.chain, record, { cause });
  }
  if (isParkingRecord(value)) return [];
  if (!checker.check(value)) throw new UnreadableRecordError(TOPICS.chain, record);
  return value.entries.length === 0 ? [] : [{ ...value, partition, offset }];
}
