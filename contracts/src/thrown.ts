/** What was thrown may be anything: these read of it what an error would say. */

export function messageOf(thrown: unknown): string {
  return isObject(thrown) && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** The `code` of an error of the system (`ENOENT`), of Node.js or of a library; undefined: none that is a text. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
