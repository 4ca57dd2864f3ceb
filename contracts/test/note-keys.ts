/** Ed25519 keys for tests of signed notes. */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { Cosigner } from '../src/log/cosignature.ts';
import type { SignatureCheck } from '../src/log/signature-check.ts';

export interface NoteKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

export function newNoteKey(): NoteKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}

export const cosignerOf = (name: string, { publicKey }: NoteKey): Cosigner => ({ name, type: 4, publicKey });

export const verifyNote: SignatureCheck = (message, signature, publicKey) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
