import type { Enrolment, Enrolments } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { newestAndInForce } from '../lists/newest.ts';
import { enrolmentState } from '../registry/enrolment.ts';
import { type EnrolmentView, iso, isoOrNull, VIEWS } from '../views/index.ts';
import type { EnrolmentUses, Used } from './uses.ts';

/** Returns the newest 500 enrolment tokens and all usable ones, newest first, without the tokens' secrets. */
export async function readEnrolments(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  uses: EnrolmentUses,
  orgId: string,
): Promise<Enrolments> {
  const now = clock.now();
  const found = await newestAndInForce<EnrolmentView>(store, VIEWS.enrolments, orgId, {
    endsAt: 'expiresAt',
    now,
    where: { isEnded: false },
  });
  const used = await uses.getMany(found.map(({ id }) => id));
  return { enrolments: found.map((view, at) => shown(view, used[at]!, now)) };
}

function shown(view: EnrolmentView, { used, lastAt }: Used, now: number): Enrolment {
  const { id, name, namePattern, template, uses, createdBy } = view;
  return {
    id,
    name,
    namePattern,
    template,
    state: enrolmentState(view, used, now),
    uses,
    usesLeft: Math.max(0, uses - used),
    lastUse: isoOrNull(lastAt),
    creationDate: iso(view.creationDate),
    createdBy,
    expires: iso(view.expiresAt),
    ended: isoOrNull(view.endedAt),
  };
}
