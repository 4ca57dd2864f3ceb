import { isCode } from './errors.ts';

/**
 * Runs a change that reads the newest state itself, so that it does not undo what others changed since the page was read.
 * Runs it once more when somebody else changes the state in between.
 */
export async function overNewest(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isCode(error, 'STALE')) throw error;
    await change();
  }
}
