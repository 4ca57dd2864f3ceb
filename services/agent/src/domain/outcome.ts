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

function verdictOf(code: string): Exclude<Verdict, 'none'> {
  if (PASSING.has(code)) return 'later';
  if (CONFIGURATION.has(code)) return 'doubt';
  return code === 'SEQUENCE_AHEAD' ? 'ahead' : 'refused';
}

export interface Outcome {
  readonly taken: number;
  readonly verdict: Verdict;
  /** Indexes of taken reports that were refused for good: the server has a newer one, and never gets these. */
  readonly refused: readonly number[];
}

/**
 * Judges the answers for the reports of one file, oldest first. All reports up to the newest accepted one count as taken,
 * because the server continues from that one, whatever it answered for the earlier ones.
 * @param codes an error code per report; undefined for 202
 */
export function outcomeOf(codes: readonly (string | undefined)[]): Outcome {
  const taken = codes.lastIndexOf(undefined) + 1;
  const refused = codes
    .slice(0, taken)
    .flatMap((code, index) => (code !== undefined && verdictOf(code) === 'refused' ? [index] : []));
  return { taken, verdict: taken === codes.length ? 'none' : verdictOf(codes[taken] ?? ''), refused };
}
