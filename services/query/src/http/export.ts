import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvText, jsonText, textStream, type Export, type ExportGate } from '../exports/index.ts';
import { memberOf } from './authenticate.ts';

/**
 * Streams the whole range: CSV when asked for, otherwise JSON. Pages are read as the client takes them.
 * @throws ApiError OVERLOADED
 */
export function sendExport<T>(
  gate: ExportGate,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: Export<T>,
): FastifyReply {
  const asCsv = /\btext\/csv\b/.test(request.headers.accept ?? '');
  void reply
    .type(asCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
    .header('cache-control', 'no-store');
  // Fastify reads a stream to its end for HEAD too.
  if (request.method === 'HEAD') return reply.send();
  const leave = gate.enter(memberOf(request).userId);
  return reply.send(textStream(asCsv ? csvText(rows) : jsonText(rows)).once('close', leave));
}
