/** One live stream over HTTP/1.1, as a console keeps it open; a full client would cost more than the measured server. */
import { connect } from 'node:net';

/** The note of an event names the new length, which names its report. */
const NOTE = String.raw`\"to\":`;
const LENGTH_DIGITS = 12;
/** The start of a stream's first frame, and of the frame after something was missed. */
const READY = 'event: ready\n';
const RESYNC = 'event: resync\n';

export class Listener {
  events = 0;
  resyncs = 0;
  bytes = 0;
  #rest = '';
  #socket;
  #onEvent;

  /** @param onEvent called with the length that an event names, and the time in milliseconds */
  constructor(url, token, orgId, onEvent) {
    this.#onEvent = onEvent;
    const { hostname, port, host } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.write(
      `GET /api/v1/stream/${orgId} HTTP/1.1\r\nhost: ${host}\r\nx-access-token: ${token}\r\n\r\n`,
    );
    this.ready = new Promise((resolve, reject) => {
      this.#socket.on('data', (chunk) => this.#take(chunk, resolve));
      this.#socket.on('error', reject);
      this.#socket.on('close', () => reject(new Error(`a stream ended: ${this.#rest.slice(0, 300)}`)));
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk, onReady) {
    const at = performance.now();
    this.bytes += chunk.length;
    const text = this.#rest + chunk.latin1Slice();
    // Frames end with an empty line; whatever follows the last one waits for the next chunk.
    const end = text.lastIndexOf('\n\n');
    this.#rest = text.slice(end === -1 ? 0 : end + 2);
    const whole = text.slice(0, end === -1 ? 0 : end + 2);
    if (whole.includes(READY)) onReady();
    if (whole.includes(RESYNC)) this.resyncs += 1;
    for (let from = whole.indexOf(NOTE); from !== -1; from = whole.indexOf(NOTE, from + 1)) {
      this.events += 1;
      const digits = from + NOTE.length;
      this.#onEvent(parseInt(whole.slice(digits, digits + LENGTH_DIGITS), 10), at);
    }
  }
}
