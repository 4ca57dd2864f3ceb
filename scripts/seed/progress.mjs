/** Shortest time between two lines about the progress, in milliseconds; each part also ends with a line. */
const EVERY_MS = 5_000;
const BYTES_PER_MIB = 1_048_576;

export class Progress {
  #say;
  #part;
  #began = performance.now();

  constructor(say) {
    this.#say = say;
  }

  begin(name, all) {
    this.end();
    this.#part = { name, all, done: 0, began: performance.now(), told: performance.now() };
  }

  tell(done) {
    this.#part.done = done;
    if (performance.now() - this.#part.told < EVERY_MS) return;
    this.#part.told = performance.now();
    this.#line();
  }

  end() {
    if (this.#part !== undefined) this.#line();
    this.#part = undefined;
  }

  #line() {
    const { name, all, done, began } = this.#part;
    const rate = done / Math.max(0.001, (performance.now() - began) / 1_000);
    const seconds = ((performance.now() - this.#began) / 1_000).toFixed(0);
    const mib = (process.memoryUsage.rss() / BYTES_PER_MIB).toFixed(0);
    const text = (number) => Math.round(number).toLocaleString('en-US');
    this.#say(
      `${seconds.padStart(5)} s  ${name}: ${text(done)} of ${text(all)}, ${text(rate)}/s, ${mib} MiB`,
    );
  }
}
