/** Writes transactions, blocks and Merkle paths of the ledger for tests, independently of the code that reads them. */
import { createHash } from 'node:crypto';

const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
/** Returns H(H(bytes)), in the byte order of hashing. */
export const doubleSha = (bytes: Buffer): Buffer => sha(sha(bytes));
/** Returns hex in the byte order of explorers. */
export const shown = (hash: Buffer): string => Buffer.from(hash).reverse().toString('hex');

const EASY_BITS = 0x207fffff;
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

export function varInt(value: number): Buffer {
  if (value < 0xfd) return Buffer.of(value);
  if (value <= 0xffff) return Buffer.of(0xfd, value % 256, value >> 8);
  return Buffer.concat([Buffer.of(0xfe), u32(value)]);
}

export interface OutputBytes {
  readonly satoshis: number;
  readonly script: Buffer;
}

export function transactionBytes(
  spent: { readonly hash: Buffer; readonly index: number },
  unlocking: Buffer,
  outputs: readonly OutputBytes[],
): Buffer {
  const written = outputs.map(({ satoshis, script }) => [u64(satoshis), varInt(script.length), script]);
  return Buffer.concat([
    u32(1),
    varInt(1),
    spent.hash,
    u32(spent.index),
    varInt(unlocking.length),
    unlocking,
    u32(0xffffffff),
    varInt(outputs.length),
    ...written.flat(),
    u32(0),
  ]);
}

export const NOTHING = { hash: Buffer.alloc(32), index: 0xffffffff };

/** Returns a coinbase that is unique by its height, as BIP 34 requires. */
export function coinbaseBytes(height: number): Buffer {
  return transactionBytes(NOTHING, Buffer.concat([Buffer.of(4), u32(height)]), [
    { satoshis: 5_000_000_000, script: Buffer.from('51', 'hex') },
  ]);
}

/** Returns all levels, transactions first. */
function levelsOf(hashes: readonly Buffer[]): Buffer[][] {
  const levels = [[...hashes]];
  for (let level = levels[0]!; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) =>
      doubleSha(Buffer.concat([below[2 * i]!, below[2 * i + 1] ?? below[2 * i]!])),
    );
  }
  return levels;
}

export interface BlockBytes {
  readonly height: number;
  readonly header: Buffer;
  readonly hash: string;
  readonly transactions: readonly Buffer[];
}

/** Returns a block whose header meets the easiest target. The first of `transactions` is the coinbase. */
export function blockBytes(
  height: number,
  previous: string,
  timeSeconds: number,
  transactions: readonly Buffer[],
): BlockBytes {
  const root = levelsOf(transactions.map(doubleSha)).at(-1)![0]!;
  const start = [
    u32(0x20000000),
    Buffer.from(previous, 'hex').reverse(),
    root,
    u32(timeSeconds),
    u32(EASY_BITS),
  ];
  for (let nonce = 0; ; nonce++) {
    const header = Buffer.concat([...start, u32(nonce)]);
    const hash = shown(doubleSha(header));
    if (Number.parseInt(hash[0]!, 16) < 8) return { height, header, hash, transactions };
  }
}

/** Returns the BRC-74 path of transaction `index`, with the path of the coinbase unless `alone`. */
export function bumpBytes({ height, transactions }: BlockBytes, index: number, alone = false): Buffer {
  const levels = levelsOf(transactions.map(doubleSha)).slice(0, -1);
  const targets = alone ? [index] : [0, index];
  const parts = levels.map((level, depth) => {
    const leaves = new Map<number, Buffer>();
    for (const target of targets) {
      const sibling = (target >> depth) ^ 1;
      const hash = level[sibling];
      leaves.set(sibling, hash === undefined ? Buffer.of(1) : Buffer.concat([Buffer.of(0), hash]));
    }
    if (depth === 0)
      for (const target of targets) leaves.set(target, Buffer.concat([Buffer.of(2), level[target]!]));
    const sorted = [...leaves].sort(([a], [b]) => a - b);
    return Buffer.concat([
      varInt(sorted.length),
      ...sorted.flatMap(([offset, leaf]) => [varInt(offset), leaf]),
    ]);
  });
  return Buffer.concat([varInt(height), Buffer.of(levels.length), ...parts]);
}
