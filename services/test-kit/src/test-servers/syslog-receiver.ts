/** Syslog receiver over TLS (RFC 5425) that keeps the received messages and misbehaves on request. */
import type { Socket } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';
import { listenAgain } from './listen-again.ts';

export type SyslogBehaviour =
  /** Reads everything and answers the end; default. */
  | { readonly kind: 'take' }
  /** Reads nothing, so that the sender cannot write for long. */
  | { readonly kind: 'hang' }
  /** Reads everything and never answers the end. */
  | { readonly kind: 'endless' }
  /** Resets the connection after `afterBytes` bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Ends the connection in order after `afterBytes` bytes, and reads no more. */
  | { readonly kind: 'leave'; readonly afterBytes: number }
  /** Reads `bytes` bytes at a time, a millisecond apart. */
  | { readonly kind: 'slow'; readonly bytes: number };

export class SyslogReceiver {
  /** Whole messages, the oldest first, without their counts. */
  readonly messages: string[] = [];
  /** Number of messages received when a connection ended in order on both sides, for each such connection. */
  readonly ends: number[] = [];
  /** Received text that is not `COUNT SP MESSAGE`. */
  readonly faults: string[] = [];
  /** Number of TLS connections so far. */
  connections = 0;
  /** Behaviour on later connections. */
  behaviour: SyslogBehaviour = { kind: 'take' };
  /** Subjects of the certificates that clients showed. */
  readonly clients: string[] = [];
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();
  /** TCP connections below TLS, by the other side's port. */
  readonly #raw = new Map<number | undefined, Socket>();
  #port = 0;

  private constructor(options: TlsOptions) {
    this.#server = createServer({ ...options, allowHalfOpen: true }, (socket) => this.#serve(socket));
    this.#server.on('tlsClientError', () => undefined);
    this.#server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      this.#raw.set(remotePort, socket);
      socket.on('close', () => this.#raw.delete(remotePort));
    });
  }

  /** Listens on a free port of 127.0.0.1. @param options PEM; `ca` and `requestCert` ask clients for certificates */
  static async start(options: TlsOptions): Promise<SyslogReceiver> {
    const receiver = new SyslogReceiver(options);
    await receiver.goOnline();
    return receiver;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens again at the same port after `goOffline`. @throws Error of node:net when the port is taken */
  async goOnline(): Promise<void> {
    this.#port = await listenAgain(this.#server, this.#port);
  }

  /** Refuses new connections and breaks open ones. */
  goOffline(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of [...this.#open, ...this.#raw.values()]) socket.destroy();
    return closed;
  }

  #serve(socket: TLSSocket): void {
    this.connections++;
    this.#open.add(socket);
    const subject = socket.getPeerCertificate().subject?.CN;
    if (subject !== undefined) this.clients.push([subject].flat().join());
    socket.on('error', () => undefined).on('close', () => this.#open.delete(socket));
    const { behaviour } = this;
    if (behaviour.kind === 'hang') return;
    let rest: Buffer = Buffer.alloc(0);
    let read = 0;
    const take = (part: Buffer): void => {
      read += part.length;
      rest = this.#messagesIn(Buffer.concat([rest, part]));
    };
    if (behaviour.kind === 'slow') {
      this.#readSlowly(socket, behaviour.bytes, take);
      return;
    }
    socket.on('data', (part: Buffer) => {
      if (behaviour.kind === 'cut' && read + part.length >= behaviour.afterBytes) {
        take(part.subarray(0, behaviour.afterBytes - read));
        this.#raw.get(socket.remotePort)?.resetAndDestroy();
        return;
      }
      if (behaviour.kind === 'leave' && read + part.length >= behaviour.afterBytes) {
        take(part.subarray(0, behaviour.afterBytes - read));
        socket.pause();
        socket.end(() => socket.destroy());
        return;
      }
      take(part);
    });
    socket.on('end', () => {
      if (behaviour.kind === 'endless') return;
      this.#end(socket, rest);
    });
  }

  #readSlowly(socket: TLSSocket, bytes: number, take: (part: Buffer) => void): void {
    const timer = setInterval(() => {
      const part = (socket.read(bytes) ?? socket.read()) as Buffer | null;
      if (part !== null) take(part);
    }, 1);
    socket.on('end', () => this.#end(socket, Buffer.alloc(0))).on('close', () => clearInterval(timer));
  }

  #end(socket: TLSSocket, rest: Buffer): void {
    if (rest.length > 0) this.faults.push(rest.toString());
    this.ends.push(this.messages.length);
    socket.end();
  }

  /** Keeps whole messages. @returns the incomplete rest */
  #messagesIn(bytes: Buffer): Buffer {
    let left = bytes;
    for (;;) {
      const blank = left.indexOf(' ');
      if (blank < 0) return left;
      const count = left.subarray(0, blank).toString();
      if (!/^[1-9]\d{0,5}$/.test(count)) {
        this.faults.push(left.toString());
        return Buffer.alloc(0);
      }
      const end = blank + 1 + Number(count);
      if (left.length < end) return left;
      this.messages.push(left.subarray(blank + 1, end).toString());
      left = left.subarray(end);
    }
  }
}
