/** Web server in front with the routes of `deploy/web`; does not buffer streams. */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { sendConsole } from './console-files.ts';
import { serviceOf } from './routes.ts';

/** Returns the address of a running process of the service; undefined without one. */
export type Upstream = (service: string) => string | undefined;

export class Router {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstream: Upstream;
  readonly #server = createServer((from, to) => this.#pass(from, to));

  private constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  static async open(t: Test, upstream: Upstream): Promise<Router> {
    const router = new Router(upstream);
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
    const service = serviceOf(method, path, headers);
    if (service === undefined) return void sendConsole(path, to);
    const upstream = this.#upstream(service);
    const onward =
      upstream &&
      request(upstream + url, { method, headers, agent: this.#agent }, (answer) => {
        to.writeHead(answer.statusCode ?? 503, onwardHeaders(answer.rawHeaders));
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

/**
 * Returns names and values without the headers of a single connection (RFC 9110, section 7.6.1): a service
 * keeps an idle connection longer than this server does, so a client that saw them would use a closed
 * connection.
 */
function onwardHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !/^(connection|keep-alive)$/i.test(raw[at - (at % 2)]!));
}

/** Answers 503, because the service does not run. */
function refuse(from: IncomingMessage, to: ServerResponse): void {
  from.resume();
  const problem = { type: 'about:blank', title: 'Unavailable', status: 503, code: 'UNAVAILABLE' };
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '5' };
  to.writeHead(503, headers).end(JSON.stringify(problem));
}
