/** Commands on lists of expected changes. The callers check permissions first. */
import { expectedStream, LIMITS, type CreateExpected, type ExpectedEntity } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import { decideExpected, type ExpectedCommand } from '../registry/expected.ts';
import { VIEWS } from '../views/index.ts';
import { resolveScope } from './commands.ts';

/** @throws ApiError VALIDATION_FAILED, LIMIT_REACHED */
export async function addExpected(
  context: QueryContext,
  orgId: string,
  by: Actor,
  { scope, ...fields }: CreateExpected,
): Promise<{ readonly id: string }> {
  const { store, clock } = context;
  const covered = await resolveScope(context, orgId, scope);
  const limit = LIMITS.expectedPerOrganization;
  if ((await store.count(VIEWS.expected, { orgId, overAt: { gt: clock.now() } })) >= limit)
    throw new ApiError('LIMIT_REACHED', {
      detail: `At most ${limit} lists are valid at once: end one first.`,
    });
  const id = newUuid(context);
  await command(context, orgId, by, id, { type: 'ADD', id, orgId, fields, scope: covered });
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
