/** A reader of transactions written for these tests alone, from the wire format. */
import { createHash } from 'node:crypto';

export interface RawTransaction {
  readonly txid: string;
  readonly inputs: readonly { readonly txid: string; readonly index: number; readonly script: string }[];
  readonly outputs: readonly { readonly satoshis: bigint; readonly script: Buffer }[];
}

export function readRaw(hex: string): RawTransaction {
  const bytes = Buffer.from(hex, 'hex');
  let at = 4;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('ends too early');
    return bytes.subarray(at, (at += length));
  };
  const size = (): number => {
    const first = take(1)[0]!;
    if (first === 0xfd) return take(2).readUInt16LE();
    if (first > 0xfd) throw new Error('too large for a test');
    return first;
  };
  const many = <T>(read: () => T): T[] => Array.from({ length: size() }, read);
  const inputs = many(() => {
    const txid = Buffer.from(take(32)).reverse().toString('hex');
    const index = take(4).readUInt32LE();
    const script = take(size()).toString('hex');
    take(4);
    return { txid, index, script };
  });
  const outputs = many(() => ({ satoshis: take(8).readBigUInt64LE(), script: take(size()) }));
  take(4);
  if (at !== bytes.length) throw new Error('trailing bytes');
  return { txid: doubleHash(bytes), inputs, outputs };
}

/** Returns the double SHA-256 in display order. */
export function doubleHash(bytes: Buffer): string {
  const once = createHash('sha256').update(bytes).digest();
  return createHash('sha256').update(once).digest().reverse().toString('hex');
}
