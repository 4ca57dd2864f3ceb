import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy on 127.0.0.1 that can stop forwarding bytes while connections stay open: a network that hangs. */
export class TcpProxy {
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  readonly #answering = new Set<Socket>();
  readonly #stranded = new WeakSet<Socket>();
  #target = 0;
  #hangs = false;
  #holdsAnswers = false;

  static async open(): Promise<TcpProxy> {
    const proxy = new TcpProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sends new connections to a port of 127.0.0.1. */
  forwardTo(port: number): void {
    this.#target = port;
  }

  /** Stops all bytes in both directions; new connections are accepted and hang too. */
  hang(): void {
    this.#hangs = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Forwards the clients' bytes, but not the server's answers. */
  holdAnswers(): void {
    this.#holdsAnswers = true;
    for (const socket of this.#answering) socket.pause();
  }

  /** Forwards the held bytes and continues. */
  resume(): void {
    this.#hangs = false;
    this.#holdsAnswers = false;
    for (const socket of this.#sockets) if (!this.#stranded.has(socket)) socket.resume();
  }

  /** Makes all present connections hang for ever, without an end or a reset; new connections work. */
  strand(): void {
    for (const socket of this.#sockets) {
      this.#stranded.add(socket);
      socket.pause();
    }
  }

  /** Ends every connection at once; accepts new connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(inward: Socket): void {
    const outward = connect(this.#target, '127.0.0.1');
    this.#answering.add(outward);
    outward.on('close', () => this.#answering.delete(outward));
    this.#join(inward, outward);
    this.#join(outward, inward);
  }

  #isHeld(socket: Socket): boolean {
    return this.#hangs || this.#stranded.has(socket) || (this.#holdsAnswers && this.#answering.has(socket));
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    // Not `pipe`: a drain of the other side would restart a held socket.
    from.on('data', (data) => {
      if (!to.write(data)) from.pause();
    });
    to.on('drain', () => void (this.#isHeld(from) || from.resume()));
    if (this.#isHeld(from)) from.pause();
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
