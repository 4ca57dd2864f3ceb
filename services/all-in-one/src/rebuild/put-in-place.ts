import { ConflictError, retryTransient, systemTimers, type DocumentStore } from '@sentinel-node/platform';

/**
 * Puts the replacement in place and retries after transient faults. A ConflictError at a retry means that the first
 * attempt succeeded and only its answer was lost.
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
