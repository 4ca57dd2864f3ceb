import { createPublicKey, verify } from 'node:crypto';
import type { SignatureCheck } from '@sentinel-node/contracts';

/** Verifies Ed25519 (RFC 8032) by node:crypto; an invalid key verifies nothing. */
export const verifyEd25519: SignatureCheck = (message, signature, publicKey) => {
  const x = Buffer.from(publicKey).toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
};
