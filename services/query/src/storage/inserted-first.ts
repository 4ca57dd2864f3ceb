import { ConflictError } from '@sentinel-node/platform';

/** Returns false when another writer was first. */
export async function insertedFirst(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
