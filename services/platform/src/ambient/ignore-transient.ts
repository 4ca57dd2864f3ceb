import { isTransient, OverloadedError } from '../ports/errors.ts';

/** Wraps a task of `Timers.every`: ignores a transient fault, so that the next run tries again. */
export function ignoreTransient(task: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await task();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  };
}

/**
 * Runs a task of one owner among many: a share that is full is the owner's, and must not end the turn of the others.
 * @returns false when the task was refused as too much; other faults are thrown
 */
export async function unlessOverloaded(task: () => Promise<void>): Promise<boolean> {
  try {
    await task();
    return true;
  } catch (error) {
    if (error instanceof OverloadedError) return false;
    throw error;
  }
}
