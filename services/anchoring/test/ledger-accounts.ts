/** Reads the balances of the development ledger from its transactions alone. */
import { DEV_LEDGER_COLLECTIONS, type DocumentStore } from '@sentinel-node/platform';
import { readRaw } from './raw-transaction.ts';

const { transactions } = DEV_LEDGER_COLLECTIONS;

export interface Accounts {
  /** Outpoints that more than one transaction spends. */
  readonly doubleSpent: readonly string[];
  /** Satoshis of unspent outputs to the key, by outpoint. */
  readonly unspent: ReadonlyMap<string, number>;
  /** Satoshis paid to the key by transactions that spend no output of the key. */
  readonly paidIn: number;
  /** Satoshis that transactions spending outputs of the key did not pay back to it. */
  readonly paidOut: number;
}

export async function accountsOf(store: DocumentStore, publicKeyHash: string): Promise<Accounts> {
  const script = `76a914${publicKeyHash}88ac`;
  const found = await store.find(transactions.name, { limit: 10_000 });
  const all = found.map(({ rawTx }) => readRaw(rawTx as string));
  const owned = new Map<string, number>();
  for (const { txid, outputs } of all)
    for (const [index, output] of outputs.entries())
      if (output.script.toString('hex') === script) owned.set(`${txid}:${index}`, Number(output.satoshis));
  const spenders = new Map<string, number>();
  let [paidIn, paidOut] = [0, 0];
  for (const { txid, inputs, outputs } of all) {
    const outpoints = inputs.map(({ txid, index }) => `${txid}:${index}`);
    for (const outpoint of outpoints) spenders.set(outpoint, (spenders.get(outpoint) ?? 0) + 1);
    const spent = sum(outpoints.map((outpoint) => owned.get(outpoint) ?? 0));
    const received = sum(outputs.map((_, index) => owned.get(`${txid}:${index}`) ?? 0));
    if (spent === 0) paidIn += received;
    else paidOut += spent - received;
  }
  spenders.delete(`${'00'.repeat(32)}:4294967295`);
  return {
    doubleSpent: [...spenders].filter(([, count]) => count > 1).map(([outpoint]) => outpoint),
    unspent: new Map([...owned].filter(([outpoint]) => !spenders.has(outpoint))),
    ...{ paidIn, paidOut },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
