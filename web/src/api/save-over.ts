import { isCode } from './errors.ts';

/**
 * Saves over the state that the form began with. An earlier try of the same person, whose answer was lost, may have changed
 * that state; then the values are saved already.
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
