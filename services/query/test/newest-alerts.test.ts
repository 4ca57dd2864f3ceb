import type { DocumentStore, Query } from '@sentinel-node/platform';
import t from 'tap';
import { OLDER_ALERTS_LOOKED_AT } from '../src/dashboard/limits.ts';
import { newestAlerts } from '../src/dashboard/newest-alerts.ts';
import { VIEWS } from '../src/views/index.ts';

/** So many that a read without a bound shows. */
const ALERTS = 10 * OLDER_ALERTS_LOOKED_AT;

t.test('given many alerts of deleted files, then a read looks at so many and no more', async (t) => {
  let read = 0;
  const store = {
    find: async (collection: string, { limit, where }: Query) => {
      t.equal(collection, VIEWS.alerts);
      const isBelow = typeof where?.['id'] === 'object';
      t.ok(isBelow, 'older than what health counts');
      return Array.from({ length: Math.min(limit, ALERTS - read) }, () => {
        const id = String(1_000_000 - read++);
        return { id, status: 'ACTIVE', fileId: `f${id}`, lastTimestamp: 0 };
      });
    },
    getMany: async () => [],
  } as unknown as DocumentStore;
  const found = await newestAlerts(store, 'o', { activeAlerts: 1, newestAlerts: [] }, Date.UTC(2026, 10, 27));
  t.strictSame(found, []);
  t.ok(read >= OLDER_ALERTS_LOOKED_AT && read < 2 * OLDER_ALERTS_LOOKED_AT, `${read} alerts`);
});
