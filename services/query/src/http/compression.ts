/** Compresses answers of some length. Streams (exports, live updates) are not compressed. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';

type Compress = (text: string) => Promise<Buffer>;

const gzipped: Compress = promisify(gzip);
/** Shorter answers gain nothing from compression. */
const COMPRESSED_MIN_CHARACTERS = 1_024;

/**
 * Compresses answers. BREACH (a secret beside an attacker's text leaks by the length) does not apply: no other site can
 * make a browser send such a call, because only the console's own script sets the token header.
 */
export function compressAnswers(app: FastifyInstance, compress = gzipped): void {
  const shared = sharing(compress);
  app.addHook('onSend', async ({ headers }, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < COMPRESSED_MIN_CHARACTERS) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!acceptsGzip(headers['accept-encoding'])) return payload;
    const body = await shared(payload);
    void reply.header('content-encoding', 'gzip').header('content-length', body.length);
    return body;
  });
}

/** Compresses equal texts once while they are needed at the same time, as the answers of a shared read are. */
function sharing(compress: Compress): Compress {
  /** @boundedBy the answers that are being sent */
  const running = new Map<string, Promise<Buffer>>();
  return (text) => {
    const found = running.get(text);
    if (found !== undefined) return found;
    const begun = compress(text).finally(() => running.delete(text));
    running.set(text, begun);
    return begun;
  };
}
