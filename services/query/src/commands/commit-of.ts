/** Turns a decision into a commit: assigns event ids, and makes the records of changed policies. */
import { CURRENT_RULES, eventId, registryCause, type PolicyRecord } from '@sentinel-node/contracts';
import type { NewCommit, StreamEntity } from '@sentinel-node/platform';
import type { Changed, Stamp } from '../registry/decision.ts';

/** The stream of a commit, and the organisation that it belongs to. */
export interface CommitPlace {
  readonly stream: string;
  readonly orgId: string;
}

/** @param nonce returns a new one for each policy */
export function commitOf<E extends StreamEntity>(
  { stream, orgId }: CommitPlace,
  decision: Changed<E>,
  stamp: Stamp,
  nonce: () => string,
): NewCommit<E> {
  return {
    orgId,
    entity: decision.entity,
    events: decision.events.map((event, ordinal) => ({
      id: eventId(stamp.at, event.type, registryCause(stream, stamp.version, ordinal)),
      ...event,
    })),
    policies: policyRecords(orgId, stream, decision, stamp, nonce),
    at: stamp.at,
    by: stamp.by,
  };
}

function policyRecords<E extends StreamEntity>(
  orgId: string,
  stream: string,
  { entity, policies }: Changed<E>,
  { at, version, by }: Stamp,
  nonce: () => string,
): PolicyRecord[] {
  return policies.map(({ fileId, policy, deleted, rebaseline }) => ({
    kind: 'policy',
    v: 1,
    rules: CURRENT_RULES,
    orgId,
    deviceId: entity.id,
    acceptedAt: at,
    nonce: nonce(),
    fileId,
    commandId: `${stream}:${version}`,
    policy,
    deleted,
    actor: by?.userId ?? null,
    ...(rebaseline === undefined ? {} : { rebaseline }),
  }));
}
