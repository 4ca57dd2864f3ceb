import { isPassing } from '../ports/errors.ts';

/** `task` for `Timers.every`: what a fault that passes kept from being done is done at a later turn. */
export function skipPassing(task: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await task();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
  };
}
