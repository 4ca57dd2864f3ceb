import { policyDiffers, type Policy } from '@sentinel-node/contracts';
import type { Fact } from '../facts.ts';
import type { Head } from '../head.ts';

/** A policy takes effect once, with the first record that carries it; `actor` is the person behind a policy record. */
export interface PolicyStep {
  readonly policy: Policy;
  readonly facts: readonly Fact[];
}

/**
 * The policy in force for a record that was stamped with `stamped`, and what its first appearance says: GENESIS for
 * the first record of all; POLICY for other fields, ENABLED or DISABLED for the switch, in this order. A version not
 * above the head's is replaced by the head's.
 */
export function takePolicy(head: Head, stamped: Policy, deviceId: string, actor: string | null): PolicyStep {
  const known = head.policy;
  if (known === null) return { policy: stamped, facts: [{ fact: 'BEGUN', policy: stamped, deviceId }] };
  if (stamped.configVersion <= known.configVersion) return { policy: known, facts: [] };
  if (!policyDiffers(known, stamped))
    return { policy: stamped, facts: [{ fact: 'POLICY_RENEWED', policy: stamped }] };
  return { policy: stamped, facts: changes(known, stamped, actor) };
}

function changes(known: Policy, policy: Policy, actor: string | null): Fact[] {
  const by = actor === null ? {} : { actor };
  const facts: Fact[] = [];
  if (policyDiffers({ ...known, enabled: policy.enabled }, policy)) {
    const rebaseline = policy.path !== known.path || policy.monitoringFrequency !== known.monitoringFrequency;
    facts.push({ fact: 'POLICY_CHANGED', policy, rebaseline, ...by });
  }
  if (policy.enabled !== known.enabled) facts.push({ fact: 'SWITCHED', policy, ...by });
  return facts;
}
