/** Reads message and code of a thrown value, which need not be an Error, and shows a message on one line. */

export function messageOf(thrown: unknown): string {
  return isObject(thrown) && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** Returns the `code` of an error of the system (`ENOENT`), Node.js or a library; undefined unless it is a text. */
export function codeOf(thrown: unknown): string | undefined {
  return isObject(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Returns the text on one line: each run of blanks and line breaks becomes one blank. */
export const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
