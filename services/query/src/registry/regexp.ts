import { createRequire } from 'node:module';
import { lazily } from '@sentinel-node/platform';
import type * as Re2js from 're2js';

/** Loaded with the first pattern: it is large, and most processes are never asked. */
const engine = lazily(() => createRequire(import.meta.url)('re2js') as typeof Re2js);

/** Whether `pattern` is RE2 syntax, which matches in linear time whatever the pattern. */
export function isRe2(pattern: string): boolean {
  const { RE2JS } = engine();
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
