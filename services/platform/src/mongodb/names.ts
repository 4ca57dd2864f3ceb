/** Field names as MongoDB holds them. */

/** Stands in the place of `id`. */
export const ID = '_id';
/** Names of fields that are null although a sparse index is over them; such fields are left out. */
export const NULLS = '%n';
/** True in a document that holds escaped names or texts. */
export const ESCAPED = '%e';
/** The one field of an object that stands for a text which has no UTF-8: the text as JSON. */
export const TEXT = '%t';

/**
 * `$` and `.` mean something in queries and updates, NUL ends a name, the driver takes an object with `_bsontype` for one
 * of its own, and `_id` is ours. `%` itself, so that no name of a document is one of the above.
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

/** Path of a port's field. */
export function pathOf(field: string): string {
  return field === 'id' ? ID : escapeName(field);
}
