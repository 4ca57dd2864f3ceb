import type { KeyUntil } from './records/registry.ts';

/**
 * Returns the replaced keys of a device, or secrets of a webhook, whose promised time has not ended, newest first.
 * @param earlier those before the previous one, newest first @param nowMs milliseconds since the Unix epoch
 */
export function lastingKeys(
  previous: KeyUntil | null,
  earlier: readonly KeyUntil[] | undefined,
  nowMs: number,
): KeyUntil[] {
  const replaced = previous === null ? [] : [previous, ...(earlier ?? [])];
  return replaced.filter(({ validUntil }) => nowMs < validUntil);
}
