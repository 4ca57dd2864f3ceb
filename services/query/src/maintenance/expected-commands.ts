/** Commands on lists of expected changes. The callers check permissions first. */
import { expectedStream, LIMITS, type CreateExpected, type ExpectedEntity } from '@sentinel-node/contracts';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import { decideExpected, type ExpectedCommand } from '../registry/expected.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { VIEWS } from '../views/index.ts';
import { resolveScope } from './commands.ts';

const QUOTA: QuotaKind = {
  kind: 'expected',
  limit: LIMITS.expectedPerOrganization,
  refusal: `At most ${LIMITS.expectedPerOrganization} lists are valid at once: end one first.`,
  view: VIEWS.expected,
  streamOf: expectedStream,
  present: (store, orgId, now) => store.count(VIEWS.expected, { orgId, overAt: { gt: now } }),
};

/** @throws ApiError VALIDATION_FAILED, LIMIT_REACHED */
export async function addExpected(
  context: QueryContext,
  orgId: string,
  by: Actor,
  { scope, ...fields }: CreateExpected,
): Promise<{ readonly id: string }> {
  const covered = await resolveScope(context, orgId, scope);
  const id = newUuid(context);
  const add = { type: 'ADD', id, orgId, fields, scope: covered } as const;
  await context.quotas.add(QUOTA, orgId, id, () => command(context, orgId, by, id, add));
  return { id };
}

/** Ends the list: it marks no later alerts. @throws ApiError NOT_FOUND */
export async function endExpected(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
): Promise<void> {
  await command(context, orgId, by, id, { type: 'END' });
}

/** @throws ApiError NOT_FOUND also for a list of another organisation */
async function command(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
  command: ExpectedCommand,
): Promise<void> {
  await run<ExpectedEntity>(context, {
    stream: expectedStream(id),
    orgId,
    by,
    decide: (entity, stamp) => decideExpected(command, entity, stamp),
  });
}
