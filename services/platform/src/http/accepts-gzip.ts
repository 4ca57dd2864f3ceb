/**
 * Returns whether the client accepts gzip; a weight of 0 refuses it, `*` stands for encodings that are not named (RFC
 * 9110, 12.5.3).
 */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(codingOf));
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

function codingOf(part: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map((one) => one.trim());
  const weight = parameters.find((one) => one.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
