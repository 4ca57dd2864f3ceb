import type { DeviceLimits } from '@sentinel-node/contracts';
import type { Writable } from 'node:stream';
import type { Viewer } from '../views/index.ts';
import type { Delivery } from './delivery.ts';
import { STREAM_LIMITS } from './limits.ts';

const COMMENT = Buffer.from(':\n\n');

/** One open connection. Writes all frames of a record or none. */
export class StreamClient {
  readonly orgId: string;
  readonly token: string;
  viewer: Viewer;
  /** Of a limited service token; null: it hears of the whole organisation. */
  readonly limits: DeviceLimits | null;
  readonly #out: Writable;
  readonly #currentId: () => string;
  /** Time since which the client does not read and nothing is written, in monotonic milliseconds. */
  #slowSince: number | undefined;

  constructor(options: {
    readonly orgId: string;
    readonly token: string;
    readonly viewer: Viewer;
    readonly limits: DeviceLimits | null;
    readonly out: Writable;
    /** Returns the id for a `resync`: a read that starts now includes everything up to it. */
    readonly currentId: () => string;
  }) {
    this.orgId = options.orgId;
    this.token = options.token;
    this.viewer = options.viewer;
    this.limits = options.limits;
    this.#out = options.out;
    this.#currentId = options.currentId;
    this.#out.on('drain', () => {
      if (this.#slowSince === undefined) return;
      this.#slowSince = undefined;
      this.resync(this.#currentId());
    });
  }

  /** Returns true once the connection is closed, or is being closed. */
  get isGone(): boolean {
    return this.#out.writableEnded || this.#out.destroyed;
  }

  ready(id: string): void {
    this.#write(Buffer.from(`id: ${id}\nevent: ready\ndata: {}\n\n`));
  }

  /** Tells the client to reload everything, because single changes were lost. */
  resync(id: string): void {
    this.#write(Buffer.from(`id: ${id}\nevent: resync\ndata: {}\n\n`));
  }

  send(delivery: Delivery): void {
    this.#write(delivery.bytesFor(this));
  }

  /** Sends what the client missed; a comment when that is nothing, so that the client knows that it has everything. */
  resume(missed: Delivery): void {
    const bytes = missed.bytesFor(this);
    this.#write(bytes.length === 0 ? COMMENT : bytes);
  }

  /** Tells what is of no record, so that it has no id: a client that reconnects hears it anew. */
  tell(event: string, data: object): void {
    this.#write(Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  /** Keeps the connection alive; cuts off a client that has not read for too long. */
  comment(now: number): void {
    if (this.#slowSince === undefined) this.#write(COMMENT, now);
    else if (now - this.#slowSince > STREAM_LIMITS.slowMs) this.#out.destroy();
  }

  end(): void {
    this.#out.end();
  }

  #write(bytes: Buffer, now = performance.now()): void {
    if (bytes.length === 0 || this.#slowSince !== undefined || this.isGone) return;
    const waiting = this.#out.writableLength;
    // `drain` follows only where it is needed; without it a client held for slow would hear of nothing until it is cut off.
    const isBehind = this.#out.writableNeedDrain;
    if (isBehind && waiting + bytes.length > STREAM_LIMITS.clientBufferBytes) this.#slowSince = now;
    else this.#out.write(bytes);
  }
}
