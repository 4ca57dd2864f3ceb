/** The web server in front: agents' calls go to ingestion, everything else to query; streams pass unbuffered. */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

const AGENTS_CALL =
  /^(POST \/api\/v1\/files\/(bulk\/[^/]+\/[^/]+|[^/]+\/[^/]+\/[^/]+)|POST \/api\/v1\/devices\/health\/.*|GET \/api\/v1\/devices\/config\/.*)$/;

export type Upstreams = Readonly<Record<'ingestion' | 'query', () => string | undefined>>;

export class Router {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstreams: Upstreams;
  readonly #server = createServer((from, to) => this.#pass(from, to));

  private constructor(upstreams: Upstreams) {
    this.#upstreams = upstreams;
  }

  static async open(t: Test, upstreams: Upstreams): Promise<Router> {
    const router = new Router(upstreams);
    await new Promise<void>((resolve) => router.#server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => router.#close());
    return router;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = from;
    const path = url.replace(/\?.*$/, '');
    const upstream = this.#upstreams[AGENTS_CALL.test(`${method} ${path}`) ? 'ingestion' : 'query']();
    const onward =
      upstream &&
      request(upstream + url, { method, headers, agent: this.#agent }, (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        to.flushHeaders();
        answer.pipe(to);
        answer.once('close', () => void (answer.complete || to.destroy()));
      });
    if (!onward) return refuse(from, to);
    onward.once('error', () => (to.headersSent ? to.destroy() : refuse(from, to)));
    to.once('close', () => onward.destroy());
    from.pipe(onward);
  }

  async #close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }
}

/** As a web server answers when what stands behind it is away. */
function refuse(from: IncomingMessage, to: ServerResponse): void {
  from.resume();
  to.writeHead(502, { 'content-type': 'text/plain' }).end('bad gateway');
}
