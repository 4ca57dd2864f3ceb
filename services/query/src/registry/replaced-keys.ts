/** Limits the replaced keys of a device, or secrets of a webhook, that are still valid. */
import type { KeyUntil } from '@sentinel-node/contracts';
import { refuse, type Refused } from './decision.ts';

/** Most that are still valid beside the previous one and the present one. */
const EARLIER = 4;

/**
 * Returns the refusal of a further replacement; undefined when there is room for it.
 * @param lasting as `lastingKeys` @param what of them is said, such as `keys that were replaced still work`
 * @param advice text at the end
 */
export function tooManyReplaced(
  lasting: readonly KeyUntil[],
  what: string,
  advice: string,
): Refused | undefined {
  const oldest = lasting.at(-1);
  if (oldest === undefined || lasting.length <= EARLIER) return undefined;
  const until = new Date(oldest.validUntil).toISOString();
  return refuse('LIMIT_REACHED', `${lasting.length} ${what}, the oldest until ${until}. ${advice}`);
}
