/** Encrypts texts for the store: AES-256-GCM (NIST SP 800-38D), nonce of 12 bytes, tag of 16 bytes. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { PortError } from '../ports/errors.ts';

const CIPHER = 'aes-256-gcm';
const PREFIX = 'sealed1.';
const TAG_BYTES = 16;
export const SEAL_NONCE_BYTES = 12;

/** The text was sealed with another key or for another place, or was changed. */
export class SealBrokenError extends PortError {
  constructor() {
    super(
      'SEAL_BROKEN',
      'a sealed text cannot be opened: it is damaged, or the master secret is another one',
    );
  }
}

/**
 * Returns `sealed1.` and base64url of nonce ‖ ciphertext ‖ tag.
 * @param key 32 bytes, of one purpose
 * @param place name of the text's place; the text opens nowhere else
 * @param nonce `SEAL_NONCE_BYTES` random bytes, never used again
 */
export function seal(key: Uint8Array, text: string, place: string, nonce: Uint8Array): string {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return PREFIX + Buffer.concat(parts).toString('base64url');
}

/** @throws SealBrokenError */
export function openSealed(key: Uint8Array, sealed: string, place: string): string {
  const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
  if (!sealed.startsWith(PREFIX) || bytes.length < SEAL_NONCE_BYTES + TAG_BYTES) throw new SealBrokenError();
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, SEAL_NONCE_BYTES))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(end));
  try {
    return decipher.update(bytes.subarray(SEAL_NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new SealBrokenError();
  }
}
