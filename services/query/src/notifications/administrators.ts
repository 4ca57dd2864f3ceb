import type { DocumentStore } from '@sentinel-node/platform';
import { VIEWS } from '../views/index.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/** Returns the ids of the active administrators; of many, the first ones. */
export async function administratorsOf(store: DocumentStore, orgId: string): Promise<string[]> {
  const found = await store.find(VIEWS.users, {
    where: { orgId, deleted: false, role: 'ADMIN', active: true },
    limit: NOTIFICATION_LIMITS.administrators,
  });
  return found.map(({ id }) => id);
}
