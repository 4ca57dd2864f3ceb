import { Type } from 'typebox';
import { EmptySchema, toHex } from '@sentinel-node/contracts';
import type { App, CollectionSpec } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';

/** The collection that POST /testDB writes, reads and removes from. */
export const TEST_COLLECTION: CollectionSpec = { name: 'store_tests', indexes: [] };

const StatusSchema = Type.Object({ status: Type.Literal('ok') });
const OK = { status: 'ok' } as const;

export function testRoutes(app: App, { store, random }: QueryContext): void {
  app.get('/test', {
    config: { access: 'public' },
    schema: { tags: ['Test'], response: { 200: StatusSchema } },
    handler: async () => OK,
  });

  app.post('/testDB', {
    config: { access: 'admin' },
    schema: { tags: ['Test'], body: EmptySchema, response: { 200: StatusSchema } },
    handler: async () => {
      const id = toHex(random.bytes(16));
      await store.insertUnique(TEST_COLLECTION.name, { id });
      const found = await store.get(TEST_COLLECTION.name, id);
      await store.remove(TEST_COLLECTION.name, [id]);
      if (found === undefined) throw new Error('a document was not there after it was written');
      return OK;
    },
  });
}
