/** Receiver of webhooks that keeps the received messages and misbehaves on request. */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import { listenAgain } from './listen-again.ts';

export type ReceiverBehaviour =
  /** Answers with this status; default: 200. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Answers after `until`; default: 200. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown>; readonly status?: number }
  /** Reads the request and never answers. */
  | { readonly kind: 'hang' }
  /** Answers with status 200 and a body that never ends. */
  | { readonly kind: 'drip' }
  /** Answers with bytes that are not HTTP. */
  | { readonly kind: 'garbage' }
  /** Closes the connection. */
  | { readonly kind: 'cut' }
  /** Answers 101, and keeps the connection. */
  | { readonly kind: 'switch' }
  /** Answers with a body of `bytes` bytes. */
  | { readonly kind: 'huge'; readonly bytes: number };

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const CHUNK_BYTES = 65_536;

export class WebhookReceiver {
  /** Received messages, the oldest first. */
  readonly messages: ReceivedMessage[] = [];
  /** Behaviour for later messages. */
  behaviour: ReceiverBehaviour | ((message: ReceivedMessage) => ReceiverBehaviour) = OK;
  /** Number of written bytes of huge answers. */
  written = 0;
  /** Number of connections so far. */
  connections = 0;
  readonly #server: Server;
  readonly #scheme: string;
  #port = 0;

  private constructor(tls?: { readonly cert: string; readonly key: string }) {
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response);
    this.#server = tls === undefined ? http.createServer(serve) : https.createServer(tls, serve);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on('connection', () => (this.connections += 1));
  }

  /** Listens on a free port of 127.0.0.1. @param tls PEM */
  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(tls);
    await receiver.goOnline();
    return receiver;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}/hook`;
  }

  /** Listens again at the same port after `goOffline`. @throws Error of node:net when the port is taken */
  async goOnline(): Promise<void> {
    this.#port = await listenAgain(this.#server, this.#port);
  }

  /** Refuses connections. */
  goOffline(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = request.headers as ReceivedMessage['headers'];
    const message = { path: request.url ?? '', headers, body: Buffer.concat(parts).toString() };
    this.messages.push(message);
    const { behaviour } = this;
    await this.#answer(typeof behaviour === 'function' ? behaviour(message) : behaviour, response);
  }

  async #answer(behaviour: ReceiverBehaviour, response: ServerResponse): Promise<void> {
    switch (behaviour.kind) {
      case 'answer':
        response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
        return;
      case 'slow':
        await behaviour.until;
        response.writeHead(behaviour.status ?? 200).end();
        return;
      case 'hang':
        return;
      case 'drip':
        response.writeHead(200).write('drop');
        return;
      case 'garbage':
        response.socket?.end('\u0000\u0001 220 smtp.example.org ESMTP\r\n');
        return;
      case 'cut':
        response.socket?.destroy();
        return;
      case 'switch':
        response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tls\r\n\r\n',
        );
        return;
      case 'huge':
        return this.#sendHuge(response, behaviour.bytes);
    }
  }

  async #sendHuge(response: ServerResponse, bytes: number): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const chunk = 'x'.repeat(CHUNK_BYTES);
    while (this.written < bytes && !response.destroyed) {
      this.written += CHUNK_BYTES;
      if (!response.write(chunk)) await roomIn(response);
    }
    response.end();
  }
}

const OK: ReceiverBehaviour = { kind: 'answer', status: 200, body: 'ok' };

function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
