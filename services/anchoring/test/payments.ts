/** Payments by a stranger on the development ledger. */
import { Hash, P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import type { Funding } from '@sentinel-node/platform';
import { importPayment } from '../src/index.ts';
import { publicKeyHashOf } from '../src/transaction/sign-anchor.ts';
import { ANCHORING_KEY, type World } from './support.ts';

/** Number of payers so far: each payment has its own coinbase, so that none spends another's. */
let payers = 0;

/** Pays outputs to the anchoring key, waits for their block, and imports them on the network `test`. */
export async function payIn({ ledger, store, clock }: World, satoshis: readonly number[]): Promise<void> {
  const payer = PrivateKey.fromHex((0x4400_0000 + ++payers).toString(16).padStart(64, '0'));
  const to = new P2PKH().lock([...Buffer.from(publicKeyHashOf(ANCHORING_KEY), 'hex')]);
  const [coinbase] = await ledger.funding(payer.toPublicKey().toHash('hex') as string);
  const tx = new Transaction();
  tx.addInput({
    sourceTransaction: Transaction.fromHex(coinbase!.rawTx),
    sourceOutputIndex: coinbase!.outputIndex,
    unlockingScriptTemplate: new P2PKH().unlock(payer),
  });
  for (const amount of satoshis) tx.addOutput({ lockingScript: to, satoshis: amount });
  tx.addOutput({
    lockingScript: new P2PKH().lock(Hash.hash160(payer.toPublicKey().encode(true))),
    satoshis: 1_000_000,
  });
  await tx.sign();
  await ledger.submit(tx.toHexEF());
  await ledger.mine();
  const publicKeyHash = publicKeyHashOf(ANCHORING_KEY);
  const onTest = {
    network: 'test',
    header: (height: number) => ledger.header(height),
    status: (txid: string) => ledger.status(txid),
  };
  const imported = await importPayment(
    { store, clock, publicKeyHash, ledger: onTest },
    Uint8Array.from(tx.toBinary()),
  );
  if (typeof imported === 'string') throw new Error(imported);
}

/** Returns a real output of this many satoshis to the anchoring key, paid by another key. */
export async function payment(world: World, satoshis: number): Promise<Funding> {
  const payer = PrivateKey.fromHex((0x5500_0000 + ++payers).toString(16).padStart(64, '0'));
  const [coinbase] = await world.ledger.funding(payer.toPublicKey().toHash('hex') as string);
  const tx = new Transaction();
  tx.addInput({
    sourceTransaction: Transaction.fromHex(coinbase!.rawTx),
    sourceOutputIndex: coinbase!.outputIndex,
    unlockingScriptTemplate: new P2PKH().unlock(payer),
  });
  const hash = [...Buffer.from(publicKeyHashOf(ANCHORING_KEY), 'hex')];
  tx.addOutput({ lockingScript: new P2PKH().lock(hash), satoshis });
  await tx.sign();
  await world.ledger.submit(tx.toHexEF());
  return { rawTx: tx.toHex(), outputIndex: 0, satoshis };
}
