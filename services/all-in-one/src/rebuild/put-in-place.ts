import { ConflictError, systemTimers, type DocumentStore } from '@sentinel-node/platform';
import { retryTransient } from '@sentinel-node/query';

/**
 * Puts the replacement in place, retrying after passing faults. A replacement that is gone at a retry is in its
 * place: only the answer was lost.
 */
export async function putInPlace(store: DocumentStore, view: string, replacement: string): Promise<void> {
  let attempts = 0;
  await retryTransient(
    systemTimers,
    () => false,
    async () => {
      attempts += 1;
      try {
        await store.replace(view, replacement);
      } catch (error) {
        if (!(error instanceof ConflictError) || attempts === 1) throw error;
      }
    },
  );
}
