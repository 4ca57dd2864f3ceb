import { acceptWeights } from './accept-weights.ts';

/**
 * Returns whether the client accepts gzip; a weight of 0 refuses it, `*` stands for encodings that are not named (RFC
 * 9110, 12.5.3).
 */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const weights = acceptWeights(acceptEncoding);
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
