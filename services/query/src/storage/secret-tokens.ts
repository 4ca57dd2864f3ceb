/**
 * Secrets that are shown once: a prefix, the token's id, and 32 random bytes as base64url. The store keeps only their
 * SHA-256.
 */
import { createHash } from 'node:crypto';
import { isUuid } from '@sentinel-node/contracts';
import { constantTimeEqual, type Random } from '@sentinel-node/platform';

const SECRET_BYTES = 32;
/** Compared with when no token exists; no SHA-256 in hex has this form. */
const NO_HASH = '-'.repeat(64);

/** Returns the SHA-256 of a secret in hex: what the store keeps of it. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface SecretTokens {
  create(random: Random, id: string): string;
  /** Returns the id in the token; undefined for a text of another form. */
  idOf(token: string): string | undefined;
  /** Takes the same time whether or not the token exists. @param hash undefined when no token exists */
  matches(token: string, hash: string | undefined): boolean;
}

/** @param prefix marks this kind of token, so that secret scanners find it */
export function secretTokens(prefix: string): SecretTokens {
  const form = new RegExp(`^${prefix}\\.([0-9a-f-]{36})\\.[0-9A-Za-z_-]{43}$`);
  return {
    create: (random, id) =>
      `${prefix}.${id}.${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`,
    idOf: (token) => {
      const id = form.exec(token)?.[1];
      return id !== undefined && isUuid(id) ? id : undefined;
    },
    matches: (token, hash) => constantTimeEqual(hashOf(token), hash ?? NO_HASH),
  };
}
