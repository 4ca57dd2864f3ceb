import type { PolicyRecord } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';
import { decidePolicy as decidePolicyByRules1 } from '../rules-1/policy-record.ts';

/**
 * As rules 1, but another path or frequency awaits a baseline also when its record is the first of the file: reports of the
 * old path can still come.
 */
export function decidePolicy(record: PolicyRecord, head: Head): readonly DomainEvent[] {
  const events = decidePolicyByRules1(record, head);
  const isFirst = events.some(({ type }) => type === 'BEGUN');
  if (!isFirst || record.rebaseline !== true || record.deleted) return events;
  return [...events, { type: 'AWAITED', configVersion: record.policy.configVersion }];
}
