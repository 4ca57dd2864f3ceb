import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the process's priority to `nice`, from 0 (usual, changes nothing) to 19 (lowest).
 * On Linux each thread has a priority: this sets it for existing threads, and new threads inherit it.
 */
export function lowerPriority(nice: number): void {
  if (nice === 0) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, Math.max(nice, getPriority(thread)));
    } catch {
      // The thread has ended or the system refuses; the agent also works with a higher priority.
    }
  }
}

/** Returns the thread ids of this process, or 0 (the process) where the system does not list threads. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}
