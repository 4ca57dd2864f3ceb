/** Waits for anchoring: a moved clock runs through days in seconds, in which batches cannot reach blocks. */
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { decodeChainBody, TOPICS } from '@sentinel-node/contracts';
import { newestOf } from '@sentinel-node/platform';

const { cuts, transactions } = OWN_COLLECTIONS;
/** Transactions that are not deep enough in the ledger: anchoring follows as many. */
const OPEN_TRANSACTIONS = 1_000;

/** Returns whether entries accepted before `at` are in no batch, or batches closed before it in no block. */
export async function isAnchoringBehind({ eventLog, store }, at) {
  const cut = await newestOf(store, cuts.name);
  if (await hasEntryBefore(eventLog, cut?.next ?? [], at)) return true;
  const last = await newestOf(store, transactions.name);
  if (cut !== undefined && cut.id !== last?.id && cut.cut.closedAt < at) return true;
  const open = await store.find(transactions.name, { where: { open: 1 }, limit: OPEN_TRANSACTIONS });
  return open.some(
    ({ record: { cut: its, transaction } }) => its.closedAt < at && transaction.status !== 'MINED',
  );
}

/** Looks at the records after those that are in batches. */
async function hasEntryBefore(eventLog, next, at) {
  const places = new Map(next.map(({ partition, offset }) => [partition, offset]));
  for (const { partition, end } of await eventLog.bounds(TOPICS.chain)) {
    const from = places.get(partition) ?? 0;
    if (from >= end) continue;
    for await (const { records } of eventLog.read(TOPICS.chain, partition, from, end))
      for (const { body } of records)
        if (decodeChainBody(body).entries?.some(({ acceptedAt }) => acceptedAt < at)) return true;
  }
  return false;
}
