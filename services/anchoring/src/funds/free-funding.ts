import { SEAL_OUTPUT } from '@sentinel-node/contracts';
import type { Clock, DocumentStore, Funding, Ledger } from '@sentinel-node/platform';
import type { TransactionDocument } from '../collections.ts';
import { daysLeft } from '../domain/days-left.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { outpointOf, type SignedAnchor } from '../transaction/sign-anchor.ts';
import { importedOutputs, provenOutputs } from './imported-outputs.ts';
import { fundedTransactions, isFree, reservedBy, satoshisOnTheWay } from './reserved-outputs.ts';
import { spendingRate } from './spending-rate.ts';

export interface FundsDeps {
  readonly store: DocumentStore;
  readonly ledger: Pick<Ledger, 'funding' | 'header' | 'height' | 'network'>;
  readonly clock: Clock;
  readonly publicKeyHash: string;
}

/**
 * Returns the outputs that an anchor spends: the first list with which it can be signed; the first anchor spends only one.
 * No seal binds the first anchor when it is signed again. It spends every unspent output of those signed earlier, with more
 * only if these do not pay the fee, so that at most one of them can be mined. Arguments as in `freeOutputs`.
 * @throws LedgerUnavailableError
 */
export async function freeFunding(
  ...[deps, last, again]: Parameters<typeof freeOutputs>
): Promise<readonly (readonly Funding[])[]> {
  const free = await freeOutputs(deps, last, again);
  if (last !== undefined) return [free.slice(0, ANCHORING_LIMITS.fundingInputs)];
  const spentBefore = new Set([again, ...(again?.replaced ?? [])].flatMap((one) => one?.inputs ?? []));
  const isBound = (output: Funding) => spentBefore.has(outpointOf(output));
  const bound = free.filter(isBound);
  if (bound.length === 0) return [free.slice(0, 1)];
  const others = free.filter((output) => !isBound(output)).slice(0, ANCHORING_LIMITS.fundingInputs);
  return [bound, [...bound, ...others]];
}

/**
 * Returns outputs to the anchoring key that no transaction of this system spends: the largest first, and last those of
 * a refused consolidation, because somebody else may have spent one.
 * @param last the previous anchor; its output 1 is left out
 * @param again a document whose inputs are free, because its transaction is signed again
 * @throws LedgerUnavailableError
 */
async function freeOutputs(
  { store, ledger, publicKeyHash }: FundsDeps,
  last: TransactionDocument | undefined,
  again?: TransactionDocument,
): Promise<Funding[]> {
  const kept = await provenOutputs(await importedOutputs(store, ledger.network, publicKeyHash), ledger);
  const found = new Map(
    [...kept, ...(await ledger.funding(publicKeyHash))].map((output) => [outpointOf(output), output]),
  );
  const reserved = reservedBy(await fundedTransactions(store), again?.batch);
  const own = last === undefined ? undefined : `${last.record.transaction!.txid}:${SEAL_OUTPUT}`;
  const doubtful = (id: string) => Number(reserved.byConsolidation.has(id));
  return [...found]
    .filter(([id]) => isFree(id, reserved) && id !== own)
    .sort(([a, one], [b, other]) => doubtful(a) - doubtful(b) || other.satoshis - one.satoshis)
    .map(([, output]) => output);
}

interface Signed {
  readonly batch: number;
  readonly anchor: SignedAnchor;
  readonly last: TransactionDocument | undefined;
}

/**
 * Returns the days that the funds last after an anchor, including imported unspent outputs; undefined while unknown.
 * @throws LedgerUnavailableError
 */
export async function daysOfFunds(
  deps: FundsDeps,
  { batch, anchor: { funds, fee, inputs }, last }: Signed,
): Promise<number | undefined> {
  const { store, ledger, clock, publicKeyHash } = deps;
  const rate = await spendingRate(store, { batch, fee }, clock.now());
  const days = daysLeft(funds, rate);
  if (days === undefined || days >= ANCHORING_LIMITS.lowFundsDays) return days;
  const free = (await freeOutputs(deps, last)).filter((output) => !inputs.includes(outpointOf(output)));
  const kept = await importedOutputs(store, ledger.network, publicKeyHash);
  const onTheWay = satoshisOnTheWay(await fundedTransactions(store), kept);
  return daysLeft(
    free.reduce((sum, { satoshis }) => sum + satoshis, funds + onTheWay),
    rate,
  );
}
