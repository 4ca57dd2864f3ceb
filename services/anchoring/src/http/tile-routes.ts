import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseTilePath, TILES_PREFIX, type Tile } from '@sentinel-node/contracts';
import { acceptsGzip, addressKey, ApiError } from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TileReads } from '../tile-reads.ts';

const compress = promisify(gzip);
/** An existing tile never changes, whether full or partial. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const TAG_BYTES = 16;

export interface TileDeps {
  readonly tiles: Pick<TileReads, 'read'>;
  /** @throws ApiError UNAVAILABLE while the log must not be served */
  readonly checkServable: () => void;
}

/** Serves tiles of the log and bundles of its entries, for readers of C2SP tlog-tiles. */
export function tileRoutes(app: FastifyInstance, { tiles, checkServable }: TileDeps): void {
  const isPath = (path: string): boolean => parseTilePath(path) !== undefined;
  app.get(`${TILES_PREFIX}*`, { config: { access: 'public', isPath } }, async (request, reply) => {
    // The URL as sent: each tile has only one spelling, so that a cache stores it once.
    const tile = parseTilePath(request.url.split('?', 1)[0] ?? '');
    if (tile === undefined) throw new ApiError('NOT_FOUND');
    checkServable();
    const bytes = await tiles.read(tile, addressKey(request.ip));
    if (bytes === undefined) throw new ApiError('NOT_FOUND');
    return sendTile(request, reply, tile, bytes);
  });
}

async function sendTile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  tile: Tile,
  bytes: Uint8Array,
): Promise<FastifyReply> {
  const tag = tagOf(bytes);
  void reply
    .header('cache-control', FOR_EVER)
    .header('etag', tag)
    .header('x-content-type-options', 'nosniff');
  // Hashes cannot be compressed; entries shrink by more than half.
  const isBundle = tile.level === 'entries';
  if (isBundle) void reply.header('vary', 'accept-encoding');
  if (isKnown(headers['if-none-match'], tag)) return reply.code(304).send();
  void reply.type('application/octet-stream');
  if (!isBundle || !acceptsGzip(headers['accept-encoding'])) return reply.send(Buffer.from(bytes));
  return reply.header('content-encoding', 'gzip').send(await compress(bytes));
}

/** Returns a weak tag, which is valid for the compressed answer too (RFC 9110, 8.8.1). */
const tagOf = (bytes: Uint8Array): string =>
  `W/"${createHash('sha256')
    .update(bytes)
    .digest('hex')
    .slice(0, 2 * TAG_BYTES)}"`;

/** Compares tags weakly (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  const opaque = (one: string): string => one.trim().replace(/^W\//, '');
  const given = (ifNoneMatch ?? '').split(',').map(opaque);
  return given.includes(opaque(tag)) || given.includes('*');
}
