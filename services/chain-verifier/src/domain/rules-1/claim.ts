import { ALERT_TYPES, type AlertType, type ClaimRecord } from '@sentinel-node/contracts';
import type { Fact } from '../facts.ts';
import type { Head } from '../head.ts';

/** Dismiss or reset. Nothing when the alert is not active: the claim came twice. */
export function decideClaim(claim: ClaimRecord, head: Head): readonly Fact[] {
  const alertType = openType(head, claim.alertId);
  if (alertType === undefined) return [];
  const { actor, actorEmail, note, status } = claim;
  const handling = { alertType, status, note, actor, actorEmail };
  if (head.deleted) return [{ fact: 'CLOSED', ...handling }];
  if (status === 'RESOLVED') return [{ fact: 'HANDLED', ...handling }];
  const { last } = head;
  const facts: Fact[] = [{ fact: 'HANDLED', ...handling, ...(last === null ? {} : { version: last }) }];
  if (last === null || head.missing) return [...facts, { fact: 'NEXT_AWAITED' }];
  return [
    ...facts,
    { fact: 'LINKED', kind: 'BASELINE', version: last },
    { fact: 'BASELINED', awaitedToo: false },
  ];
}

function openType(head: Head, alertId: string): AlertType | undefined {
  return ALERT_TYPES.find((type) => head.open[type]?.alertId === alertId);
}
