import { setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap while the agent starts and looks at every file, and later. The young generation grows to its full size at
 * once, and then as usual. The heap may double between two cleanings; later it grows by a quarter: what 10,000 files leave
 * behind, 8 MiB a minute, would add 40 MiB before it is cleaned.
 */
const GROWTH = {
  atStart: ['--semi-space-growth-factor=16', '--heap-growing-percent=100'],
  later: ['--semi-space-growth-factor=2', '--heap-growing-percent=25'],
};
/** Time of the start, in ms. */
const START_MS = 10_000;

/**
 * Flags of the runtime for an agent, which runs for months on small machines (docs/decisions/054): the heap is cleaned
 * before it has grown to four times its size, and functions are compiled with a third of the code of others in them, because
 * much of the agent's code runs for a few seconds only.
 */
export const AGENT_FLAGS = ['--max-inlined-bytecode-size-cumulative=300', ...GROWTH.atStart];

/** Sets the flags. They count for what is compiled or cleaned from now on. */
export function setAgentFlags() {
  setFlags(AGENT_FLAGS);
  setTimeout(() => setFlags(GROWTH.later), START_MS).unref();
}

function setFlags(flags) {
  for (const flag of flags) setFlagsFromString(flag);
}
