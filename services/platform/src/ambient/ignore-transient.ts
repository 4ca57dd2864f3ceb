import { isTransient } from '../ports/errors.ts';

/** Wraps a task of `Timers.every`: after a transient fault the next run tries again. */
export function ignoreTransient(task: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await task();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  };
}
