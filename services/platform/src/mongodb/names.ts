/** Field names in MongoDB's documents. */

/** Name of the field `id`. */
export const ID = '_id';
/** Lists fields that are null although a sparse index covers them; the fields themselves are left out. */
export const NULLS = '%n';
/** True in a document that holds escaped names or texts. */
export const ESCAPED = '%e';
/** The only field of an object that replaces a text without UTF-8: the text as JSON. */
export const TEXT = '%t';

/**
 * Matches names that must be escaped: `$` and `.` have a meaning in queries and updates, NUL ends a name, the driver
 * treats an object with `_bsontype` as its own, and this adapter uses `_id`. `%` is escaped too, so that no escaped
 * name collides with another.
 */
const SPECIAL = /[%$.\0]|^_(?:id|bsontype|_proto__)$/;

export function escapeName(name: string): string {
  if (!SPECIAL.test(name)) return name;
  const rest = name.startsWith('_') ? `%5F${escapeCharacters(name.slice(1))}` : escapeCharacters(name);
  return rest;
}

function escapeCharacters(text: string): string {
  return text.replace(/[%$.\0]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function unescapeName(name: string): string {
  return name.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Returns the path of a port's field. */
export function pathOf(field: string): string {
  return field === 'id' ? ID : escapeName(field);
}
