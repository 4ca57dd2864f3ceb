import {
  CONSISTENCY_FORMAT,
  encodeTlogProof,
  toHex,
  type Consistency,
  type WitnessPolicy,
} from '@sentinel-node/contracts';
import { ApiError, type Clock, type DocumentStore, type LogKey } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { batchId, OWN_COLLECTIONS, type AnchorDocument } from '../collections.ts';
import { consistencyOf, inclusionOf, type ReadLog } from '../domain/log-nodes.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { readLog } from '../recorded-log.ts';
import type { TileReads } from '../tile-reads.ts';
import { shownCheckpoint } from '../witnesses/shown-checkpoint.ts';
import { tileRoutes } from './tile-routes.ts';

export interface RouteDeps {
  readonly store: DocumentStore;
  readonly tiles: Pick<TileReads, 'read'>;
  readonly logKey: LogKey;
  readonly origin: string;
  readonly network: string;
  readonly clock: Clock;
  readonly witnessPolicy: WitnessPolicy | undefined;
  /** Returns whether recorded data contradict the anchored data. Such data are not signed, nor served as permanent. */
  readonly isContradicted: () => boolean;
}

/** The usual minimum time between two cuts; `pace` shortens it for short category intervals. */
const CHECKPOINT_LIFE = `public, max-age=${ANCHORING_LIMITS.cutSpacingMs / 1_000}`;
const TEXT = 'text/plain; charset=utf-8';
const BATCH_PATTERN = '^(0|[1-9][0-9]{0,14})$';
const BatchParams = Type.Object({ batch: Type.String({ pattern: BATCH_PATTERN }) });
const SIZE_PATTERN = '^[1-9][0-9]{0,14}$';
const Size = Type.String({ pattern: SIZE_PATTERN });
const ConsistencyParams = Type.Object({ from: Size, to: Size });

/**
 * Routes for monitors of the log: checkpoint, tiles, batches, and proofs that a batch is in the log or that a log
 * contains an earlier one.
 */
export function anchoringRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const checkServable = (): void => {
    if (deps.isContradicted())
      throw new ApiError('UNAVAILABLE', { detail: 'the log contradicts its transactions' });
  };
  app.get('/checkpoint', { config: { access: 'public' } }, async (_, reply) => {
    checkServable();
    const { note } = await shownCheckpoint(deps);
    return reply.type(TEXT).header('cache-control', CHECKPOINT_LIFE).send(note);
  });
  tileRoutes(app, { tiles: deps.tiles, checkServable });
  app.get<{ Params: { batch: string } }>(
    '/batches/:batch',
    { config: { access: 'public' }, schema: { params: BatchParams } },
    async ({ params }) => {
      const found = await deps.store.get(OWN_COLLECTIONS.anchors.name, batchId(Number(params.batch)));
      if (found === undefined) throw new ApiError('NOT_FOUND');
      return batchView(found, deps.network);
    },
  );
  app.get<{ Params: { batch: string } }>(
    '/batches/:batch/proof',
    { config: { access: 'public' }, schema: { params: BatchParams } },
    async ({ params }, reply) => {
      checkServable();
      const proof = await inclusion(deps, Number(params.batch));
      return reply.type(TEXT).header('cache-control', CHECKPOINT_LIFE).send(proof);
    },
  );
  app.get<{ Params: { from: string; to: string } }>(
    '/consistency/:from/:to',
    { config: { access: 'public' }, schema: { params: ConsistencyParams } },
    ({ params }) => consistency(deps.store, Number(params.from), Number(params.to)),
  );
}

/** Returns a consistency proof. @throws ApiError NOT_FOUND unless the log has had both sizes, the smaller first */
async function consistency(store: DocumentStore, from: number, to: number): Promise<Consistency> {
  const read = logReader(store);
  if (from > to) throw new ApiError('NOT_FOUND');
  await read(to);
  const path = await consistencyOf(from, to, read);
  return { format: CONSISTENCY_FORMAT, from, to, path: path.map(toHex) };
}

/**
 * Proves that a batch is in the log of the newest checkpoint. @throws ApiError NOT_FOUND for a batch beyond that log
 */
async function inclusion(deps: RouteDeps, batch: number): Promise<string> {
  const { cut, note } = await shownCheckpoint(deps);
  const read = logReader(deps.store);
  if (cut === undefined || batch >= cut.log.size) throw new ApiError('NOT_FOUND');
  const { header } = await read(batch + 1);
  const path = await inclusionOf(batch, cut.log.size, read);
  return encodeTlogProof({ extra: header, index: batch, path, checkpoint: note });
}

/** @returns a function that throws ApiError NOT_FOUND for a size that the log has not had */
const logReader =
  (store: DocumentStore): ReadLog =>
  async (size) => {
    const found = await readLog(store, size);
    if (found === undefined) throw new ApiError('NOT_FOUND');
    return found;
  };

function batchView({ cut, transaction, rev }: AnchorDocument, network: string) {
  return { ...cut, rev, network, transaction };
}
