import { concatBytes, meetsTarget, parseBlockHeader, shownHash } from '@sentinel-node/contracts';

/** Compact target of regression-test networks: half of all hashes meet it. */
export const EASY_BITS = 0x207fffff;
/** Time of the first header, seconds since 1970. */
export const EASY_START = 1_700_000_000;
const SPACING_SECONDS = 600;

export interface EasyHeaders {
  readonly count: number;
  /** Number that makes branches differ. Default: 0. */
  readonly salt?: number;
  /** The 80 bytes of the header before; time continues from it. Default: no header, and the time `EASY_START`. */
  readonly after?: Uint8Array;
  readonly bits?: number;
  /** Seconds between two blocks. Default: ten minutes. */
  readonly spacingSeconds?: number;
}

/** Makes consecutive headers of a regression-test network, 80 bytes each. */
export function easyHeaders(options: EasyHeaders): Uint8Array {
  const { after, bits = EASY_BITS, count, salt = 0, spacingSeconds = SPACING_SECONDS } = options;
  const before = after && parseBlockHeader(after);
  let previous = before?.hash ?? new Uint8Array(32);
  const start = before === undefined ? EASY_START : before.time + spacingSeconds;
  const made: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const header = easyHeader(previous, salt, bits, start + index * spacingSeconds);
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

/** Returns the hash of the header at an index, as explorers show it. */
export const easyHash = (headers: Uint8Array, index: number): string =>
  shownHash(parseBlockHeader(headers.slice(index * 80, index * 80 + 80))!.hash);

/** Returns the header with a nonce that does not meet its target. */
export function withoutWork(header: Uint8Array): Uint8Array {
  const idle = Uint8Array.from(header);
  while (meetsTarget(parseBlockHeader(idle)!)) idle[76]! += 1;
  return idle;
}
