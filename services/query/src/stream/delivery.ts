/** Frames that are sent together, as the bytes of each client. */
import type { DeviceLimits } from '@sentinel-node/contracts';
import { isWithin } from '../service-tokens/index.ts';
import type { DeviceView, Viewer } from '../views/index.ts';
import type { Frame } from './frames.ts';

export interface Recipient {
  readonly viewer: Viewer;
  /** Of a limited service token; null: it hears of the whole organisation. */
  readonly limits: DeviceLimits | null;
}

/** Server-sent events (WHATWG HTML, 9.2); the last one has the id. Clients that get the same share the bytes. */
export class Delivery {
  readonly #frames: readonly Frame[];
  readonly #id: string;
  readonly #devices: ReadonlyMap<string, DeviceView>;
  readonly #isPersonal: boolean;
  #common: Buffer | undefined;

  /** @param devices those that the frames tell of, as they are after the frames were made; needed for clients with limits only */
  constructor(frames: readonly Frame[], id: string, devices: ReadonlyMap<string, DeviceView>) {
    this.#frames = frames;
    this.#id = id;
    this.#devices = devices;
    this.#isPersonal = frames.some((frame) => 'dataFor' in frame);
  }

  /** Returns no bytes for a client that may see none of the frames. */
  bytesFor(client: Recipient): Buffer {
    if (client.limits !== null || this.#isPersonal) return this.#bytesOf(client);
    return (this.#common ??= this.#bytesOf(client));
  }

  #bytesOf({ viewer, limits }: Recipient): Buffer {
    const shown = this.#frames
      .filter((frame) => limits === null || this.#isWithin(limits, frame))
      .map((frame) => ({ event: frame.event, data: 'data' in frame ? frame.data : frame.dataFor(viewer) }))
      .filter(({ data }) => data !== null);
    const last = shown.length - 1;
    const texts = shown.map(({ event, data }, at) => {
      const id = at === last ? `id: ${this.#id}\n` : '';
      return `${id}event: ${event}\ndata: ${data}\n\n`;
    });
    return Buffer.from(texts.join(''));
  }

  #isWithin(limits: DeviceLimits, { deviceId }: Frame): boolean {
    const device = deviceId === undefined ? undefined : this.#devices.get(deviceId);
    return device !== undefined && isWithin(limits, device);
  }
}
