import type { Clock, DocumentStore, Ledger } from '@sentinel-node/platform';
import { proveBlock } from '@sentinel-node/platform/ledger';
import { readPayments, type Payment } from '../ledger/read-payment.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import type { FundsDocument } from '../collections.ts';
import { keepOutputs, type Kept } from './imported-outputs.ts';

export interface ImportDeps {
  readonly store: DocumentStore;
  readonly ledger: Pick<Ledger, 'header' | 'network' | 'status'>;
  readonly clock: Clock;
  readonly publicKeyHash: string;
}

export interface Imported extends Kept {
  readonly outputs: readonly FundsDocument[];
}

/**
 * Stores the outputs to the anchoring key that are in a block of the best chain. The path comes with the payment or,
 * for a raw transaction, from the ledger's service.
 * @returns an error text when nothing is stored
 * @throws LedgerUnavailableError
 */
export async function importPayment(deps: ImportDeps, bytes: Uint8Array): Promise<Imported | string> {
  const payments = readPayments(bytes, deps.publicKeyHash);
  if (payments === undefined) return 'this is neither BEEF nor one whole transaction';
  if (payments.length === 0)
    return 'it holds no output to the anchoring key (sentinel funds shows its address); the seal of an anchor is none';
  const outputs: FundsDocument[] = [];
  for (const payment of payments) {
    const merklePath = await provenPath(deps, payment);
    if (typeof merklePath !== 'string') return `transaction ${payment.txid}: ${merklePath.why}`;
    outputs.push(...documentsOf(deps, payment, merklePath));
  }
  const kept = await keepOutputs(deps.store, outputs);
  if (kept === undefined) return `more than ${ANCHORING_LIMITS.importedOutputs} outputs cannot be kept`;
  return { outputs, ...kept };
}

async function provenPath(
  { ledger }: ImportDeps,
  { txid, merklePath, isCoinbase }: Payment,
): Promise<string | { readonly why: string }> {
  if (isCoinbase)
    return {
      why: 'it is the reward of a block (a coinbase), which cannot be spent at once; pay from it to the address that sentinel funds shows, and give that payment',
    };
  const path = merklePath ?? (await ledger.status(txid))?.merklePath;
  const proof = await proveBlock(txid, path, ledger);
  switch (proof.kind) {
    case 'proven':
      return proof.merklePath;
    case 'contradicted':
      return { why: proof.why };
    case 'missing':
      return {
        why: path
          ? 'the block headers do not reach its block yet'
          : 'nothing shows its block; give it as BEEF with its Merkle path, once it is mined',
      };
  }
}

function documentsOf(
  { ledger, clock, publicKeyHash }: ImportDeps,
  { txid, rawTx, outputs }: Payment,
  merklePath: string,
): FundsDocument[] {
  const { network } = ledger;
  const common = { network, publicKeyHash, txid, rawTx, merklePath, importedAt: clock.now() };
  return outputs.map(({ index, satoshis }) => ({
    id: `${txid}:${index}`,
    ...common,
    outputIndex: index,
    satoshis,
  }));
}
