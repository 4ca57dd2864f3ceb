/** Headers of public blocks, and easy headers that a test makes. */
import { readFileSync } from 'node:fs';
import { concatBytes, fromHex } from '../src/bytes/bytes.ts';
import { meetsTarget, parseBlockHeader, type BlockHeader } from '../src/ledger/header-run.ts';
import { shownHash } from '../src/ledger/transaction.ts';

interface PublicHeaders {
  readonly firstHeight: number;
  readonly headers: string;
}
const fixture = new URL('../../test/fixtures/block-headers.json', import.meta.url);
const recorded = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly main: PublicHeaders;
  readonly test: PublicHeaders;
  readonly main800000: string;
};

export const PUBLIC = {
  main: { first: recorded.main.firstHeight, bytes: fromHex(recorded.main.headers) },
  test: { first: recorded.test.firstHeight, bytes: fromHex(recorded.test.headers) },
};
export const MAIN_800_000 = parseBlockHeader(fromHex(recorded.main800000))!;

export const headerAt = (bytes: Uint8Array, index: number): BlockHeader =>
  parseBlockHeader(bytes.slice(index * 80, index * 80 + 80))!;
export const hashAt = (bytes: Uint8Array, index: number): string => shownHash(headerAt(bytes, index).hash);

export const EASY_BITS = 0x207fffff;
/** Seconds since 1970. */
export const EASY_START = 1_700_000_000;

export interface EasyHeaders {
  readonly count: number;
  /** Distinguishes chains that are otherwise equal. */
  readonly salt?: number;
  readonly bits?: number;
  /** Hash of the block before, in the byte order of headers, 32 bytes. */
  readonly after?: Uint8Array;
  /** Returns the time of the block at an index, in seconds since 1970. */
  readonly timeOf?: (index: number) => number;
}

/** Makes consecutive headers with very little work. */
export function easyHeaders({ count, salt = 0, bits = EASY_BITS, after, timeOf }: EasyHeaders): Uint8Array {
  const made: Uint8Array[] = [];
  let previous = after ?? new Uint8Array(32);
  for (let index = 0; index < count; index++) {
    const header = easyHeader(previous, salt, bits, (timeOf ?? ((at) => EASY_START + 600 * at))(index));
    previous = parseBlockHeader(header)!.hash;
    made.push(header);
  }
  return concatBytes(...made);
}

function easyHeader(previous: Uint8Array, salt: number, bits: number, time: number): Uint8Array {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setUint32(0, 0x20000000, true);
  header.set(previous, 4);
  view.setUint32(36, salt, true);
  view.setUint32(68, time, true);
  view.setUint32(72, bits, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (meetsTarget(parseBlockHeader(header)!)) return header;
  }
}
