import { isTransient } from '../ports/errors.ts';

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
