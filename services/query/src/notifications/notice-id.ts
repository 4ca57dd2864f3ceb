import { createHash } from 'node:crypto';
import { uuidV7 } from '@sentinel-node/contracts';

const ID_DOMAIN = 'sentinel/notice-id/v1';

/**
 * Returns a UUID made of the time and the SHA-256 of the cause, so that the same cause gives the same id.
 * @param at milliseconds since the Unix epoch
 */
export function causeId(at: number, ...cause: readonly string[]): string {
  return uuidV7(
    at,
    createHash('sha256')
      .update(JSON.stringify([ID_DOMAIN, ...cause]))
      .digest(),
  );
}
