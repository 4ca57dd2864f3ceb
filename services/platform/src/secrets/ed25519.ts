import { createPublicKey, verify } from 'node:crypto';
import { isUsableEd25519Signature } from '@sentinel-node/contracts';

/** Returns whether the key signed the message (RFC 8032); false for 32 bytes that are not a key, or one for which anybody signs. */
export function verifyEd25519(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (!isUsableEd25519Signature(signature, publicKey)) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
