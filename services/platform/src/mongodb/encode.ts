import { BSON } from 'mongodb';
import type { Stored } from '../ports/document-store.ts';
import { DocumentTooLargeError } from '../ports/errors.ts';
import { DOCUMENT_BYTES, DOCUMENT_LEVELS } from './limits.ts';
import { ESCAPED, escapeName, ID, NULLS, TEXT, unescapeName } from './names.ts';

/** A document in the form that MongoDB stores. */
export interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

export interface Encoded {
  readonly document: StoredDocument;
  /** Approximate bytes: the UTF-16 units of all texts, and eight for each value. */
  readonly bytes: number;
}

/** A lone surrogate has no UTF-8, and BSON would store U+FFFD instead. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const VALUE_BYTES = 8;
/** Most UTF-8 bytes of a UTF-16 unit. */
const UNIT_BYTES = 3;

class Encoder {
  bytes = 0;
  escaped = false;

  value(value: unknown, level: number): unknown {
    this.bytes += VALUE_BYTES;
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        if (!Number.isFinite(value)) throw new TypeError('a document holds finite numbers only');
        return value === 0 ? 0 : value;
      case 'boolean':
        return value;
      case 'object':
        if (value === null) return null;
        if (level > DOCUMENT_LEVELS)
          throw new TypeError(`a document has more than ${DOCUMENT_LEVELS} levels`);
        if (Array.isArray(value)) return value.map((item) => this.value(item ?? null, level + 1));
        return this.#object(value, level);
      default:
        throw new TypeError(`a document cannot hold a ${typeof value}`);
    }
  }

  #text(text: string): unknown {
    this.bytes += text.length;
    if (!LONE_SURROGATE.test(text)) return text;
    this.escaped = true;
    return { [TEXT]: JSON.stringify(text) };
  }

  #object(object: object, level: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError('a document holds plain objects only');
    const fields: [string, unknown][] = [];
    for (const [name, value] of Object.entries(object)) {
      if (value !== undefined) fields.push([this.name(name), this.value(value, level + 1)]);
    }
    return Object.fromEntries(fields);
  }

  name(name: string): string {
    this.bytes += name.length;
    const escaped = escapeName(name);
    if (escaped !== name) this.escaped = true;
    return escaped;
  }
}

/** @throws TypeError when the document is not JSON @throws DocumentTooLargeError */
export function encodeDocument(
  collection: string,
  document: Stored,
  sparseFields: ReadonlySet<string>,
): Encoded {
  const encoder = new Encoder();
  const stored: { [field: string]: unknown; _id: string } = { [ID]: document.id };
  if (LONE_SURROGATE.test(document.id)) throw new TypeError('an id has no lone surrogates');
  const nulls: string[] = [];
  for (const [field, value] of Object.entries(document)) {
    if (value === undefined || field === 'id') continue;
    const name = encoder.name(field);
    if (value === null && sparseFields.has(field)) nulls.push(name);
    else stored[name] = encoder.value(value, 1);
  }
  if (nulls.length > 0) stored[NULLS] = nulls;
  if (encoder.escaped) stored[ESCAPED] = true;
  const encoded = { document: stored, bytes: encoder.bytes + document.id.length };
  checkSize(collection, encoded);
  return encoded;
}

function checkSize(collection: string, { document, bytes }: Encoded): void {
  if (bytes * UNIT_BYTES < DOCUMENT_BYTES) return;
  const size = BSON.calculateObjectSize(document);
  if (size > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection, size, DOCUMENT_BYTES);
}

/** Encodes a value of a condition. */
export function encodeScalar(value: string | number | boolean | null): unknown {
  return new Encoder().value(value, 0);
}

/** Decodes a document. It has the collection's shape, because only documents of this shape are written there. */
export function decodeDocument<T>(stored: StoredDocument): T;
export function decodeDocument(stored: StoredDocument): unknown {
  const { [ID]: id, [NULLS]: nulls, [ESCAPED]: escaped, ...rest } = stored;
  const fields = escaped === true ? decodeFields(rest) : rest;
  if (!Array.isArray(nulls)) return { id, ...fields };
  const empty = nulls.map((name) => [unescapeName(String(name)), null] as const);
  return { id, ...fields, ...Object.fromEntries(empty) };
}

function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value !== 'object' || value === null) return value;
  const [first] = Object.entries(value);
  return first?.[0] === TEXT ? JSON.parse(String(first[1])) : decodeFields(value);
}

const decodeFields = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [unescapeName(name), decodeValue(value)]));
