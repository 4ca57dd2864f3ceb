/** Tests that rules are found among any number of deleted ones, which stay for ever. */
import { LIMITS } from '@sentinel-node/contracts';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import t from 'tap';
import { isNamedByRule, readRules } from '../src/notifications/rules.ts';
import { addressRecipient } from '../src/notifications/settings.ts';
import { DEFAULT_RULE } from '../src/registry/notification-rule.ts';
import { NON_VIEWS } from '../src/collections.ts';
import { type NotificationRuleView, VIEW_COLLECTIONS, VIEWS } from '../src/views/index.ts';

const ORG = 'o1';
const ADDRESS = 'on-call@example.org';
const STEP = 1_000;

const view = (n: number, over: Partial<NotificationRuleView>): NotificationRuleView => ({
  ...DEFAULT_RULE,
  ...{ id: `r${String(n).padStart(6, '0')}`, rev: 1, orgId: ORG, deleted: true },
  ...{ changedAt: 1, changedBy: 'ann@example.org' },
  ...over,
});

t.test(
  'given more deleted rules than one read returns, when rules are read, then none is missing',
  async (t) => {
    const folder = openDataFolder(t.testdir());
    const store = await openEmbeddedDocumentStore({ folder });
    t.teardown(() => store.close().then(() => folder.release()));
    await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
    for (let from = 0; from < LIMITS.findDocuments; from += STEP) {
      const some = Array.from({ length: STEP }, (_, index) => view(from + index, {}));
      await store.bulkUpsert(VIEWS.notificationRules, some);
    }
    const to = { administrators: false, userIds: [], addresses: [ADDRESS], webhookIds: [] };
    const last = view(LIMITS.findDocuments, { deleted: false, to });
    await store.bulkUpsert(VIEWS.notificationRules, [last]);
    t.strictSame(
      (await readRules(store, ORG)).map(({ id }) => id),
      [ORG, last.id],
    );
    t.ok(await isNamedByRule(store, addressRecipient(ORG, ADDRESS)));
    await store.bulkUpsert(VIEWS.notificationRules, [view(0, { id: ORG })]);
    t.strictSame(
      (await readRules(store, ORG)).map(({ id }) => id),
      [last.id],
      'a deleted default rule does not come back',
    );
  },
);
