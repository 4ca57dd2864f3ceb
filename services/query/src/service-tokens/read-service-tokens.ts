import { LIMITS, type ServiceToken, type ServiceTokens } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { serviceTokenState } from '../registry/service-token.ts';
import { iso, isoOrNull, type ServiceTokenView, VIEWS } from '../views/index.ts';
import type { TokenUse, TokenUses } from './uses.ts';

/** Returns the newest 500 tokens, newest first, without their secrets. */
export async function readServiceTokens(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  uses: TokenUses,
  orgId: string,
): Promise<ServiceTokens> {
  const found = await store.find(VIEWS.serviceTokens, {
    where: { orgId },
    sort: { field: 'id', direction: 'desc' },
    limit: LIMITS.pageItems,
  });
  const used = await uses.getMany(found.map(({ id }) => id));
  const now = clock.now();
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
