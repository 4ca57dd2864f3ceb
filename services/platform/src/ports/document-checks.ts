import type { Scalar, Stored } from './document-store.ts';

export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** @throws TypeError when an indexed field holds an array or an object */
export function checkIndexed(document: Stored, field: string): Scalar {
  const value: unknown = Reflect.get(document, field) ?? null;
  if (!isScalar(value)) throw new TypeError(`the indexed field ${field} holds no scalar`);
  return value;
}

/** @throws TypeError when the id is not a string, or `rev` not an integer */
export function checkDocument(document: Stored): void {
  if (typeof document.id !== 'string' || document.id === '') throw new TypeError('a document needs an id');
  if (document.rev !== undefined && !Number.isSafeInteger(document.rev))
    throw new TypeError('rev must be a safe integer');
}
