import { PortError } from '../../ports/errors.ts';

/** A stored document is no JSON, or JSON of something else: somebody wrote to the file, or it is damaged. */
export class DocumentUnreadableError extends PortError {
  constructor(collection: string, id: string | undefined, cause: unknown) {
    const which = id === undefined ? 'a document' : `the document ${id}`;
    const what = cause === undefined ? 'JSON that is no document' : 'no JSON';
    super('DOCUMENT_UNREADABLE', `${which} of the collection ${collection} is stored as ${what}`, { cause });
  }
}

/**
 * Returns the documents of their stored bodies.
 * @param ids of the documents, where they are known without the bodies @throws DocumentUnreadableError
 */
export function documentsOf<T>(
  collection: string,
  bodies: readonly string[],
  ids: readonly string[] = [],
): T[] {
  return bodies.map((body, at): T => {
    const idOf = () => ids[at] ?? /"id":"([^"\\]{1,200})"/.exec(body)?.[1];
    let document: unknown;
    try {
      document = JSON.parse(body);
    } catch (error) {
      throw new DocumentUnreadableError(collection, idOf(), error);
    }
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      throw new DocumentUnreadableError(collection, idOf(), undefined);
    return document as T;
  });
}
