import { setFlagsFromString } from 'node:v8';

/** How far the old generation may grow between two collections, as a percentage of what lived after the last one. */
const GROWTH_PERCENT = 150;

/**
 * Limits the memory that waits for a collection. V8 lets the old generation of a busy process grow to four times what
 * lives; half of the process was garbage then. Costs some 3 % of processor time under full load, and nothing when idle
 * (docs/benchmarks-history.md, pipeline). A version of V8 that does not know the flag prints a line and goes on.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
