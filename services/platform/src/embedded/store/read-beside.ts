import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'libsql';
import type { Document } from '../../ports/document-store.ts';
import { PortError } from '../../ports/errors.ts';

/** Documents by id, and nothing else. */
export interface DocumentReader {
  /** undefined also for a collection that is not there. */
  get(collection: string, id: string): Promise<Document | undefined>;
  close(): Promise<void>;
}

/** No server has written anything into the folder yet. */
export class NoDocumentsError extends PortError {
  constructor(folder: string) {
    super('NO_DOCUMENTS', `the data folder ${folder} holds no documents yet`);
  }
}

const FILE = 'documents.db';
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Reads the documents of a data folder beside the process that holds it, if there is one: the connection can only read,
 * and takes no lock that a writer waits for. @throws NoDocumentsError
 */
export function readBeside(dir: string): DocumentReader {
  const folder = resolve(dir);
  const file = join(folder, FILE);
  if (!existsSync(file)) throw new NoDocumentsError(folder);
  const database = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  const table = (collection: string): string | undefined => {
    const row = database.prepare('SELECT tbl FROM collections WHERE name = ?').get(collection);
    return (row as { readonly tbl: string } | undefined)?.tbl;
  };
  return {
    get: (collection, id) => {
      const name = table(collection);
      if (name === undefined) return Promise.resolve(undefined);
      const row = database.prepare(`SELECT body FROM ${name} WHERE id = ?`).get(id);
      const body = (row as { readonly body: string } | undefined)?.body;
      return Promise.resolve(body === undefined ? undefined : (JSON.parse(body) as Document));
    },
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}
