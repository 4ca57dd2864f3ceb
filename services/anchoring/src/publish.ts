import {
  AnchorRecordSchema,
  TOPICS,
  utf8,
  type AnchorEvidence,
  type AnchorRecord,
  type Cut,
} from '@sentinel-node/contracts';
import {
  compileChecker,
  Outbox,
  schemaFault,
  type DocumentStore,
  type EventLog,
  type Log,
} from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';

const checker = compileChecker(AnchorRecordSchema);

interface PublishDeps {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
}

/** Stores the newest record of a batch. Idempotent. */
export async function writeAnchor(store: DocumentStore, record: AnchorRecord): Promise<void> {
  await store.bulkUpsert(OWN_COLLECTIONS.anchors.name, [{ id: batchId(record.batch), ...record }]);
}

/**
 * Writes the view first, so that readers who learn of the record can read it. Repeated after a crash with the same id
 * and `rev`.
 * @param id id of the record; another id when the record has more than the published one of this `rev`
 */
export async function publishAnchor(
  { store, eventLog }: PublishDeps,
  record: AnchorRecord,
  id = `${record.batch}/${record.rev}`,
): Promise<void> {
  await writeAnchor(store, record);
  await eventLog.append(TOPICS.anchors, [
    { key: String(record.batch), id, body: utf8(JSON.stringify(record)) },
  ]);
}

/** Returns the state of a batch without a transaction. */
export function recordOfCut(cut: Cut, evidence: AnchorEvidence | undefined): AnchorRecord {
  const record = { v: 1, batch: cut.batch, rev: 1, at: cut.closedAt, cut, transaction: null } as const;
  return evidence === undefined ? record : { ...record, evidence };
}

/**
 * Returns the outbox of the batches' transactions. It publishes the stored cut, not the copy of the cut in the
 * transaction's document: a changed copy changes nothing that is published.
 * @param delayed message for the log when nothing can be published now
 */
export function transactionOutbox(
  deps: PublishDeps & { readonly log: Pick<Log, 'warn'> },
  delayed: string,
): Outbox<TransactionDocument> {
  const { log, store } = deps;
  return new Outbox({
    store,
    collection: OWN_COLLECTIONS.transactions.name,
    faultOf: ({ record }) => schemaFault(checker, record),
    publish: async ({ id, record }) => {
      const stored = await store.get(OWN_COLLECTIONS.cuts.name, id);
      await publishAnchor(deps, stored === undefined ? record : { ...record, cut: stored.cut });
    },
    onDelayed: ({ batch }, { code }) => log.warn({ batch, code }, delayed),
  });
}
