import type { BlockHeaders, DocumentStore, Funding } from '@sentinel-node/platform';
import { proveBlock } from '@sentinel-node/platform/ledger';
import { OWN_COLLECTIONS, type FundsDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { funds } = OWN_COLLECTIONS;

interface Chain {
  readonly network: string;
  readonly headers: Pick<BlockHeaders, 'header'>;
}

/** Outputs of one key on one network, spent ones too, in the order of their ids. */
export async function importedOutputs(
  store: Pick<DocumentStore, 'find'>,
  network: string,
  publicKeyHash: string,
): Promise<readonly FundsDocument[]> {
  const found = await store.find(funds.name, {
    sort: { field: 'id', direction: 'asc' },
    limit: ANCHORING_LIMITS.importedOutputs,
  });
  return found.filter((output) => output.network === network && output.publicKeyHash === publicKeyHash);
}

/**
 * Those in a block of the best chain now: one that a reorganisation took away comes back with its block.
 * @throws LedgerUnavailableError of the headers
 */
export async function confirmedFunding(
  store: DocumentStore,
  { network, headers }: Chain,
  publicKeyHash: string,
): Promise<readonly Funding[]> {
  const confirmed: Funding[] = [];
  for (const { txid, merklePath, ...output } of await importedOutputs(store, network, publicKeyHash)) {
    const proof = await proveBlock(txid, merklePath, headers);
    const { rawTx, outputIndex, satoshis } = output;
    if (proof.kind === 'proven') confirmed.push({ rawTx, outputIndex, satoshis });
  }
  return confirmed;
}

/** Keeps outputs; those that are there already stay as they are. @returns ids of the new ones; undefined: no room */
export async function keepOutputs(
  store: DocumentStore,
  outputs: readonly FundsDocument[],
): Promise<readonly string[] | undefined> {
  const kept = await store.find(funds.name, { limit: ANCHORING_LIMITS.importedOutputs });
  const ids = new Set(kept.map(({ id }) => id));
  const fresh = outputs.filter(({ id }) => !ids.has(id));
  if (kept.length + fresh.length > ANCHORING_LIMITS.importedOutputs) return undefined;
  return store.insertMissing(funds.name, fresh);
}
