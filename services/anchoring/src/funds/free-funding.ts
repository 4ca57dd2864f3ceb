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
 * Yields lists of outputs to spend beside the seal of `last`, in the order in which an anchor is tried with them. The seal alone pays
 * unless its funds are low. Doubtful outputs come in when nothing else pays, and no more of them than needed: one that was spent
 * elsewhere makes the ledger refuse the anchor.
 * @param last the previous anchor
 * @param again the document of the batch when its transaction is signed again
 * @throws LedgerUnavailableError
 */
export async function* fundingChoices(
  deps: FundsDeps,
  last: TransactionDocument | undefined,
  again?: TransactionDocument,
): AsyncGenerator<readonly Funding[], void, undefined> {
  if (last === undefined) return yield* firstChoices(await freeOutputs(deps, last, again), again);
  const isLow = last.funds < last.fee * ANCHORING_LIMITS.lowFundsFees;
  if (!isLow) yield [];
  const { sure, doubtful } = await freeOutputs(deps, last, again);
  const most = ANCHORING_LIMITS.fundingInputs;
  yield sure.slice(0, most);
  if (isLow) yield [];
  for (let count = 1; count <= Math.min(most, doubtful.length); count++)
    yield [...sure.slice(0, most - count), ...doubtful.slice(0, count)];
}

/**
 * Yields lists of outputs for the first anchor, which spends only one. No seal binds it when it is signed again: it spends every
 * unspent output of those signed earlier, with more only if these do not pay the fee, so that at most one of them can be mined.
 */
function* firstChoices(
  { sure, doubtful }: FreeOutputs,
  again: TransactionDocument | undefined,
): Generator<readonly Funding[], void, undefined> {
  const spentBefore = new Set([again, ...(again?.replaced ?? [])].flatMap((one) => one?.inputs ?? []));
  const free = [...sure, ...doubtful];
  const isBound = (output: Funding) => spentBefore.has(outpointOf(output));
  const bound = free.filter(isBound);
  if (bound.length === 0) return yield free.slice(0, 1);
  yield bound;
  const others = free.filter((output) => !isBound(output)).slice(0, ANCHORING_LIMITS.fundingInputs);
  yield [...bound, ...others];
}

interface FreeOutputs {
  /** The largest first. */
  readonly sure: readonly Funding[];
  /** Outputs that refused transactions spend, because somebody else may have spent them: those of the fewest first. */
  readonly doubtful: readonly Funding[];
}

/**
 * Returns outputs to the anchoring key that no transaction of this system spends, unless it was refused.
 * @param last the previous anchor; its output 1 is left out
 * @param again a document whose inputs are free, because its transaction is signed again
 * @throws LedgerUnavailableError
 */
async function freeOutputs(
  { store, ledger, publicKeyHash }: FundsDeps,
  last: TransactionDocument | undefined,
  again?: TransactionDocument,
): Promise<FreeOutputs> {
  const kept = await provenOutputs(await importedOutputs(store, ledger.network, publicKeyHash), ledger);
  const found = new Map(
    [...kept, ...(await ledger.funding(publicKeyHash))].map((output) => [outpointOf(output), output]),
  );
  const reserved = reservedBy(await fundedTransactions(store), again?.batch);
  const own = last === undefined ? undefined : `${last.record.transaction!.txid}:${SEAL_OUTPUT}`;
  const free = [...found]
    .filter(([id]) => isFree(id, reserved) && id !== own)
    .map(([id, output]) => ({ output, doubts: reserved.doubts.get(id) ?? 0 }))
    .sort((a, b) => a.doubts - b.doubts || b.output.satoshis - a.output.satoshis);
  const outputs = (areDoubtful: boolean) =>
    free.filter(({ doubts }) => doubts > 0 === areDoubtful).map(({ output }) => output);
  return { sure: outputs(false), doubtful: outputs(true) };
}

export interface Signed {
  readonly batch: number;
  readonly anchor: SignedAnchor;
  /** The transaction whose output 1 is no further fund: the one before, or that of the anchor itself. */
  readonly last: TransactionDocument | undefined;
}

/**
 * Returns the days that the funds last after an anchor, including imported unspent outputs that are
 * not doubtful; undefined while unknown.
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
  const { sure } = await freeOutputs(deps, last);
  const free = sure.filter((output) => !inputs.includes(outpointOf(output)));
  const kept = await importedOutputs(store, ledger.network, publicKeyHash);
  const onTheWay = satoshisOnTheWay(await fundedTransactions(store), kept);
  return daysLeft(
    free.reduce((sum, { satoshis }) => sum + satoshis, funds + onTheWay),
    rate,
  );
}
