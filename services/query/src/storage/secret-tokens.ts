/** Secrets that are shown once: a prefix, the id of the token, and 32 random bytes as base64url. Only SHA-256 is kept. */
import { createHash } from 'node:crypto';
import { isUuid } from '@sentinel-node/contracts';
import { constantTimeEqual, type Random } from '@sentinel-node/platform';

const SECRET_BYTES = 32;
/** Compared with if there is no token: no SHA-256 in hex has this form. */
const NO_HASH = '-'.repeat(64);

/** In hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface SecretTokens {
  create(random: Random, id: string): string;
  /** The id within the token; undefined: `token` does not have this form. */
  idOf(token: string): string | undefined;
  /** Takes the same time whether the token exists or not. @param hash undefined: there is none */
  matches(token: string, hash: string | undefined): boolean;
}

/** @param prefix of this kind of token, by which a scanner for secrets finds it */
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
