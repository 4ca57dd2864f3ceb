import { isTransient, type PortError } from '../ports/errors.ts';

/**
 * Wraps a task of `Timers.every`: ignores a transient fault, so that the next run tries again.
 * @param onFault called with the first fault of a row; the next row begins after a run without a fault
 */
export function ignoreTransient(
  task: () => Promise<void>,
  onFault: (fault: PortError) => void = () => undefined,
): () => Promise<void> {
  let isFailing = false;
  return async () => {
    try {
      await task();
      isFailing = false;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  };
}

/**
 * Runs a task of one owner among many, whose fault must not end the turn of the others.
 * @returns the transient fault that ended the task; other faults are thrown
 */
export async function transientFaultOf(task: () => Promise<void>): Promise<PortError | undefined> {
  try {
    await task();
    return undefined;
  } catch (error) {
    if (isTransient(error)) return error;
    throw error;
  }
}
