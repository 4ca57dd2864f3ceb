/** A document that waits to be published has not the form of one: somebody wrote to the store. Nothing is published past it. */
export class UnpublishableError extends Error {
  constructor(collection: string, id: string, cause: TypeError) {
    super(
      `the document ${id} of the collection ${collection} waits to be published and cannot be: it is not in the form that this program writes (${cause.message})`,
      { cause },
    );
    this.name = 'UnpublishableError';
  }
}
