import type { PolicyRecord } from '@sentinel-node/contracts';
import type { Fact } from '../facts.ts';
import type { Head } from '../head.ts';
import { takePolicy } from './policy.ts';

/** A policy as query's outbox wrote it; `deleted` ends the chain, whatever else the record changes. */
export function decidePolicy(record: PolicyRecord, head: Head): readonly Fact[] {
  if (head.deleted) return [];
  const { facts, policy } = takePolicy(head, record.policy, record.deviceId, record.actor);
  if (!record.deleted) return facts;
  const genesis = facts.filter((fact) => fact.fact === 'BEGUN');
  return [...genesis, { fact: 'DELETED', policy, ...(record.actor === null ? {} : { actor: record.actor }) }];
}
