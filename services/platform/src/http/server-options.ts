import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { entryOf, ERRORS, type ErrorCode } from '@sentinel-node/contracts';
import { LogController, type FastifyServerOptions } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Log } from '../logging/log.ts';
import type { Random } from '../ports/ambient.ts';
import { ApiError } from './api-error.ts';
import type { Certificate } from './certificate.ts';
import { sendProblem } from './errors.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { schemaController } from './schema-compilers.ts';
import { DEFAULT_BODY_BYTES, HTTP_TIMES, MAX_PARAM_CHARACTERS, type HttpTimes } from './timeouts.ts';

export type HttpConfig = Pick<
  Config,
  'host' | 'port' | 'publicUrl' | 'trustedProxies' | 'metricsFrom' | 'tls'
>;

const REQUEST_ID_RANDOM_BYTES = 6;

/** Returns the options of the server. @param certificate undefined to serve HTTP */
export function serverOptions(
  { trustedProxies }: HttpConfig,
  log: Log,
  random: Random,
  times: HttpTimes = HTTP_TIMES,
  certificate?: Certificate,
): FastifyServerOptions {
  const server = {
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    connectionsCheckingInterval: times.checkMs,
  };
  const options: FastifyServerOptions = {
    loggerInstance: log,
    // Fastify's own request lines hold the URL, which can contain a token.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    schemaController,
    genReqId: requestIds(random),
    requestIdHeader: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: DEFAULT_BODY_BYTES,
    connectionTimeout: times.connectionMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler,
  };
  if (certificate === undefined) return { ...options, http: server } as FastifyServerOptions;
  const { chain: cert, key } = certificate;
  return { ...options, https: { ...server, cert, key } } as FastifyServerOptions;
}

/**
 * Returns a generator of request ids that are never taken from outside. A random part for each process and a counter
 * make them unique.
 */
function requestIds(random: Random): () => string {
  const prefix = Buffer.from(random.bytes(REQUEST_ID_RANDOM_BYTES)).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** Answers requests that are not HTTP, or came too late, before any route. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // `end` closes only one half: a client that keeps sending slowly would keep its connection, and its body's memory,
  // for ever.
  socket.end(answerTo(error.code));
  socket.destroySoon();
}

/** Codes of problems that Node finds in requests, beside what is no HTTP. */
const NODE_PROBLEMS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
};

/** Returns the answer to a request of which there is no `request`, so that it has no id either. */
function answerTo(code: string | undefined): string {
  const known = code === undefined ? undefined : entryOf(NODE_PROBLEMS, code);
  const { status } = ERRORS[known ?? 'MALFORMED_REQUEST'];
  const body = JSON.stringify(problemOf(new ApiError(known ?? 'MALFORMED_REQUEST'), ''));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
