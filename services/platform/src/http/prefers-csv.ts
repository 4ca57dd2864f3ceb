import { acceptWeights } from './accept-weights.ts';

/**
 * Returns whether the client takes CSV, and JSON not rather: a weight of 0 refuses it (RFC 9110, 12.5.1). Of equal weights CSV is taken
 * only when it is named.
 */
export function prefersCsv(accept = ''): boolean {
  const weights = acceptWeights(accept);
  const weightOf = (type: string, subtype: string): number =>
    weights.get(`${type}/${subtype}`) ?? weights.get(`${type}/*`) ?? weights.get('*/*') ?? 0;
  const csv = weightOf('text', 'csv');
  const json = weightOf('application', 'json');
  return csv > json || (csv === json && csv > 0 && weights.has('text/csv'));
}
