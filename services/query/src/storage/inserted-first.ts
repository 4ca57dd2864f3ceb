import { ConflictError } from '@sentinel-node/platform';

/** False when a racing writer was first. */
export async function insertedFirst(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
