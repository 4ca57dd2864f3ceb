import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import Database from 'libsql';
import type { CollectionName, Document, DocumentStore, Stored } from '../../ports/document-store.ts';
import { PortError } from '../../ports/errors.ts';
import { isSqliteError, sqliteMessage } from '../sqlite-errors.ts';

/** Reads documents one by one. A missing collection has no documents. */
export interface DocumentReader extends Pick<DocumentStore, 'get'> {
  /** Returns the document with the highest id. */
  newest<T extends Stored = Document>(collection: CollectionName<T>): Promise<T | undefined>;
  close(): Promise<void>;
}

/** No server has written to the folder, or it cannot be seen. */
export class NoDocumentsError extends PortError {
  constructor(folder: string, what = 'holds no documents yet') {
    super('NO_DOCUMENTS', `the data folder ${folder} ${what}: is --data (SENTINEL_DATA_DIR) right?`);
  }
}

/** The documents cannot be read. */
export class DocumentsUnreadableError extends PortError {
  constructor(file: string, error: unknown) {
    super('DOCUMENTS_UNREADABLE', sqliteMessage(file, error), { cause: error });
  }
}

const FILE = 'documents.db';
const DENIED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);
const BUSY_TIMEOUT_MS = 10_000;

/** Returns whether a data folder has documents. */
export const hasDocuments = (dir: string): boolean => existsSync(join(resolve(dir), FILE));

/** Checks that a data folder has documents, without making the folder. @throws NoDocumentsError */
export function confirmDocuments(dir: string): void {
  const folder = resolve(dir);
  if (!isThere(folder, folder)) throw new NoDocumentsError(folder, 'is not there');
  if (!statSync(folder).isDirectory()) throw new NoDocumentsError(folder, 'is a file');
  if (!isThere(join(folder, FILE), folder)) throw new NoDocumentsError(folder);
}

/** @throws NoDocumentsError when the system does not let this process see it */
function isThere(path: string, folder: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new NoDocumentsError(folder, `cannot be read (${DENIED.has(code) ? 'no permission' : code})`);
  }
}

/**
 * Reads the documents of a data folder that another process may use. The connection is read-only and takes no lock that
 * a writer waits for. @throws NoDocumentsError, DocumentsUnreadableError
 */
export function openReadOnly(dir: string): DocumentReader {
  confirmDocuments(dir);
  const file = join(resolve(dir), FILE);
  const reading = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw isSqliteError(error) ? new DocumentsUnreadableError(file, error) : error;
    }
  };
  const database = reading(() => new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS }));
  const first = (sql: string, ...of: string[]): unknown =>
    reading(() => {
      const row: unknown = database
        .prepare(sql)
        .raw()
        .get(...of);
      return Array.isArray(row) ? row[0] : undefined;
    });
  const bodyOf = async (collection: string, rest: string, ...of: string[]) => {
    const table = first('SELECT tbl FROM collections WHERE name = ?', collection);
    const body = table === undefined ? undefined : first(`SELECT body FROM ${String(table)} ${rest}`, ...of);
    return body === undefined ? undefined : JSON.parse(String(body));
  };
  const tables = first('SELECT count(*) FROM sqlite_master WHERE name = ?', 'collections');
  if (tables === 0) {
    database.close();
    throw new NoDocumentsError(resolve(dir));
  }
  return {
    get: (collection, id) => bodyOf(collection, 'WHERE id = ?', id),
    newest: (collection) => bodyOf(collection, 'ORDER BY id DESC LIMIT 1'),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}
