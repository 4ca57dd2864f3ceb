/** Tests that a pass over recent alerts finds every one, though alerts occur again meanwhile. */
import t from 'tap';
import { recentAlerts } from '../src/dashboard/recent-alerts.ts';
import { VIEWS, type AlertView } from '../src/views/index.ts';
import { createWorld } from './world.ts';

/** More than two reads. */
const ALERTS = 4_500;
const ORG = 'an organisation';

const alert = (n: number, lastTimestamp: number, rev = 1): AlertView => ({
  ...{ id: `alert ${String(n).padStart(6, '0')}`, rev, orgId: ORG, deviceId: 'd', fileId: 'f' },
  ...{ timestamp: 1, status: 'ACTIVE', type: 'HASH_BREACH', hashId: 'h', occurrences: rev, lastTimestamp },
  ...{ overrideUser: null, overrideUserEmail: null, handledAt: null, note: null },
});

const { store } = await createWorld(t);

for (const [title, timeOf] of [
  ['of many times', (n: number) => 1_000 + n],
  ['of one time', () => 1_000],
] as const)
  t.test(
    `given alerts ${title}, one of which occurs again between two reads, then it is found`,
    async (t) => {
      const all = Array.from({ length: ALERTS }, (_, n) => alert(n, timeOf(n)));
      await store.remove(
        VIEWS.alerts,
        all.map(({ id }) => id),
      );
      await store.insertMissing(VIEWS.alerts, all);
      const found = new Set<string>();
      let reads = 0;
      for await (const page of recentAlerts(store, ORG, 1_000)) {
        for (const { id } of page) found.add(id);
        reads++;
        const missing = all.filter(({ id }) => !found.has(id));
        // The first, the middle and the last of those that were not read yet, each at a time of its own.
        const again = [missing[0], missing[Math.floor(missing.length / 2)], missing.at(-1)].filter(
          (one) => one !== undefined,
        );
        await store.bulkUpsert(
          VIEWS.alerts,
          again.map(({ id }, at) => alert(Number(id.slice(6)), 1_000_000 + 10 * reads - at, reads + 1)),
        );
      }
      t.ok(reads > 2);
      t.equal(found.size, ALERTS);
    },
  );
