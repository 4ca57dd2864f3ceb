/** A document that waits to be published has not the form of one: somebody wrote to the store. Nothing is published past it. */
export class UnpublishableError extends Error {
  /** @param fault what of it is not in the form of one */
  constructor(collection: string, id: string, fault: string) {
    super(
      `the document ${id} of the collection ${collection} waits to be published and cannot be: ${fault}; run sentinel audit, and restore a backup (sentinel restore) if nobody can put it back`,
    );
    this.name = 'UnpublishableError';
  }
}
