import { PortError } from '../ports/errors.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import { DEPLOYMENT_COLLECTION } from '../secrets/log-key.ts';

const RESTORING_DOCUMENT = 'restoring';

/** A restore is under way, or ended early: the stores are incomplete. */
export class RestoreUnfinishedError extends PortError {
  constructor() {
    super(
      'RESTORE_UNFINISHED',
      'a restore into these stores was begun and has not ended: wait for it, or empty both stores and restore again',
    );
  }
}

/** Marks these stores as incomplete for every other program until `endRestore`. */
export async function beginRestore(store: DocumentStore): Promise<void> {
  await store.ensure([DEPLOYMENT_COLLECTION]);
  await store.insertMissing(DEPLOYMENT_COLLECTION.name, [{ id: RESTORING_DOCUMENT }]);
}

export async function endRestore(store: DocumentStore): Promise<void> {
  await store.remove(DEPLOYMENT_COLLECTION.name, [RESTORING_DOCUMENT]);
}

/** Checks that no restore is unfinished. @throws RestoreUnfinishedError */
export async function confirmRestored(store: DocumentStore): Promise<void> {
  await store.ensure([DEPLOYMENT_COLLECTION]);
  await confirmNotRestoring(store);
}

/** The same check for a reader, which makes no collection. @throws RestoreUnfinishedError */
export async function confirmNotRestoring(documents: Pick<DocumentStore, 'get'>): Promise<void> {
  if ((await documents.get(DEPLOYMENT_COLLECTION.name, RESTORING_DOCUMENT)) !== undefined)
    throw new RestoreUnfinishedError();
}
