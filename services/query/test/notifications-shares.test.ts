/** Tests that an organisation whose share of the store is full does not end the look for what others lost. */
import {
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  OverloadedError,
} from '@sentinel-node/platform';
import type { DocumentStore, Log, Query } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import t from 'tap';
import { MailboxWriter } from '../src/notifications/mailboxes.ts';
import { reportStates } from '../src/notifications/looks.ts';
import { NON_VIEWS } from '../src/collections.ts';
import { VIEW_COLLECTIONS, VIEWS } from '../src/views/index.ts';

const AT = Date.UTC(2026, 10, 21, 10);

for (const fault of [new OverloadedError('its share is full'), new NotDurableError('too large')])
  t.test(
    `given an organisation whose look ends with ${fault.code}, then those after it are looked at`,
    async (t) => {
      const folder = openDataFolder(t.testdir());
      const store = await openEmbeddedDocumentStore({ folder });
      t.teardown(() => store.close().then(() => folder.release()));
      await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
      await store.bulkUpsert(
        VIEWS.organizations,
        ['busy', 'calm'].map((id) => ({ id, rev: 1, name: id, stripeId: null, creationDate: AT })),
      );
      const asked: unknown[] = [];
      const find = async (collection: string, query: Query): Promise<unknown> => {
        const orgId = query.where?.['orgId'];
        asked.push(orgId);
        if (orgId === 'busy') throw fault;
        return store.find(collection as never, query as never);
      };
      const shared = new Proxy(store as DocumentStore, {
        get: (target, name: keyof DocumentStore) => (name === 'find' ? find : target[name].bind(target)),
      });
      const warned: unknown[] = [];
      await reportStates({
        ...{ store: shared, storeOf: () => shared, clock: new ManualClock(AT) },
        log: { warn: (about: unknown) => void warned.push(about) } as unknown as Log,
        mailboxes: new MailboxWriter(shared),
        toldSince: 0,
        listeningSince: 0,
        views: { confirm: () => Promise.resolve() },
        contacts: { confirm: () => Promise.resolve() },
      });
      t.equal(asked[0], 'busy');
      t.ok(asked.includes('calm'));
      matchList(t, warned, [{ organizations: 1, orgId: 'busy', err: fault }]);
    },
  );
