/** ECDSA over secp256k1 (SEC 2) with SHA-256; signatures are DER in hex. */
import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  ECDH,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

const CURVE = 'secp256k1';
const COORDINATE_BYTES = 32;

/**
 * @param hex a point, compressed (66 digits) or uncompressed (130). @throws Error when the point is not on the curve
 */
export function publicKeyOf(hex: string): KeyObject {
  const point = Buffer.from(ECDH.convertKey(hex, CURVE, 'hex', 'hex', 'uncompressed').toString(), 'hex');
  return createPublicKey({ key: jwk(point), format: 'jwk' });
}

/** @throws Error when the 32 bytes are no private key of the curve (zero, or not below the order) */
export function privateKeyOf(bytes: Uint8Array): KeyObject {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(bytes);
  const key = { ...jwk(pair.getPublicKey()), d: Buffer.from(bytes).toString('base64url') };
  return createPrivateKey({ key, format: 'jwk' });
}

function jwk(point: Buffer): { kty: string; crv: string; x: string; y: string } {
  const [x, y] = [point.subarray(1, 1 + COORDINATE_BYTES), point.subarray(1 + COORDINATE_BYTES)];
  return { kty: 'EC', crv: CURVE, x: x.toString('base64url'), y: y.toString('base64url') };
}

export function signText(key: KeyObject, text: string): string {
  return sign('sha256', Buffer.from(text), key).toString('hex');
}

/** Returns false for anything but a signature of `text` by the key. */
export function isSignatureOf(key: KeyObject, text: string, signatureHex: string): boolean {
  if (signatureHex.length % 2 !== 0) return false;
  return verify('sha256', Buffer.from(text), key, Buffer.from(signatureHex, 'hex'));
}
