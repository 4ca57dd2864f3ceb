import type { Repeating, Timers } from '../ambient/timers.ts';
import type { Clock } from '../ports/ambient.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import { PortError } from '../ports/errors.ts';
import type { FeePolicy, Funding, Ledger, LedgerAnswer } from '../ports/ledger.ts';
import { newestOf } from '../ports/newest-of.ts';
import { blockInForm } from './block-form.ts';
import { FUNDING_SATOSHIS, nextBlock } from './block.ts';
import { outpoint, parseExtended, refusal, type ParsedTransaction } from './check-transaction.ts';
import { blockId, DEV_LEDGER_COLLECTIONS } from './collections.ts';
import type { BlockDocument, TransactionDocument } from './collections.ts';
import { bumpOf } from './merkle-path.ts';

const { transactions, spends, blocks } = DEV_LEDGER_COLLECTIONS;

/** Time between two checks for transactions to mine, in milliseconds. */
export const DEV_BLOCK_INTERVAL_MS = 5_000;
/** Depth in blocks up to which the last block with a transaction is buried; then mining pauses. */
export const DEV_BLOCK_DEPTH = 6;
const DEV_POLICY: FeePolicy = { satoshis: 100, bytes: 1_000 };
/** Transactions in one block, and coinbases of one payee. */
const BLOCK_TRANSACTIONS = 1_000;

export interface DevLedgerOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
}

export interface DevLedger extends Ledger {
  /** Adds a block if transactions wait, or if the last block with a transaction is not deep enough. */
  mine(): Promise<boolean>;
}

/**
 * A ledger of one node for development: it checks scripts, fees and double spends, and adds blocks with headers and
 * Merkle paths like those of the public ledger. NOT PUBLIC: whoever runs it can forge it. Coinbases can be spent at
 * once.
 */
export function createDevLedger(options: DevLedgerOptions): DevLedger {
  return new StoredLedger(options);
}

