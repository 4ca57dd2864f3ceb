import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lets other processes go first: `nice` is the priority, 0 (the usual one, nothing is changed) to 19 (the lowest).
 * On Linux the priority is a thread's: those that are there get it here, later ones have it from the one that starts them.
 */
export function standBack(nice: number): void {
  if (nice === 0) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, Math.max(nice, getPriority(thread)));
    } catch {
      // It has ended, or the system refuses: an agent that stands back less works all the same.
    }
  }
}

/** Ids of the threads of this process; 0, this process, where the system does not tell. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}
