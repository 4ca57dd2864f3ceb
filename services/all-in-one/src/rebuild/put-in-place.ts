import { ConflictError, systemTimers, type DocumentStore } from '@sentinel-node/platform';
import { retryTransient } from '@sentinel-node/query';

/** Waits out passing faults. After an answer that was lost the replacement is gone because it is in its place. */
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
