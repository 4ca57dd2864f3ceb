import { RE2JS } from 're2js';

/** Whether `pattern` is RE2 syntax, which matches in linear time whatever the pattern. */
export function isRe2(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