class StoredLedger implements DevLedger {
  readonly network = 'dev';
  readonly closingDepth = DEV_BLOCK_DEPTH;
  readonly forgets = false;
  readonly firstHeight = 0;
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #timers: Pick<Timers, 'every'>;
  #mining: Repeating | undefined;
  /** Calls that change the ledger run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #lastOrder = 0;

  constructor({ store, clock, timers }: DevLedgerOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#timers = timers;
  }

  async start(): Promise<void> {
    await this.#store.ensure(Object.values(DEV_LEDGER_COLLECTIONS));
    await this.#alone(async () => this.#settle(await this.#tip()));
    this.#mining = this.#timers.every(DEV_BLOCK_INTERVAL_MS, async () => {
      try {
        await this.mine();
      } catch (error) {
        // A full disk, or another process that mined first: the next interval tries again.
        if (!(error instanceof PortError)) throw error;
      }
    });
  }

  async stop(): Promise<void> {
    await this.#mining?.stop();
    this.#mining = undefined;
    await this.#last;
  }

  submit(extendedTx: string): Promise<LedgerAnswer> {
    return this.#alone(async () => {
      const parsed = parseExtended(extendedTx);
      if (typeof parsed === 'string') return { txid: '', status: 'REJECTED', detail: parsed };
      const known = await this.status(parsed.txid);
      if (known !== undefined) return known;
      const detail = await this.#take(parsed);
      return detail === undefined
        ? { txid: parsed.txid, status: 'SEEN_ON_NETWORK' }
        : { txid: parsed.txid, status: 'REJECTED', detail };
    });
  }

  async status(txid: string): Promise<LedgerAnswer | undefined> {
    const found = await this.#store.get(transactions.name, txid);
    if (found === undefined) return undefined;
    if (found.blockHeight === undefined) return { txid, status: 'SEEN_ON_NETWORK' };
    const block = await this.#block(found.blockHeight);
    const index = block?.txids.indexOf(txid) ?? -1;
    // A changed database: a ledger without the block does not know the transaction.
    if (block === undefined || index < 0) return undefined;
    return {
      txid,
      status: 'MINED',
      blockHash: block.hash,
      blockHeight: block.height,
      merklePath: bumpOf(block.height, block.txids, index),
      block: { header: block.header, coinbase: block.coinbase },
    };
  }

  policy(): Promise<FeePolicy> {
    return Promise.resolve(DEV_POLICY);
  }

  /** Returns the outputs of a key; the first call for a key adds a block whose coinbase pays it. */
  funding(publicKeyHash: string): Promise<readonly Funding[]> {
    return this.#alone(async () => {
      await this.#settle(await this.#tip());
      if ((await this.#coinbasesOf(publicKeyHash)).length === 0) await this.#addBlock([], publicKeyHash);
      const paid = await this.#coinbasesOf(publicKeyHash);
      const spent = await this.#store.getMany(
        spends.name,
        paid.map(({ id }) => outpoint(id, 0)),
      );
      const gone = new Set(spent.map(({ id }) => id));
      return paid
        .filter(({ id }) => !gone.has(outpoint(id, 0)))
        .map(({ rawTx }) => ({ rawTx, outputIndex: 0, satoshis: FUNDING_SATOSHIS }));
    });
  }

  async height(): Promise<number> {
    return (await this.#tip())?.height ?? 0;
  }

  async header(height: number): Promise<string | undefined> {
    return (await this.#block(height))?.header;
  }

  mine(): Promise<boolean> {
    return this.#alone(async () => {
      const tip = await this.#tip();
      await this.#settle(tip);
      const waiting = await this.#store.find(transactions.name, {
        // Conditions on both fields of the sparse index, as in `leftovers`.
        where: { waiting: 1, order: { gte: 0 } },
        sort: { field: 'order', direction: 'asc' },
        limit: BLOCK_TRANSACTIONS,
      });
      const shallow =
        tip !== undefined && tip.lastFilled >= 0 && tip.height - tip.lastFilled + 1 < DEV_BLOCK_DEPTH;
      if (waiting.length === 0 && !shallow) return false;
      await this.#addBlock(
        waiting.map(({ id }) => id),
        null,
      );
      return true;
    });
  }

  /** Stores the transaction, or returns why it is refused. */
  async #take(parsed: ParsedTransaction): Promise<string | undefined> {
    const ids = [...new Set(parsed.tx.inputs.map((input) => input.sourceTXID!))];
    const existing = await this.#store.getMany(transactions.name, ids);
    const sources = new Map(existing.map(({ id, rawTx }) => [id, rawTx]));
    const refused = refusal(parsed, sources, DEV_POLICY) ?? (await this.#spend(parsed));
    if (refused !== undefined) return refused;
    this.#lastOrder = Math.max(this.#lastOrder + 1, this.#clock.now() * 1_000);
    const document = {
      id: parsed.txid,
      rev: 1,
      rawTx: parsed.rawTx,
      order: this.#lastOrder,
      waiting: 1,
    } as const;
    await this.#store.insertMissing(transactions.name, [document]);
    return undefined;
  }

  /** Records the spends; only the first transaction that spends an output succeeds. */
  async #spend({ txid, outpoints }: ParsedTransaction): Promise<string | undefined> {
    const own = await this.#store.insertMissing(
      spends.name,
      outpoints.map((id) => ({ id, spender: txid })),
    );
    const found = await this.#store.getMany(spends.name, outpoints);
    const taken = found.find(({ spender }) => spender !== txid);
    if (taken === undefined) return undefined;
    await this.#store.remove(spends.name, own);
    return `double spend of ${taken.id}`;
  }

  async #addBlock(txids: readonly string[], payee: string | null): Promise<void> {
    const block = nextBlock(await this.#tip(), { txids, payee, now: this.#clock.now() });
    await this.#store.insertUnique(blocks.name, block);
    await this.#settle(block);
  }

  /** Writes the consequences of a block; also after a crash, because the stored block is the decision. */
  async #settle(block: BlockDocument | undefined): Promise<void> {
    if (block === undefined) return;
    const { height, payee } = block;
    const paid = payee === null ? {} : { payee };
    const [coinbase, ...txids] = block.txids;
    await this.#store.insertMissing(transactions.name, [
      { id: coinbase!, rev: 2, rawTx: block.coinbase, order: 0, blockHeight: height, ...paid },
    ]);
    const mined = await this.#store.getMany(transactions.name, txids);
    await this.#store.bulkUpsert(
      transactions.name,
      mined.map(({ id, rawTx, order }) => ({ id, rev: 2, rawTx, order, blockHeight: height })),
    );
  }

  async #block(height: number): Promise<BlockDocument | undefined> {
    const found = await this.#store.get(blocks.name, blockId(height));
    return found && blockInForm(found);
  }

  async #tip(): Promise<BlockDocument | undefined> {
    const newest = await newestOf(this.#store, blocks.name);
    return newest && blockInForm(newest);
  }

  async #coinbasesOf(payee: string): Promise<TransactionDocument[]> {
    return this.#store.find(transactions.name, { where: { payee }, limit: BLOCK_TRANSACTIONS });
  }

  #alone<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
