import { setFlagsFromString } from 'node:v8';

/** Growth of the young generation: to its full size at once while the agent starts and looks at every file, and then as usual. */
const GROWTH = { atStart: '--semi-space-growth-factor=16', later: '--semi-space-growth-factor=2' };
/** Time of the start, in ms. */
const START_MS = 10_000;

/**
 * Flags of the runtime for an agent, which runs for months on small machines (docs/decisions/054): the heap grows to twice its
 * size before it is cleaned, not to four times, and functions are compiled with a third of the code of others in them, because
 * much of the agent's code runs for a few seconds only.
 */
export const AGENT_FLAGS = [
  '--heap-growing-percent=100',
  '--max-inlined-bytecode-size-cumulative=300',
  GROWTH.atStart,
];

/** Sets the flags. They count for what is compiled or cleaned from now on. */
export function setAgentFlags() {
  for (const flag of AGENT_FLAGS) setFlagsFromString(flag);
  setTimeout(() => setFlagsFromString(GROWTH.later), START_MS).unref();
}
