import type { PolicyRecord } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { takePolicy } from './policy.ts';

/** A policy as query's outbox wrote it; `deleted` ends the chain, whatever else the record changes. */
export function decidePolicy(record: PolicyRecord, head: Head): readonly DomainEvent[] {
  if (head.deleted) return [];
  const { events, policy } = takePolicy(head, record.policy, record.deviceId, record.actor);
  if (!record.deleted) return events;
  const genesis = events.filter((event) => event.type === 'BEGUN');
  return [...genesis, { type: 'DELETED', policy, ...(record.actor === null ? {} : { actor: record.actor }) }];
}
