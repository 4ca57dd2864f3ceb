import { prefersCsv } from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvText, type Export, type ExportGate, jsonText, textStream } from '../exports/index.ts';
import { memberOf } from './caller.ts';

/**
 * Streams the whole range as CSV when the client prefers CSV, else as JSON. Pages are read at the client's pace. Closes the
 * connection when the caller loses the access, so that the client sees that the export is not whole.
 * @throws ApiError OVERLOADED, and the errors of `rowsOf`
 */
export async function sendExport<T>(
  gate: ExportGate,
  request: FastifyRequest,
  reply: FastifyReply,
  rowsOf: () => Promise<Export<T>>,
): Promise<FastifyReply> {
  const { orgId, userId } = memberOf(request);
  const asCsv = prefersCsv(request.headers.accept);
  const place = gate.enter(orgId, userId);
  const watch = gate.watch(() => {
    request.log.info({ orgId }, 'an export was ended: its client took too little');
    reply.raw.destroy();
  });
  const forgetCaller = gate.watchAccess({
    // Only routes of members send exports.
    isStillAdmitted: request.isStillAdmitted ?? (async () => false),
    end: () => {
      request.log.info({ orgId }, 'an export was ended: its caller has lost the access');
      reply.raw.destroy();
    },
  });
  const end = (): void => {
    gate.forget(watch);
    forgetCaller();
    place.release();
  };
  try {
    const rows = await rowsOf();
    void reply
      .type(asCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      .header('cache-control', 'no-store');
    // Fastify would read a stream to its end for HEAD too.
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
