import type { Parser } from './parsers.ts';

const HOST = '(?:\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(?::\\d{1,5})?';
/** A list of hosts is not a valid URL by the WHATWG's rules (MongoDB: Connection Strings). */
const URL_FORM = new RegExp(
  `^mongodb(?:\\+srv)?://(?:[^@/\\s]+@)?${HOST}(?:,${HOST})*(?:/[^?/\\s]*)?(?:\\?(\\S*))?$`,
);

const NEVER = 'is set by this system';

/**
 * Options of a connection string that would weaken the guarantees of the document store (a majority has every write,
 * reads come from the primary and are never rolled back), and the only value that each may have. Names are in lower
 * case.
 */
const GUARDED: Readonly<Record<string, string>> = {
  w: 'majority',
  journal: 'true',
  j: 'true',
  wtimeout: NEVER,
  wtimeoutms: NEVER,
  timeoutms: NEVER,
  readconcernlevel: 'majority',
  readpreference: 'primary',
  readpreferencetags: NEVER,
  maxstalenessseconds: NEVER,
  retrywrites: 'true',
  retryreads: 'true',
};

/** Accepts a connection string of MongoDB and returns it unchanged. */
export const mongoUrl: Parser<string> = (text) => {
  const matched = URL_FORM.exec(text);
  if (matched === null)
    return { problem: 'give mongodb://user:password@host:port/database, or mongodb+srv://' };
  const weakened = (matched[1] ?? '').split('&').map(problemOf).find(Boolean);
  return weakened === undefined ? { value: text } : { problem: weakened };
};

/**
 * Returns the problem of an option. The message names the option only: the value may be part of a misplaced secret.
 */
function problemOf(option: string): string | undefined {
  const [name = '', value = ''] = option.split('=').map(decoded);
  const allowed = GUARDED[name.toLowerCase()];
  if (allowed === undefined || value.toLowerCase() === allowed) return undefined;
  const reason = allowed === NEVER ? NEVER : `can only be ${allowed}: the data would be less safe`;
  return `take the option ${name} out; it ${reason}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
