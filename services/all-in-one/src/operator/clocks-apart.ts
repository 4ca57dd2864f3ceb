/** Greatest difference between the clocks of processes, in milliseconds. */
export const CLOCKS_APART_MS = 300_000;
