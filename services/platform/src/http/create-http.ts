import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { systemRandom } from '../ambient/system.ts';
import { lazyChild } from '../logging/lazy-child.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Random } from '../ports/ambient.ts';
import { watchMethods } from './allowed-methods.ts';
import { plainInstance } from './plain-instance.ts';
import { ApiError } from './api-error.ts';
import { readCertificate, type Certificate } from './certificate.ts';
import { addNotFound, sendProblem, type Fallback } from './errors.ts';
import { hostCheck, requestedHost } from './hosts.ts';
import { takeJsonOnly } from './json-body.ts';
import { addProbes, PROBE_PATHS, type NotReady } from './probes.ts';
import { serverOptions, type HttpConfig } from './server-options.ts';
import { addRequestMetrics } from './request-metrics.ts';
import { shareConnections } from './connection-shares.ts';
import { lingerOnClose } from './linger.ts';
import { stopper } from './stopper.ts';
import { HTTP_TIMES, type HttpTimes } from './timeouts.ts';
import type { TypeboxProvider } from './validation.ts';

const MS_PER_SECOND = 1_000;

/** Fastify with types from typebox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeboxProvider
>;

export interface HttpOptions {
  readonly config: HttpConfig;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Names of the dependencies for which `/readyz` waits. */
  readonly notReady?: NotReady;
  readonly random?: Random;
  /** Default: `HTTP_TIMES`. */
  readonly times?: Partial<HttpTimes>;
}

export interface HttpShell {
  readonly app: App;
  /** Listens and resolves to the URL, with the real port. @throws Error of node:net (EADDRINUSE, EACCES) */
  listen(): Promise<string>;
  /**
   * Registers `hook`, which is called once when the stop begins (at once if it has begun). The hook ends a long-lived
   * answer, which would delay the stop. Returns a function that removes the hook when the answer ends earlier.
   */
  onStopping(hook: () => void | Promise<void>): () => void;
  /** Answers a GET that no route takes (pages of the console). */
  setFallback(fallback: Fallback): void;
  /** Stops within 4 s: `/readyz` answers 503, running answers are finished, connections are closed. Idempotent. */
  stop(): Promise<void>;
}

/**
 * The HTTP shell of every service: request ids, problem details, Host check, limits, probes, metrics, graceful stop.
 * @throws ConfigError, Error of node:fs when the certificate or its key cannot be used
 */
export async function createHttp(options: HttpOptions): Promise<HttpShell> {
  const { config, log, metrics, random = systemRandom } = options;
  const times = { ...HTTP_TIMES, ...options.times };
  const certificate = config.tls && (await readCertificate(config.tls));
  const app = fastify(
    serverOptions(config, log, random, times, certificate),
  ).withTypeProvider<TypeboxProvider>();
  const plain = plainInstance(app);
  const { stop, onStopping, isStopping } = stopper(plain, log);
  let fallback: Fallback | undefined;

  // After the stopper's hook, which may close the connection.
  lingerOnClose(plain, times);
  plain.setErrorHandler(sendProblem);
  plain.setChildLoggerFactory((parent, bindings, childOptions) => lazyChild(parent, bindings, childOptions));
  shareConnections(app.server, metrics, config.trustedProxies.length > 0);
  takeJsonOnly(plain);
  checkHosts(plain, config);
  addRequestMetrics(plain, metrics);
  if (certificate !== undefined) tellExpiry(metrics, certificate);
  const methodsOf = watchMethods(plain);
  addNotFound(plain, methodsOf, () => fallback);
  addProbes(plain, metrics, config.metricsFrom, async () => [
    ...(isStopping() ? ['stopping'] : []),
    ...((await options.notReady?.()) ?? []),
  ]);

  return {
    app,
    stop,
    onStopping,
    setFallback: (handler) => (fallback = handler),
    listen: () => app.listen({ host: config.host, port: config.port }),
  };
}

function tellExpiry(metrics: Metrics, { expiresAt }: Certificate): void {
  const help =
    'When the certificate that is served expires, in seconds since 1970; without HTTPS there is none';
  metrics.observedGauge({ name: 'tls_certificate_expires_seconds', help }, () => expiresAt / MS_PER_SECOND);
}

function checkHosts(app: FastifyInstance, { publicUrl, host }: HttpConfig): void {
  const isServed = hostCheck(publicUrl, host);
  app.addHook('onRequest', (request, reply, done) => {
    // Node uses the first Host; a proxy in front may have used the last (RFC 9112, 3.2).
    if (holdsTwice(request.raw.rawHeaders, 'host')) {
      void reply.code(400).header('connection', 'close').send();
      return;
    }
    const host = requestedHost(request.url, request.headers.host);
    if (isServed(host) || PROBE_PATHS.has(request.url)) done();
    else done(new ApiError('HOST_NOT_ALLOWED'));
  });
}

function holdsTwice(rawHeaders: readonly string[], name: string): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length > 1;
}
