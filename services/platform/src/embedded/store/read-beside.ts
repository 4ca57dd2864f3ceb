import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'libsql';
import type { DocumentStore } from '../../ports/document-store.ts';
import { PortError } from '../../ports/errors.ts';

/** Reads documents by id only. A missing collection has no documents. */
export interface DocumentReader extends Pick<DocumentStore, 'get'> {
  close(): Promise<void>;
}

/** The folder has no documents yet: no server has written to it. */
export class NoDocumentsError extends PortError {
  constructor(folder: string) {
    super('NO_DOCUMENTS', `the data folder ${folder} holds no documents yet`);
  }
}

const FILE = 'documents.db';
const BUSY_TIMEOUT_MS = 10_000;

/** Returns whether a data folder has documents. */
export const hasDocuments = (dir: string): boolean => existsSync(join(resolve(dir), FILE));

/** Checks that a data folder has documents, without making the folder. @throws NoDocumentsError */
export function confirmDocuments(dir: string): void {
  if (!hasDocuments(dir)) throw new NoDocumentsError(resolve(dir));
}

/**
 * Reads the documents of a data folder that another process may use. The connection is read-only and takes no lock that
 * a writer waits for. @throws NoDocumentsError
 */
export function openReadOnly(dir: string): DocumentReader {
  confirmDocuments(dir);
  const database = new Database(join(resolve(dir), FILE), { readonly: true, timeout: BUSY_TIMEOUT_MS });
  const first = (sql: string, of: string): unknown => {
    const row: unknown = database.prepare(sql).raw().get(of);
    return Array.isArray(row) ? row[0] : undefined;
  };
  return {
    get: (collection, id) => {
      const table = first('SELECT tbl FROM collections WHERE name = ?', collection);
      if (table === undefined) return Promise.resolve(undefined);
      const body = first(`SELECT body FROM ${String(table)} WHERE id = ?`, id);
      return Promise.resolve(body === undefined ? undefined : JSON.parse(String(body)));
    },
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}
