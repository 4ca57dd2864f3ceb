/** Commands of administrators on enrolment tokens. The callers check the permission first. */
import {
  enrolmentStream,
  LIMITS,
  type CreatedEnrolment,
  type CreateEnrolment,
  type EnrolmentEntity,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import { checkTemplate, type DeviceContext } from '../devices/index.ts';
import type { Actor } from '../registry/decision.ts';
import { decideEnrolment, type EnrolmentCommand } from '../registry/enrolment.ts';
import { VIEWS } from '../views/index.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import { ENROLMENT_TOKENS } from './token.ts';

/** @throws ApiError VALIDATION_FAILED, LIMIT_REACHED, RATE_LIMITED, OVERLOADED */
export async function makeEnrolment(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  fields: CreateEnrolment,
): Promise<CreatedEnrolment> {
  const { store, clock, random } = context;
  const now = clock.now();
  await checkTemplate(context, orgId, fields.template, { at: now, version: 1, by });
  const usable = await store.count(VIEWS.enrolments, { orgId, isEnded: false, expiresAt: { gt: now } });
  const limit = LIMITS.enrolmentsPerOrganization;
  if (usable >= limit)
    throw new ApiError('LIMIT_REACHED', {
      detail: `An organization has at most ${limit} enrolment tokens: end one first.`,
    });
  const id = newUuid(context);
  const token = ENROLMENT_TOKENS.create(random, id);
  await commandEnrolment(context, orgId, by, id, {
    type: 'MAKE',
    id,
    orgId,
    fields,
    tokenHash: hashOf(token),
  });
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
