/** Compresses answers that are worth it. Streams (exports, live updates) go out as they are. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';

const compress = promisify(gzip);
/** Shorter answers gain nothing. */
const COMPRESSED_MIN_CHARACTERS = 1_024;

/**
 * A page that reads a secret beside text of an attacker's choice could leak it by its length (BREACH). Here no other
 * site can make a browser send such a call: the token is in a header that only the console's own script sets.
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
