import { isCode } from './errors.ts';

/**
 * Runs a change over the state that it reads itself, once more when somebody else is faster: what others changed since the
 * page was read is not undone.
 */
export async function overNewest(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isCode(error, 'STALE')) throw error;
    await change();
  }
}
