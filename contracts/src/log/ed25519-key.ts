/** Public keys and signatures of Ed25519 that must not verify (docs/formats.md, "Signatures"). */
import { toHex } from '../bytes/bytes.ts';

/**
 * The y of the points whose order divides 8, big-endian hex: for such a key anybody makes signatures. Their sign bit is
 * passed over: it tells two points of one order apart.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000001',
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec',
  '05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826',
  '7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7',
]);
/** 2^255 − 19, in the same spelling; a larger y has a second, shorter form. */
const PRIME = '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed';

const POINT_BYTES = 32;

/**
 * Returns whether a signature may be one of the key: no honest signature begins with a point of small order, and libraries
 * differ about one that does (Node.js 20 and 22 accept such a signature, 24 and 26 refuse it).
 */
export const isUsableEd25519Signature = (signature: Uint8Array, publicKey: Uint8Array): boolean =>
  isUsableEd25519Key(publicKey) && isUsablePoint(signature.subarray(0, POINT_BYTES));

/** Returns false for a key of small order, and for one that is not in its one form. */
export const isUsableEd25519Key = (publicKey: Uint8Array): boolean => isUsablePoint(publicKey);

function isUsablePoint(point: Uint8Array): boolean {
  const y = Uint8Array.from(point).reverse();
  y[0]! &= 0x7f;
  const digits = toHex(y);
  return digits < PRIME && !SMALL_ORDER.has(digits);
}
