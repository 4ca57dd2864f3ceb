/** The batches of `log.json` in truly signed transactions that spend one another, and a proof of the last batch. */
import { Hash, PrivateKey } from '@bsv/sdk/primitives';
import { LockingScript, P2PKH } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import { coinbaseBytes, doubleSha, shown, transactionBytes } from './ledger-bytes.ts';
import { proofVectors, type LogInputs } from './proof-vectors.ts';

/** Key (secp256k1) for these vectors only. */
export const KEY = PrivateKey.fromHex('5e'.repeat(32));
const LOCK = new P2PKH().lock(Hash.hash160(KEY.toPublicKey().encode(true)));
const FEE = 50;

/** Returns a transaction that pays these satoshis to the key. */
const paying = (label: number, satoshis: number): Transaction => {
  const spent = { hash: doubleSha(coinbaseBytes(label)), index: 0 };
  const output = { satoshis, script: Buffer.from(LOCK.toHex(), 'hex') };
  return Transaction.fromHex(transactionBytes(spent, Buffer.of(0x51), [output]).toString('hex'));
};

interface SpentOutput {
  readonly tx: Transaction;
  readonly index: number;
}

/** Returns an anchor signed by the key. Output 1 receives the inputs' satoshis less the fee. */
export async function signedAnchor(
  anchorScript: string,
  spends: readonly SpentOutput[],
): Promise<Transaction> {
  const tx = new Transaction();
  for (const { tx: sourceTransaction, index } of spends)
    tx.addInput({
      sourceTransaction,
      sourceOutputIndex: index,
      unlockingScriptTemplate: new P2PKH().unlock(KEY),
      sequence: 0xffffffff,
    });
  const held = spends.reduce((sum, { tx, index }) => sum + tx.outputs[index]!.satoshis!, 0);
  tx.addOutput({ lockingScript: LockingScript.fromHex(anchorScript), satoshis: 0 });
  tx.addOutput({ lockingScript: LOCK, satoshis: held - FEE });
  await tx.sign();
  return tx;
}

/** Returns the vectors, in which batch 2 adds further funds. */
export async function sealVectors(log: LogInputs) {
  const sent: Transaction[] = [];
  const lines: string[] = [
    JSON.stringify({ format: 'sentinel/seals/v1', logId: log.logId, network: 'test' }),
  ];
  for (const [batch, { anchorScript, headerBytes }] of log.batches.entries()) {
    const seal = batch === 0 ? [] : [{ tx: sent[batch - 1]!, index: 1 }];
    const funds = batch % 2 === 0 ? [{ tx: paying(batch, 10_000), index: 0 }] : [];
    const tx = await signedAnchor(anchorScript, [...seal, ...funds]);
    sent.push(tx);
    const spends = funds.map(({ tx }) => ({ satoshis: tx.outputs[0]!.satoshis!, script: LOCK.toHex() }));
    lines.push(JSON.stringify({ batch, header: headerBytes, raw: tx.toHex(), spends }));
  }
  const raw = sent.map((tx) => Buffer.from(tx.toHex(), 'hex'));
  const { trust, checkpoint, headers, proofs } = proofVectors(log, raw);
  const { proof } = proofs.find(({ name }) => name === 'whole')!;
  return {
    trust: { ...trust, genesisTxid: shown(doubleSha(raw[0]!)) },
    checkpoint,
    headers,
    proof,
    lines,
    notes: log.batches.map(({ note }) => note),
  };
}
