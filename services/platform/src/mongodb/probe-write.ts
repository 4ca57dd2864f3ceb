import type { Db } from 'mongodb';
import type { StoredDocument } from './encode.ts';

/** The adapter's own collection, of which callers do not hear. MongoDB makes it at the first write. */
export const PROBE_COLLECTION = 'write_probe';
const ID = 'probe';

/** Changes a document of the adapter's own, with the guarantees of any write. */
export async function probeWrite(db: Db): Promise<void> {
  const probes = db.collection<StoredDocument>(PROBE_COLLECTION);
  await probes.replaceOne({ _id: ID }, { _id: ID, at: Date.now() }, { upsert: true });
}
