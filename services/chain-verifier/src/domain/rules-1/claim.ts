import { ALERT_TYPES, type AlertType, type ClaimRecord } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';

/** Dismiss or reset. Nothing when the alert is not active: the claim came twice. */
export function decideClaim(claim: ClaimRecord, head: Head): readonly DomainEvent[] {
  const alertType = openType(head, claim.alertId);
  if (alertType === undefined) return [];
  const { actor, actorEmail, note, status } = claim;
  const handling = { alertType, status, note, actor, actorEmail };
  if (head.deleted) return [{ type: 'CLOSED', ...handling }];
  if (status === 'RESOLVED') return [{ type: 'HANDLED', ...handling }];
  const { last } = head;
  const events: DomainEvent[] = [
    { type: 'HANDLED', ...handling, ...(last === null ? {} : { version: last }) },
  ];
  if (last === null || head.missing) return [...events, { type: 'NEXT_AWAITED' }];
  return [
    ...events,
    { type: 'LINKED', kind: 'BASELINE', version: last },
    { type: 'BASELINED', awaitedToo: false },
  ];
}

function openType(head: Head, alertId: string): AlertType | undefined {
  return ALERT_TYPES.find((type) => head.open[type]?.alertId === alertId);
}
