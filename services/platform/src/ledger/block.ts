/** Blocks of the development ledger: real headers, with a target that any machine meets at once. */
import { LockingScript, P2PKH, UnlockingScript } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import { concatBytes, fromHex, sha256, toHex, utf8 } from '@sentinel-node/contracts';
import type { BlockDocument } from './collections.ts';
import { blockId } from './collections.ts';
import { blockRoot } from './merkle-path.ts';

/** Compact target of regression-test networks: half of all hashes meet it. */
const EASY_BITS = 0x207fffff;
const BLOCK_VERSION = 0x20000000;
const COINBASE_OUTPUT = 0xffffffff;
/** Satoshis that the coinbase of a funding block pays. Other coinbases pay nothing, so their fees are burnt. */
export const FUNDING_SATOSHIS = 5_000_000_000;
const ZERO_ID = '00'.repeat(32);
const UNSPENDABLE = `006a20${toHex(utf8('Sentinel Node development ledger'))}`;

export interface BlockContents {
  /** Transactions besides the coinbase, parents first. */
  readonly txids: readonly string[];
  /** Public key hash that the coinbase pays; null for no payee. */
  readonly payee: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Returns the block after `tip`. Its time is later than the tip's, as the network's median rule requires. */
export function nextBlock(tip: BlockDocument | undefined, contents: BlockContents): BlockDocument {
  const height = tip === undefined ? 0 : tip.height + 1;
  const coinbase = coinbaseOf(height, contents.payee);
  const txids = [coinbase.id('hex'), ...contents.txids];
  const time = Math.max(Math.floor(contents.now / 1000), (tip?.time ?? 0) + 1);
  const { header, hash } = mineHeader(tip?.hash ?? ZERO_ID, blockRoot(txids), time);
  return {
    id: blockId(height),
    height,
    hash,
    header,
    time,
    coinbase: coinbase.toHex(),
    payee: contents.payee,
    txids,
    lastFilled: contents.txids.length > 0 || contents.payee !== null ? height : (tip?.lastFilled ?? -1),
  };
}

/** Returns a coinbase that is unique by its height (BIP 34). */
function coinbaseOf(height: number, payee: string | null): Transaction {
  const tx = new Transaction();
  const unlockingScript = UnlockingScript.fromHex(`04${toHex(littleEndian32(height))}`);
  tx.addInput({
    sourceTXID: ZERO_ID,
    sourceOutputIndex: COINBASE_OUTPUT,
    unlockingScript,
    sequence: 0xffffffff,
  });
  tx.addOutput(
    payee === null
      ? { satoshis: 0, lockingScript: LockingScript.fromHex(UNSPENDABLE) }
      : { satoshis: FUNDING_SATOSHIS, lockingScript: new P2PKH().lock([...fromHex(payee)]) },
  );
  return tx;
}

function mineHeader(previous: string, root: string, time: number): { header: string; hash: string } {
  const start = concatBytes(
    littleEndian32(BLOCK_VERSION),
    fromHex(previous).reverse(),
    fromHex(root).reverse(),
    littleEndian32(time),
    littleEndian32(EASY_BITS),
  );
  for (let nonce = 0; ; nonce++) {
    const header = concatBytes(start, littleEndian32(nonce));
    const hash = toHex(sha256(sha256(header)).reverse());
    if (meetsTarget(hash)) return { header: toHex(header), hash };
  }
}

/** Returns whether the hash, as a number, is at most 7fffff × 2^232. */
function meetsTarget(hash: string): boolean {
  return BigInt(`0x${hash}`) <= 0x7fffffn << 232n;
}

function littleEndian32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
