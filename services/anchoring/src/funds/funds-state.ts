import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from '../collections.ts';
import { daysLeft } from '../domain/days-left.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { fundedTransactions } from './free-funding.ts';
import { importedOutputs } from './imported-outputs.ts';

const { transactions } = OWN_COLLECTIONS;

export interface FundsState {
  /** Funds and fee of the newest anchor, in satoshis; null: there is none. */
  readonly newest: { readonly batch: number; readonly funds: number; readonly fee: number } | null;
  /** Outputs that were brought; `spentBy`: the batch that took it in. */
  readonly imported: readonly {
    readonly id: string;
    readonly satoshis: number;
    readonly spentBy: number | null;
  }[];
  /** Satoshis that are not spent yet. */
  readonly satoshis: number;
  /** At the present rate; null: there is no rate yet. */
  readonly days: number | null;
}

/** What there is to pay anchors with, by what is stored. @param now milliseconds since 1970 */
export async function fundsState(
  store: DocumentStore,
  { network, publicKeyHash }: { readonly network: string; readonly publicKeyHash: string },
  now: number,
): Promise<FundsState> {
  const recent = await store.find(transactions.name, {
    sort: { field: 'id', direction: 'desc' },
    limit: ANCHORING_LIMITS.rateAnchors + 1,
  });
  const funded = await fundedTransactions(store);
  const spentBy = new Map(funded.flatMap(({ inputs, batch }) => inputs.map((id) => [id, batch] as const)));
  const imported = (await importedOutputs(store, network, publicKeyHash)).map(({ id, satoshis }) => ({
    ...{ id, satoshis },
    spentBy: spentBy.get(id) ?? null,
  }));
  const [newest] = recent;
  const free = imported.filter((output) => output.spentBy === null);
  const satoshis = free.reduce((sum, output) => sum + output.satoshis, newest?.funds ?? 0);
  const first = recent.at(-1);
  const rate = { fee: newest?.fee ?? 0, anchors: recent.length - 1, periodMs: first ? now - first.at : 0 };
  return {
    newest: newest === undefined ? null : { batch: newest.batch, funds: newest.funds, fee: newest.fee },
    imported,
    satoshis,
    days: daysLeft(satoshis, rate) ?? null,
  };
}
