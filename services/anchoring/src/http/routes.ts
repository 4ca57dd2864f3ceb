import { COLLECTIONS, fromHex, signCheckpoint, merkleRoot } from '@sentinel-node/contracts';
import { ApiError, batchId } from '@sentinel-node/platform';
import type { AnchorDocument, DocumentStore, LogKey } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { OWN_COLLECTIONS, type CutDocument } from '../collections.ts';

export interface RouteDeps {
  readonly store: DocumentStore;
  readonly logKey: LogKey;
  readonly origin: string;
  readonly network: string;
}

const BATCH_PATTERN = '^(0|[1-9][0-9]{0,14})$';
const BatchParams = Type.Object({ batch: Type.String({ pattern: BATCH_PATTERN }) });

/** What monitors of the log read: the signed checkpoint, and each batch. */
export function anchoringRoutes(app: FastifyInstance, deps: RouteDeps): void {
  app.get('/checkpoint', { config: { access: 'public' } }, async (_, reply) => {
    const note = await checkpoint(deps);
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(note);
  });
  app.get<{ Params: { batch: string } }>(
    '/batches/:batch',
    { config: { access: 'public' }, schema: { params: BatchParams } },
    async ({ params }) => {
      const found = await deps.store.get(COLLECTIONS.anchors, batchId(Number(params.batch)));
      if (found === undefined) throw new ApiError('NOT_FOUND');
      return batchView(found as AnchorDocument, deps.network);
    },
  );
}

/** Of the newest recorded cut; of the empty tree while there is none. */
async function checkpoint({ store, logKey, origin }: RouteDeps): Promise<string> {
  const [last] = (await store.find(OWN_COLLECTIONS.cuts.name, {
    sort: { field: 'id', direction: 'desc' },
    limit: 1,
  })) as CutDocument[];
  const root = last === undefined ? merkleRoot([]) : fromHex(last.cut.logRoot);
  const size = last === undefined ? 0 : last.log.size;
  return signCheckpoint({ origin, size, root }, logKey.publicKey, (message) => logKey.sign(message));
}

function batchView({ cut, transaction, rev }: AnchorDocument, network: string) {
  return { ...cut, rev, network, transaction };
}
