import { PortError } from '../../ports/errors.ts';

/** A stored document is no JSON: somebody wrote to the file, or it is damaged. */
export class DocumentUnreadableError extends PortError {
  constructor(collection: string, body: string, cause: unknown) {
    const id = /"id":"([^"\\]{1,200})"/.exec(body)?.[1];
    const which = id === undefined ? 'a document' : `the document ${id}`;
    super('DOCUMENT_UNREADABLE', `${which} of the collection ${collection} is stored as no JSON`, { cause });
  }
}

/** Returns the documents of their stored bodies. @throws DocumentUnreadableError */
export function documentsOf<T>(collection: string, bodies: readonly string[]): T[] {
  return bodies.map((body): T => {
    try {
      return JSON.parse(body);
    } catch (error) {
      throw new DocumentUnreadableError(collection, body, error);
    }
  });
}
