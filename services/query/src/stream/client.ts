import type { DeviceLimits } from '@sentinel-node/contracts';
import type { Writable } from 'node:stream';
import { isWithin } from '../service-tokens/index.ts';
import type { DeviceView, Viewer } from '../views/index.ts';
import type { Frame } from './frames.ts';
import { STREAM_LIMITS } from './limits.ts';

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

  ready(id: string): void {
    this.#write(`id: ${id}\nevent: ready\ndata: {}\n\n`);
  }

  /** Tells the client to reload everything, because single changes were lost. */
  resync(id: string): void {
    this.#write(`id: ${id}\nevent: resync\ndata: {}\n\n`);
  }

  /** @param devices those that the frames tell of, as they are after the frames were made; asked for with limits only */
  send(frames: readonly Frame[], id: string, devices: ReadonlyMap<string, DeviceView>): void {
    const shown = frames
      .filter((frame) => this.#isWithin(frame, devices))
      .map(({ event, dataFor }) => ({ event, data: dataFor(this.viewer) }))
      .filter(({ data }) => data !== null);
    const last = shown.length - 1;
    this.#write(
      shown
        .map(({ event, data }, at) => `${at === last ? `id: ${id}\n` : ''}event: ${event}\ndata: ${data}\n\n`)
        .join(''),
    );
  }

  /** Keeps the connection alive; cuts off a client that has not read for too long. */
  comment(now: number): void {
    if (this.#slowSince === undefined) this.#write(':\n\n', now);
    else if (now - this.#slowSince > STREAM_LIMITS.slowMs) this.#out.destroy();
  }

  end(): void {
    this.#out.end();
  }

  #isWithin({ deviceId }: Frame, devices: ReadonlyMap<string, DeviceView>): boolean {
    if (this.limits === null) return true;
    const device = deviceId === undefined ? undefined : devices.get(deviceId);
    return device !== undefined && isWithin(this.limits, device);
  }

  #write(text: string, now = performance.now()): void {
    if (text === '' || this.#slowSince !== undefined || this.#out.writableEnded || this.#out.destroyed)
      return;
    const waiting = this.#out.writableLength;
    if (waiting > 0 && waiting + Buffer.byteLength(text) > STREAM_LIMITS.clientBufferBytes)
      this.#slowSince = now;
    else this.#out.write(text);
  }
}
