/**
 * One HTTP/1.1 connection, kept alive, one request at a time. A client of its own on node:net, because a full client costs
 * more than the server that is measured, and both share the cores.
 */
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

export class Connection {
  #url;
  #socket;
  #waiting;
  #chunks = [];
  #bytes = 0;

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
    this.#open();
  }

  /** Sends a whole request and resolves to the answer. Reopens a connection that the server ended while it was idle. */
  send(request) {
    if (this.#socket.destroyed) this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  #open() {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    this.#socket = socket;
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes);
    const head = all.indexOf(END_OF_HEAD);
    if (head === -1) return;
    const text = all.latin1Slice(0, head);
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (length === undefined) return this.#fail(new Error(`an answer without a length: ${text}`));
    const end = head + END_OF_HEAD.length + Number(length);
    if (all.length < end) return;
    this.#chunks = [];
    this.#bytes = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const isGzip = /\r\ncontent-encoding: gzip/i.test(text);
    const body = all.subarray(head + END_OF_HEAD.length, end);
    waiting?.resolve({
      status: Number(text.slice(9, 12)),
      retryAfterSeconds: Number(/\r\nretry-after: (\d+)/i.exec(text)?.[1] ?? 0),
      body: isGzip ? '' : body.utf8Slice(),
      // Decompressed only for who asks, because that costs more than all else here.
      decompressed: () => (isGzip ? gunzipSync(body) : body),
    });
  }

  #fail(error) {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
