import type { ServiceToken, ServiceTokens } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { newestAndInForce } from '../lists/newest.ts';
import { serviceTokenState } from '../registry/service-token.ts';
import { iso, isoOrNull, type ServiceTokenView, VIEWS } from '../views/index.ts';
import type { TokenUse, TokenUses } from './uses.ts';

/** Returns the newest 500 tokens and all valid ones, newest first, without their secrets. */
export async function readServiceTokens(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  uses: TokenUses,
  orgId: string,
): Promise<ServiceTokens> {
  const now = clock.now();
  const found = await newestAndInForce<ServiceTokenView>(store, VIEWS.serviceTokens, orgId, {
    endsAt: 'expiresAt',
    now,
    where: { isEnded: false },
  });
  const used = await uses.getMany(found.map(({ id }) => id));
  return { serviceTokens: found.map((view) => shown(view, used.get(view.id), now)) };
}

function shown(view: ServiceTokenView, use: TokenUse | undefined, now: number): ServiceToken {
  const { id, name, role, readOnly, limits, createdBy } = view;
  return {
    id,
    name,
    role,
    readOnly,
    limits: limits === undefined ? null : { deviceIds: [...limits.deviceIds], labels: [...limits.labels] },
    state: serviceTokenState(view, now),
    creationDate: iso(view.creationDate),
    createdBy,
    expires: iso(view.expiresAt),
    ended: isoOrNull(view.endedAt),
    lastUse: use === undefined ? null : { at: iso(use.rev), address: use.address },
  };
}
