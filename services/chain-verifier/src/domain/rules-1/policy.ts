import { policyDiffers, type Policy } from '@sentinel-node/contracts';
import type { DomainEvent } from '../domain-event.ts';
import type { Head } from '../head.ts';

/** A policy takes effect once, with the first record that carries it; `actor` is the person behind a policy record. */
export interface PolicyStep {
  readonly policy: Policy;
  readonly events: readonly DomainEvent[];
}

/**
 * The policy in force for a record stamped with `stamped`, and the events of its first appearance: GENESIS for
 * the first record of all; POLICY for other fields, ENABLED or DISABLED for the switch, in this order. A version not
 * above the head's is replaced by the head's.
 */
export function takePolicy(head: Head, stamped: Policy, deviceId: string, actor: string | null): PolicyStep {
  const known = head.policy;
  if (known === null) return { policy: stamped, events: [{ type: 'BEGUN', policy: stamped, deviceId }] };
  if (stamped.configVersion <= known.configVersion) return { policy: known, events: [] };
  if (!policyDiffers(known, stamped))
    return { policy: stamped, events: [{ type: 'POLICY_RENEWED', policy: stamped }] };
  return { policy: stamped, events: changes(known, stamped, actor) };
}

function changes(known: Policy, policy: Policy, actor: string | null): DomainEvent[] {
  const by = actor === null ? {} : { actor };
  const events: DomainEvent[] = [];
  if (policyDiffers({ ...known, enabled: policy.enabled }, policy)) {
    const rebaseline = policy.path !== known.path || policy.monitoringFrequency !== known.monitoringFrequency;
    events.push({ type: 'POLICY_CHANGED', policy, rebaseline, ...by });
  }
  if (policy.enabled !== known.enabled) events.push({ type: 'SWITCHED', policy, ...by });
  return events;
}
