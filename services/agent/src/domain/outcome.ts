/** Codes of temporary failures: the agent sends the report again later. */
const PASSING = new Set([
  'RATE_LIMITED',
  'OVERLOADED',
  'NOT_DURABLE',
  'UNAVAILABLE',
  'INTERNAL',
  'REQUEST_TIMEOUT',
]);
/** Codes that may mean a changed configuration: the agent asks for the configuration. */
const CONFIGURATION = new Set(['INVALID_API_KEY', 'NOT_FOUND', 'MONITORING_DISABLED']);

/** Next step for the reports not accepted: none left, retry later, ask for the configuration, renumber, set aside. */
export type Verdict = 'none' | 'later' | 'doubt' | 'ahead' | 'refused';

/**
 * Judges the answers for the reports of one file, oldest first. All reports up to the newest accepted one count as taken,
 * because the server continues from that one, whatever it answered for the earlier ones.
 * @param codes an error code per report; undefined for 202
 */
export function outcomeOf(codes: readonly (string | undefined)[]): { taken: number; verdict: Verdict } {
  const taken = codes.lastIndexOf(undefined) + 1;
  if (taken === codes.length) return { taken, verdict: 'none' };
  const code = codes[taken] ?? '';
  if (PASSING.has(code)) return { taken, verdict: 'later' };
  if (CONFIGURATION.has(code)) return { taken, verdict: 'doubt' };
  return { taken, verdict: code === 'SEQUENCE_AHEAD' ? 'ahead' : 'refused' };
}
