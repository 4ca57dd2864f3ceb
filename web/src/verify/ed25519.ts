import { hashes, Point, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import {
  concatBytes,
  equalBytes,
  isUsableEd25519Signature,
  toHex,
  type SignatureCheck,
} from '@sentinel-node/contracts';

hashes.sha512 = sha512;

const HALF_BYTES = 32;

/** Verifies Ed25519 signatures (RFC 8032, strict encodings); an invalid key verifies nothing. */
export const verifyEd25519: SignatureCheck = (message, signature, publicKey) => {
  if (!isUsableEd25519Signature(signature, publicKey)) return false;
  try {
    return verify(signature, message, publicKey, { zip215: false }) && isExact(message, signature, publicKey);
  } catch {
    return false;
  }
};

/**
 * Returns whether S B − k A is R byte by byte. The library multiplies the equation by the cofactor 8, by which the owner of a
 * key can make signatures that hold here and nowhere else.
 */
function isExact(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const r = signature.slice(0, HALF_BYTES);
  const s = numberOf(signature.slice(HALF_BYTES));
  const k = numberOf(sha512(concatBytes(r, publicKey, message))) % Point.CURVE().n;
  const found = Point.BASE.multiply(s, false).subtract(Point.fromBytes(publicKey).multiply(k, false));
  return equalBytes(found.toBytes(), r);
}

/** @param bytes the lowest first */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`);
