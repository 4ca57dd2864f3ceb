import type { ClaimRecord } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decideClaim as decideClaimByRules1 } from '../rules-1/claim.ts';

/**
 * As rules 1, but a claim has no effect on an alert that has counted more occurrences than the person knew of: content that
 * nobody has seen must be neither accepted nor made the baseline. The claim is over then, and another can be made.
 */
export function decideClaim(claim: ClaimRecord, head: Head): readonly DomainEvent[] {
  const open = Object.values(head.open).find(({ alertId }) => alertId === claim.alertId);
  if (open !== undefined && claim.occurrences !== undefined && open.occurrences > claim.occurrences)
    return [];
  return decideClaimByRules1(claim, head);
}
