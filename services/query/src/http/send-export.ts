import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvText, type Export, type ExportGate, jsonText, textStream } from '../exports/index.ts';
import { memberOf } from './caller.ts';

/**
 * Streams the whole range: CSV when asked for, otherwise JSON. Pages are read as the client takes them.
 * @throws ApiError OVERLOADED, and what `rowsOf` throws
 */
export async function sendExport<T>(
  gate: ExportGate,
  request: FastifyRequest,
  reply: FastifyReply,
  rowsOf: () => Promise<Export<T>>,
): Promise<FastifyReply> {
  const { orgId, userId } = memberOf(request);
  const asCsv = /\btext\/csv\b/.test(request.headers.accept ?? '');
  const place = gate.enter(orgId, userId);
  const watch = gate.watch(() => {
    request.log.info({ orgId }, 'an export was ended: its client took too little');
    reply.raw.destroy();
  });
  const end = (): void => {
    gate.forget(watch);
    place.release();
  };
  try {
    const rows = await rowsOf();
    void reply
      .type(asCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      .header('cache-control', 'no-store');
    // Fastify reads a stream to its end for HEAD too.
    const text = request.method === 'HEAD' ? undefined : asCsv ? csvText(rows) : jsonText(rows);
    if (text === undefined) {
      end();
      return reply.send();
    }
    return reply.send(textStream(text, watch).once('close', end));
  } catch (error) {
    end();
    throw error;
  }
}
