/** Commands of administrators on enrolment tokens. The callers check the permission first. */
import {
  enrolmentStream,
  LIMITS,
  type CreatedEnrolment,
  type CreateEnrolment,
  type EnrolmentEntity,
} from '@sentinel-node/contracts';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import { checkTemplate, type DeviceContext } from '../devices/index.ts';
import type { Actor } from '../registry/decision.ts';
import { decideEnrolment, type EnrolmentCommand } from '../registry/enrolment.ts';
import { VIEWS } from '../views/index.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import { ENROLMENT_TOKENS } from './token.ts';

const QUOTA: QuotaKind = {
  kind: 'enrolments',
  limit: LIMITS.enrolmentsPerOrganization,
  refusal: `An organization has at most ${LIMITS.enrolmentsPerOrganization} enrolment tokens: end one first.`,
  view: VIEWS.enrolments,
  streamOf: enrolmentStream,
  present: (store, orgId, now) =>
    store.count(VIEWS.enrolments, { orgId, isEnded: false, expiresAt: { gt: now } }),
};

/** @throws ApiError VALIDATION_FAILED, LIMIT_REACHED, RATE_LIMITED, OVERLOADED */
export async function makeEnrolment(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  fields: CreateEnrolment,
): Promise<CreatedEnrolment> {
  const now = context.clock.now();
  await checkTemplate(context, orgId, fields.template, { at: now, version: 1, by });
  const id = newUuid(context);
  const token = ENROLMENT_TOKENS.create(context.random, id);
  const make = { type: 'MAKE', id, orgId, fields, tokenHash: hashOf(token) } as const;
  await context.quotas.add(QUOTA, orgId, id, () => commandEnrolment(context, orgId, by, id, make));
  return { id, token };
}

/** Ends the token: it makes no more devices. @throws ApiError NOT_FOUND */
export async function endEnrolment(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  id: string,
): Promise<void> {
  await commandEnrolment(context, orgId, by, id, { type: 'END' });
}

/**
 * Runs a command on the token's stream. @param by null for an agent
 * @throws ApiError NOT_FOUND, also for a token of another organisation
 */
export async function commandEnrolment(
  context: DeviceContext,
  orgId: string,
  by: Actor | null,
  id: string,
  command: EnrolmentCommand,
): Promise<void> {
  await run<EnrolmentEntity>(context, {
    stream: enrolmentStream(id),
    orgId,
    by,
    decide: (entity, stamp) => decideEnrolment(command, entity, stamp),
  });
}
