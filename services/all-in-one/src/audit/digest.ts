import { createHash } from 'node:crypto';
import { canonicalJson } from '@sentinel-node/contracts';

/** Returns the SHA-256, base 64, of a value's canonical JSON: kept in the place of the value, to compare it later. */
export const digestOf = (value: object): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64');
