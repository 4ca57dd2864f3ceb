import { SEAL_OUTPUT } from '@sentinel-node/contracts';
import type { Clock, DocumentStore, Funding, Ledger } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from '../collections.ts';
import { daysLeft } from '../domain/days-left.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { outpointOf, type SignedAnchor } from '../transaction/sign-anchor.ts';

const { transactions } = OWN_COLLECTIONS;

export interface FundsDeps {
  readonly store: DocumentStore;
  readonly ledger: Pick<Ledger, 'funding'>;
  readonly clock: Clock;
  readonly publicKeyHash: string;
}

/** Transactions that took in further outputs than the seal, the newest first. */
export async function fundedTransactions(store: DocumentStore): Promise<readonly TransactionDocument[]> {
  const found = await store.find(transactions.name, {
    where: { funded: 1 },
    sort: { field: 'id', direction: 'desc' },
    limit: ANCHORING_LIMITS.fundedTransactions,
  });
  return found;
}

/**
 * Outputs to our key that no transaction of ours spends yet; the largest first.
 * @param last the anchor before, whose output 1 is no further one
 * @param again a document whose inputs are free, because its transaction is signed anew
 * @throws LedgerUnavailableError
 */
export async function freeFunding(
  { store, ledger, publicKeyHash }: FundsDeps,
  last: TransactionDocument | undefined,
  again?: TransactionDocument,
): Promise<Funding[]> {
  const found = await ledger.funding(publicKeyHash);
  const others = (await fundedTransactions(store)).filter(({ id }) => id !== again?.id);
  const reserved = new Set(others.flatMap(({ inputs }) => inputs));
  const own = last === undefined ? undefined : `${last.record.transaction!.txid}:${SEAL_OUTPUT}`;
  return found
    .filter((output) => !reserved.has(outpointOf(output)) && outpointOf(output) !== own)
    .sort((a, b) => b.satoshis - a.satoshis)
    .slice(0, last === undefined ? 1 : ANCHORING_LIMITS.fundingInputs);
}

interface Signed {
  readonly batch: number;
  readonly anchor: SignedAnchor;
  readonly last: TransactionDocument | undefined;
}

/**
 * Days that the funds last after an anchor, with what was brought and is not taken in yet; undefined: nobody can say.
 * @throws LedgerUnavailableError
 */
export async function fundsLast(
  deps: FundsDeps,
  { batch, anchor: { funds, fee, inputs }, last }: Signed,
): Promise<number | undefined> {
  const anchors = Math.min(batch, ANCHORING_LIMITS.rateAnchors);
  const first = await deps.store.get(transactions.name, batchId(batch - anchors));
  const since = first?.at;
  const rate = { fee, anchors, periodMs: since === undefined ? 0 : deps.clock.now() - since };
  const days = daysLeft(funds, rate);
  if (days === undefined || days >= ANCHORING_LIMITS.lowFundsDays) return days;
  const free = (await freeFunding(deps, last)).filter((output) => !inputs.includes(outpointOf(output)));
  return daysLeft(
    free.reduce((sum, { satoshis }) => sum + satoshis, funds),
    rate,
  );
}
