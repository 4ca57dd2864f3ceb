import { isCode } from './errors.ts';

/**
 * Saves over the state that the form began with. What has changed that state since may be the person's own try before,
 * whose answer was lost: it is saved, then.
 * @param isSaved reads the state and returns whether it is what would be saved
 * @throws ApiError STALE when it is another state, or cannot be read
 */
export async function saveOver(save: () => Promise<unknown>, isSaved: () => Promise<boolean>): Promise<void> {
  try {
    await save();
  } catch (error) {
    if (!isCode(error, 'STALE') || !(await isSaved().catch(() => false))) throw error;
  }
}
