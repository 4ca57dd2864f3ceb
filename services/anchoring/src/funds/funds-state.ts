import {
  fromHex,
  parseTransaction,
  SEAL_OUTPUT,
  shownHash,
  toHex,
  type LedgerTransaction,
} from '@sentinel-node/contracts';
import type { BlockHeaders, DocumentStore } from '@sentinel-node/platform';
import type { Consolidation, FundsDocument, TransactionDocument } from '../collections.ts';
import { daysLeft } from '../domain/days-left.ts';
import { isRefused } from '../domain/transaction-state.ts';
import { newestTransaction } from '../newest-transaction.ts';
import { keyScriptOf } from '../transaction/sign-anchor.ts';
import { contradictedOutputs, importedOutputs } from './imported-outputs.ts';
import { fundedTransactions, reservedBy, satoshisOnTheWay } from './reserved-outputs.ts';
import { spendingRate } from './spending-rate.ts';

export interface FundsState {
  /** Funds and fee of the newest anchor, in satoshis; null without an anchor. A refused one leaves no funds. */
  readonly newest: {
    readonly batch: number;
    readonly funds: number;
    readonly fee: number;
    readonly isRefused: boolean;
  } | null;
  /**
   * Imported or joined outputs; `spentBy`: the batch whose anchor spends the output; `consolidation`: the
   * consolidation that joins it with others; `isDoubtful`: a refused anchor or consolidation spends it. A doubtful
   * output does not count: somebody else may have spent it.
   */
  readonly imported: readonly {
    readonly id: string;
    readonly satoshis: number;
    readonly spentBy: number | null;
    readonly consolidation: Pick<Consolidation, 'txid' | 'state'> | null;
    readonly isDoubtful: boolean;
    /** Whether the known headers contradict the path to its block, as after a reorganisation; then it does not count. */
    readonly isOffChain: boolean;
  }[];
  /** Whether the paths of imported outputs were compared with block headers. */
  readonly isCompared: boolean;
  /** Unspent satoshis, including those of a consolidation on its way; null while the newest anchor is refused. */
  readonly satoshis: number | null;
  /** Days at the current rate; null without a rate, and while the newest anchor is refused. */
  readonly days: number | null;
}

interface Funded {
  readonly network: string;
  readonly publicKeyHash: string;
  /** When absent, the paths of imported outputs are not compared. */
  readonly headers?: Pick<BlockHeaders, 'header'>;
}

/**
 * Returns the funds for anchors, from stored data. @param now milliseconds since 1970
 * @throws LedgerUnavailableError of the headers
 */
export async function fundsState(
  store: DocumentStore,
  { network, publicKeyHash, headers }: Funded,
  now: number,
): Promise<FundsState> {
  const newest = await newestTransaction(store);
  const funded = await fundedTransactions(store);
  const reserved = reservedBy(funded);
  const kept = (await importedOutputs(store, network, publicKeyHash)).filter(isPaid);
  const offChain = await contradictedOutputs(kept, headers);
  const imported = kept.map(({ id, satoshis }) => ({
    ...{ id, satoshis },
    spentBy: reserved.byAnchor.get(id) ?? null,
    consolidation: namedBy(reserved.byConsolidation.get(id)),
    isDoubtful: reserved.doubts.has(id),
    isOffChain: offChain.has(id),
  }));
  const free = imported.filter(isCounted);
  const funds = newest === undefined ? 0 : fundsOf(newest);
  const satoshis = [funds, satoshisOnTheWay(funded, kept), ...free.map((output) => output.satoshis)];
  const isNewestRefused = newest !== undefined && isRefused(newest);
  // What a refused anchor spends may be spent elsewhere, and another one may be signed in its place.
  const sum = isNewestRefused ? null : satoshis.reduce((total, value) => total + value, 0);
  const isRated = newest !== undefined && sum !== null;
  return {
    newest:
      newest === undefined
        ? null
        : { batch: newest.batch, funds, fee: newest.fee, isRefused: isNewestRefused },
    imported,
    isCompared: headers !== undefined,
    satoshis: sum,
    days: (isRated ? daysLeft(sum, await spendingRate(store, newest, now)) : undefined) ?? null,
  };
}

/** Returns whether the output is unspent for all that is known here. */
export const isCounted = (output: FundsState['imported'][number]): boolean =>
  output.spentBy === null && output.consolidation === null && !output.isDoubtful && !output.isOffChain;

/** Returns what the signed transaction leaves, whatever is recorded beside it. */
const fundsOf = ({ rawTx }: TransactionDocument): number =>
  transactionOf(rawTx)?.outputs[SEAL_OUTPUT]?.satoshis ?? 0;

/** Returns whether the stored transaction pays these satoshis to the key: what is only recorded is no fund. */
function isPaid({ id, outputIndex, publicKeyHash, rawTx, satoshis, txid }: FundsDocument): boolean {
  const transaction = transactionOf(rawTx);
  const output = transaction?.outputs[outputIndex];
  return (
    output !== undefined &&
    id === `${txid}:${outputIndex}` &&
    shownHash(transaction!.hash) === txid &&
    output.satoshis === satoshis &&
    toHex(output.script) === keyScriptOf(publicKeyHash)
  );
}

/** Returns undefined when what is stored is no transaction. */
function transactionOf(rawTx: string): LedgerTransaction | undefined {
  try {
    return parseTransaction(fromHex(rawTx));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function namedBy(made: Consolidation | undefined): FundsState['imported'][number]['consolidation'] {
  return made === undefined ? null : { txid: made.txid, state: made.state };
}
