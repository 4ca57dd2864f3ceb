/** Compresses answers of some length. Streams (exports, live updates) are not compressed. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';

const compress = promisify(gzip);
/** Shorter answers gain nothing from compression. */
const COMPRESSED_MIN_CHARACTERS = 1_024;

/**
 * Compresses answers. BREACH (a secret beside an attacker's text leaks by the length) does not apply: no other site can
 * make a browser send such a call, because only the console's own script sets the token header.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < COMPRESSED_MIN_CHARACTERS) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!acceptsGzip(headers['accept-encoding'])) return payload;
    const body = await compress(payload);
    void reply.header('content-encoding', 'gzip').header('content-length', body.length);
    return body;
  });
}
