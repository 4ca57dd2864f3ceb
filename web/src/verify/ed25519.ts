import { hashes, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import type { SignatureCheck } from '@sentinel-node/contracts';

hashes.sha512 = sha512;

/** Verifies Ed25519 signatures (RFC 8032, strict encodings); an invalid key verifies nothing. */
export const verifyEd25519: SignatureCheck = (message, signature, publicKey) => {
  try {
    return verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
};
