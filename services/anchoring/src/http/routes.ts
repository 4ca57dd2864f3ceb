import { CONSISTENCY_FORMAT, fromHex, merkleRoot, signCheckpoint, toHex } from '@sentinel-node/contracts';
import type { Consistency } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { DocumentStore, LogKey } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { batchId, OWN_COLLECTIONS, type AnchorDocument, type CutDocument } from '../collections.ts';
import { consistencyOf, type LogAfter } from '../domain/log-nodes.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import type { TileReads } from '../tile-reads.ts';
import { tileRoutes } from './tile-routes.ts';

export interface RouteDeps {
  readonly store: DocumentStore;
  readonly tiles: Pick<TileReads, 'read'>;
  readonly logKey: LogKey;
  readonly origin: string;
  readonly network: string;
  /** What is recorded is not what was anchored: nothing of it is signed, or given out to be kept for ever. */
  readonly isContradicted: () => boolean;
}

/** As long as two cuts are apart at least. */
const CHECKPOINT_LIFE = `public, max-age=${ANCHORING_LIMITS.cutSpacingMs / 1_000}`;
const BATCH_PATTERN = '^(0|[1-9][0-9]{0,14})$';
const BatchParams = Type.Object({ batch: Type.String({ pattern: BATCH_PATTERN }) });
const SIZE_PATTERN = '^[1-9][0-9]{0,14}$';
const Size = Type.String({ pattern: SIZE_PATTERN });
const ConsistencyParams = Type.Object({ from: Size, to: Size });

/** What monitors of the log read: signed checkpoint, tiles, each batch, and that one log is the beginning of another. */
export function anchoringRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const checkTold = (): void => {
    if (deps.isContradicted()) throw new ApiError('UNAVAILABLE', 'the log contradicts its transactions');
  };
  app.get('/checkpoint', { config: { access: 'public' } }, async (_, reply) => {
    checkTold();
    const note = await checkpoint(deps);
    return reply.type('text/plain; charset=utf-8').header('cache-control', CHECKPOINT_LIFE).send(note);
  });
  tileRoutes(app, { tiles: deps.tiles, checkTold });
  app.get<{ Params: { batch: string } }>(
    '/batches/:batch',
    { config: { access: 'public' }, schema: { params: BatchParams } },
    async ({ params }) => {
      const found = await deps.store.get(OWN_COLLECTIONS.anchors.name, batchId(Number(params.batch)));
      if (found === undefined) throw new ApiError('NOT_FOUND');
      return batchView(found as AnchorDocument, deps.network);
    },
  );
  app.get<{ Params: { from: string; to: string } }>(
    '/consistency/:from/:to',
    { config: { access: 'public' }, schema: { params: ConsistencyParams } },
    ({ params }) => consistency(deps.store, Number(params.from), Number(params.to)),
  );
}

/** @throws ApiError NOT_FOUND unless the log has had both sizes, the smaller first */
async function consistency(store: DocumentStore, from: number, to: number): Promise<Consistency> {
  const read = async (size: number): Promise<LogAfter> => {
    const found = (await store.get(OWN_COLLECTIONS.cuts.name, batchId(size - 1))) as CutDocument | undefined;
    if (found === undefined) throw new ApiError('NOT_FOUND');
    return { header: fromHex(found.cut.header), peaks: found.log.peaks.map(fromHex) };
  };
  if (from > to) throw new ApiError('NOT_FOUND');
  await read(to);
  const path = await consistencyOf(from, to, read);
  return { format: CONSISTENCY_FORMAT, from, to, path: path.map(toHex) };
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
