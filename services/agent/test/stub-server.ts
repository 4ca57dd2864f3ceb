import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type {
  AgentConfiguration,
  AgentEvent,
  BulkLine,
  Enrol,
  Heartbeat,
  Report,
} from '@sentinel-node/contracts';

/** A server that records the agents' calls. `judge` may refuse a line with a code. */
export class StubServer {
  readonly reports: BulkLine[] = [];
  readonly heartbeats: Heartbeat[] = [];
  configuration: AgentConfiguration | undefined;
  /** Configurations by device id, which take precedence over `configuration`. */
  readonly configurations = new Map<string, AgentConfiguration>();
  configVersion = 1;
  /** Delays the answers to calls for the configuration until it settles. */
  beforeConfiguration: Promise<void> | undefined;
  /** Seconds of Retry-After with which calls for the configuration are refused; undefined: they are answered. */
  configurationAfter: string | undefined;
  /** The version that calls for the configuration get, as from a cache; undefined: the current one. */
  cachedVersion: number | undefined;
  /** True refuses calls; `gone` does not answer at all. */
  down: boolean | 'gone' = false;
  /** Seconds of Retry-After while the server is down. */
  retryAfter = '0';
  /** How far the server's clock is ahead, in ms. */
  aheadMs = 0;
  /** Accepted keys; undefined accepts any. */
  keys: readonly string[] | undefined;
  /** Calls with their steady time in ms; `what` is the third last word of the path: `bulk`, `health`, `config`. */
  readonly calls: { readonly what: string; readonly atMs: number }[] = [];
  bulks = 0;
  /** Number of connections, with those that made no call. */
  connections = 0;
  /** Answers POST /enrol. */
  enrol: (request: Enrol) => readonly [status: number, body: object] = () => [404, { code: 'NOT_FOUND' }];
  judge: (line: BulkLine) => string | undefined = () => undefined;
  /** Delays the answers to reports until it settles; the reports are recorded at once. */
  beforeAnswer: Promise<void> | undefined;
  onRecord: Map<string, { lastSequence: number; length: number | null; hash: string | null }> = new Map();
  /** Ids of files that the server no longer has. */
  readonly goneFiles = new Set<string>();
  readonly #server: Server;
  readonly #scheme: string;

  /** @param tls options for HTTPS; without them the server uses HTTP */
  constructor(tls?: ServerOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on('connection', () => (this.connections += 1));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.address;
  }

  get address(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = Buffer.concat(chunks);
    const packed = request.headers['content-encoding'] === 'gzip';
    const body = (packed ? gunzipSync(received) : received).toString();
    const url = request.url ?? '';
    response.setHeader('date', this.#now().toUTCString());
    this.calls.push({ what: url.split('/').at(-3) ?? '', atMs: performance.now() });
    if (this.down === 'gone') return void request.socket.destroy();
    if (this.down) {
      const headers = { 'retry-after': this.retryAfter };
      return void response.writeHead(503, headers).end('{"code":"UNAVAILABLE"}');
    }
    if (url.endsWith('/enrol')) {
      const [status, answer] = this.enrol(JSON.parse(body) as Enrol);
      return void response.writeHead(status).end(JSON.stringify(answer));
    }
    if (this.keys?.includes(String(request.headers['x-api-key'])) === false)
      return void response.writeHead(401).end('{"code":"INVALID_API_KEY"}');
    if (url.includes('/files/bulk/')) return await this.#bulk(body, response);
    if (/\/files\/[^/]+\/[^/]+\/[^/]+$/.test(url))
      return this.#single(url, JSON.parse(body) as Report, response);
    if (url.includes('/devices/health/')) return this.#health(JSON.parse(body) as Heartbeat, response);
    await this.beforeConfiguration;
    if (this.configurationAfter !== undefined) {
      const headers = { 'retry-after': this.configurationAfter };
      return void response.writeHead(503, headers).end('{"code":"UNAVAILABLE"}');
    }
    const configuration = this.configurations.get(url.split('/').at(-1) ?? '') ?? this.configuration;
    const shown = request.headers.prefer === 'attributes' ? configuration : withoutAttributes(configuration);
    response
      .writeHead(200, { etag: `"${this.cachedVersion ?? this.configVersion}"` })
      .end(JSON.stringify(shown));
  }

  async #bulk(body: string, response: ServerResponse): Promise<void> {
    this.bulks += 1;
    const lines = body.split('\n').filter((line) => line !== '');
    const rejected: unknown[] = [];
    for (const [index, text] of lines.entries()) {
      const line = JSON.parse(text) as BulkLine;
      const code = this.judge(line);
      if (code === undefined) this.reports.push(line);
      else rejected.push({ line: index + 1, code, detail: code });
    }
    await this.beforeAnswer;
    response.writeHead(202).end(JSON.stringify({ accepted: lines.length - rejected.length, rejected }));
  }

  #single(url: string, report: Report, response: ServerResponse): void {
    const line = { fileId: url.split('/').at(-1) ?? '', ...report };
    const code = this.judge(line);
    if (code !== undefined) return void response.writeHead(422).end(JSON.stringify({ code }));
    this.reports.push(line);
    response.writeHead(202).end(JSON.stringify({ fileId: line.fileId, sequence: line.sequence }));
  }

  /** Returns the events of all heartbeats. */
  events(): AgentEvent[] {
    return this.heartbeats.flatMap(({ events }) => events ?? []);
  }

  #health(heartbeat: Heartbeat, response: ServerResponse): void {
    this.heartbeats.push(heartbeat);
    const present = heartbeat.files.filter(({ id }) => !this.goneFiles.has(id));
    const files = present.map(({ id }) => {
      const known = this.onRecord.get(id) ?? { lastSequence: 0, length: null, hash: null };
      return { id, ...known, number: null, linkHash: null };
    });
    const serverTime = this.#now().toISOString();
    response.writeHead(200).end(JSON.stringify({ configVersion: this.configVersion, serverTime, files }));
  }
}

/** Returns the configuration for agents that do not know `attributes`. */
function withoutAttributes(configuration: AgentConfiguration | undefined): AgentConfiguration | undefined {
  if (configuration === undefined) return undefined;
  return { ...configuration, files: configuration.files.map(({ attributes: _, ...file }) => file) };
}
