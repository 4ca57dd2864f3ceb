import {
  hasDocuments,
  NoDocumentsError,
  openReadOnly,
  type DocumentReader,
} from '../embedded/store/read-beside.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import { PortError } from '../ports/errors.ts';
import { DEPLOYMENT_COLLECTION } from '../secrets/log-key.ts';

/**
 * The form of what stands in the stores, as a whole. Data without a recorded form has this one. A version that writes what this one
 * must not go on with raises the number, and records the new one before anything else.
 */
export const DATA_FORM = 1;
const FORM_DOCUMENT = 'data-form';

/** A later version wrote the data in a form that this version does not know. */
export class DataFormUnknownError extends PortError {
  constructor(form: unknown) {
    super(
      'DATA_FORM_UNKNOWN',
      `the data has the form ${JSON.stringify(form)}, and this version knows none above ${DATA_FORM}: a later version wrote it. Start that version, or restore a backup from before the upgrade into empty stores`,
    );
  }
}

/** Checks that this version knows the form of the data; for a reader, which makes no collection. @throws DataFormUnknownError */
export async function confirmForm(documents: Pick<DocumentStore, 'get'>): Promise<void> {
  const recorded = await documents.get(DEPLOYMENT_COLLECTION.name, FORM_DOCUMENT);
  if (recorded === undefined) return;
  const { form } = recorded;
  if (!Number.isInteger(form) || Number(form) > DATA_FORM) throw new DataFormUnknownError(form ?? null);
}

/** The same check of an open store. @throws DataFormUnknownError */
export async function confirmFormOf(store: DocumentStore): Promise<void> {
  await store.ensure([DEPLOYMENT_COLLECTION]);
  await confirmForm(store);
}

/**
 * The same check of a data folder, before its files are opened for writing: that already makes tables, and removes those that it
 * does not know. @throws DataFormUnknownError, DocumentsUnreadableError
 */
export async function confirmFormIn(folder: string): Promise<void> {
  const documents = openDocuments(folder);
  if (documents === undefined) return;
  try {
    await confirmForm(documents);
  } finally {
    await documents.close();
  }
}

/** Returns undefined without documents: a first start that was cut short leaves a file without tables. */
function openDocuments(folder: string): DocumentReader | undefined {
  if (!hasDocuments(folder)) return undefined;
  try {
    return openReadOnly(folder);
  } catch (error) {
    if (error instanceof NoDocumentsError) return undefined;
    throw error;
  }
}
