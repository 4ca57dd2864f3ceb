/** Inclusion proof of an entry as one text (C2SP tlog-proof). */
import { toBase64 } from '../bytes/bytes.ts';

export interface TlogProof {
  /** Unsigned data from which the entry is made; here the entry itself. */
  readonly extra: Uint8Array;
  /** Index of the entry, from 0. */
  readonly index: number;
  /** Inclusion path (RFC 6962 section 2.1.1), hashes of 32 bytes, the leaf's sibling first. */
  readonly path: readonly Uint8Array[];
  /** The signed note of the log that the path leads to. */
  readonly checkpoint: string;
}

const VERSION = 'c2sp.org/tlog-proof@v1';

/** Returns the lines of the proof, then the unchanged note. */
export function encodeTlogProof({ extra, index, path, checkpoint }: TlogProof): string {
  const lines = [VERSION, `extra ${toBase64(extra)}`, `index ${index}`, ...path.map(toBase64)];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}
