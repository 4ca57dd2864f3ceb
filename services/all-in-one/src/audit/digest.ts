import { createHash } from 'node:crypto';
import { canonicalJson } from '@sentinel-node/contracts';

/** In the place of a digest: the value is no JSON, so that nothing of the log equals it. */
const NO_JSON = 'no JSON';

/** Returns the SHA-256, base 64, of a value's canonical JSON: kept in the place of the value, to compare it later. */
export const digestOf = (value: object): string =>
  isJson(value) ? createHash('sha256').update(canonicalJson(value)).digest('base64') : NO_JSON;

/**
 * Returns whether the value is JSON as it stands. A document of MongoDB may hold a NaN, which has no JSON, or a date or
 * another type, which `canonicalJson` would write as the text that belongs there.
 */
function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      return isPlain(value) && Object.values(value).every(isJson);
    default:
      return typeof value !== 'bigint';
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
