/**
 * Returns the weight of each member of an `Accept` or `Accept-Encoding` header, in lower case; parameters other than the weight count for
 * nothing (RFC 9110, 12.4.2).
 */
export const acceptWeights = (header: string): ReadonlyMap<string, number> =>
  new Map(header.toLowerCase().split(',').map(weighed));

function weighed(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
  const weight = parameters.find((one) => one.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2))];
}
