import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvText, jsonText, type Export } from '../exports/index.ts';

/** Streams the whole range: CSV when asked for, otherwise JSON. Pages are read as the client takes them. */
export function sendExport<T>(request: FastifyRequest, reply: FastifyReply, rows: Export<T>): FastifyReply {
  const asCsv = /\btext\/csv\b/.test(request.headers.accept ?? '');
  return reply
    .type(asCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(Readable.from(asCsv ? csvText(rows) : jsonText(rows)));
}
