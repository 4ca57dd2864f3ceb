import { createPublicKey, verify } from 'node:crypto';
import { isUsableEd25519Signature, type SignatureCheck } from '@sentinel-node/contracts';

/** Verifies Ed25519 (RFC 8032) by node:crypto; an invalid key, or one for which anybody signs, verifies nothing. */
export const verifyEd25519: SignatureCheck = (message, signature, publicKey) => {
  if (!isUsableEd25519Signature(signature, publicKey)) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
};
