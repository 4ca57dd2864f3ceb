/** Enrolment tokens: `enr1.`, the id of the token, and 32 random bytes as base64url. The stream has its SHA-256. */
import { createHash } from 'node:crypto';
import { isUuid } from '@sentinel-node/contracts';
import { constantTimeEqual, type Random } from '@sentinel-node/platform';

const SECRET_BYTES = 32;
const FORM = /^enr1\.([0-9a-f-]{36})\.[0-9A-Za-z_-]{43}$/;
/** Compared with where there is no token: no SHA-256 in hex has this. */
const NO_HASH = '-'.repeat(64);

export function newToken(random: Random, id: string): string {
  return `enr1.${id}.${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`;
}

/** In hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** undefined: `token` is none of ours by its form. */
export function tokenId(token: string): string | undefined {
  const id = FORM.exec(token)?.[1];
  return id !== undefined && isUuid(id) ? id : undefined;
}

/** In a time that does not tell whether there is such a token. @param hash undefined: there is none */
export const isToken = (token: string, hash: string | undefined): boolean =>
  constantTimeEqual(hashOf(token), hash ?? NO_HASH);
