/** Codes with which the server says "not now". */
const PASSING = new Set([
  'RATE_LIMITED',
  'OVERLOADED',
  'NOT_DURABLE',
  'UNAVAILABLE',
  'INTERNAL',
  'REQUEST_TIMEOUT',
]);
/** Codes after which the configuration decides what is kept. */
const CONFIGURATION = new Set(['INVALID_API_KEY', 'NOT_FOUND', 'MONITORING_DISABLED']);

/** What becomes of the reports that were not taken: none are left, wait, ask for the configuration, renumber, set aside. */
export type Verdict = 'none' | 'later' | 'doubt' | 'ahead' | 'refused';

/**
 * What the answers for the reports of one file, oldest first, come to. Up to the newest that the server has, all count
 * as taken: the server goes on from that one, whatever it thought of those before.
 * @param codes undefined: 202
 */
export function outcomeOf(codes: readonly (string | undefined)[]): { taken: number; verdict: Verdict } {
  const taken = codes.lastIndexOf(undefined) + 1;
  if (taken === codes.length) return { taken, verdict: 'none' };
  const code = codes[taken] ?? '';
  if (PASSING.has(code)) return { taken, verdict: 'later' };
  if (CONFIGURATION.has(code)) return { taken, verdict: 'doubt' };
  return { taken, verdict: code === 'SEQUENCE_AHEAD' ? 'ahead' : 'refused' };
}
