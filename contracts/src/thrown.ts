/** Reads message and code of a thrown value, which need not be an Error. */

export function messageOf(thrown: unknown): string {
  return isObject(thrown) && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** Returns the `code` of an error of the system (`ENOENT`), Node.js or a library; undefined unless it is a text. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
