import type { BlockHeaders, DocumentStore, Funding } from '@sentinel-node/platform';
import { proveBlock } from '@sentinel-node/platform/ledger';
import { OWN_COLLECTIONS, type FundsDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { funds } = OWN_COLLECTIONS;

interface Chain {
  readonly network: string;
  readonly headers: Pick<BlockHeaders, 'header'>;
}

/** Returns the outputs of one key on one network, including spent ones, in the order of their ids. */
export async function importedOutputs(
  store: Pick<DocumentStore, 'find'>,
  network: string,
  publicKeyHash: string,
): Promise<readonly FundsDocument[]> {
  const found = await store.find(funds.name, {
    sort: { field: 'id', direction: 'asc' },
    limit: ANCHORING_LIMITS.keptOutputs,
  });
  return found.filter((output) => output.network === network && output.publicKeyHash === publicKeyHash);
}

/**
 * Returns all outputs of a key that are in a block of the best chain now.
 * @throws LedgerUnavailableError of the headers
 */
export async function confirmedFunding(
  store: DocumentStore,
  { network, headers }: Chain,
  publicKeyHash: string,
): Promise<readonly Funding[]> {
  return provenOutputs(await importedOutputs(store, network, publicKeyHash), headers);
}

/**
 * Returns the outputs in a block of the best chain now: an output that a reorganisation removed comes back with its
 * block.
 * @throws LedgerUnavailableError of the headers
 */
export async function provenOutputs(
  outputs: readonly FundsDocument[],
  headers: Chain['headers'],
): Promise<readonly FundsDocument[]> {
  const proven: FundsDocument[] = [];
  for (const output of outputs)
    if ((await proveBlock(output.txid, output.merklePath, headers)).kind === 'proven') proven.push(output);
  return proven;
}

/** Returns ids of the outputs whose path the headers contradict. @throws LedgerUnavailableError of the headers */
export async function contradictedOutputs(
  outputs: readonly FundsDocument[],
  headers: Chain['headers'] | undefined,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (headers === undefined) return found;
  for (const { id, merklePath, txid } of outputs)
    if ((await proveBlock(txid, merklePath, headers)).kind === 'contradicted') found.add(id);
  return found;
}

/** Ids of imported outputs. */
export interface Kept {
  readonly fresh: readonly string[];
  /** Outputs that were there with another path, as before a reorganisation. */
  readonly moved: readonly string[];
}

/**
 * Stores outputs; of those that are there only the path is replaced. @param outputs each with a path that holds now
 * @returns undefined when there is no room
 */
export async function keepOutputs(
  store: DocumentStore,
  outputs: readonly FundsDocument[],
): Promise<Kept | undefined> {
  const kept = await store.find(funds.name, { limit: ANCHORING_LIMITS.keptOutputs });
  const before = new Map(kept.map((output) => [output.id, output]));
  const fresh = outputs.filter(({ id }) => !before.has(id));
  const brought = kept.filter(({ joined }) => joined === undefined).length;
  if (brought + fresh.length > ANCHORING_LIMITS.importedOutputs) return undefined;
  const moved: string[] = [];
  for (const { id, merklePath } of outputs) {
    const there = before.get(id);
    if (there === undefined || there.merklePath === merklePath) continue;
    await storeWithPath(store, { ...there, merklePath });
    moved.push(id);
  }
  return { fresh: await store.insertMissing(funds.name, fresh), moved };
}

/** Stores the output with its newest path, because a reorganisation moves it to another block. Idempotent. */
export async function storeWithPath(store: DocumentStore, output: FundsDocument): Promise<void> {
  const kept = await store.get(funds.name, output.id);
  if (kept !== undefined && kept['merklePath'] !== output.merklePath)
    await store.remove(funds.name, [output.id]);
  await store.insertMissing(funds.name, [output]);
}
