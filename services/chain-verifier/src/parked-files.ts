import { TOPICS } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import { loadHeads, type HeadStore } from './head-store.ts';
import { readDeadLetter } from './recorded-decisions.ts';

/** Most parked files that are counted; the number stays at this when there are more. */
export const MAX_PARKED_FILES = 100_000;
const KEYS_PER_READ = 1_000;

/**
 * The files that are parked now, of all partitions: after a restart, and after another verifier parked or freed one. The dead
 * letters say which files were parked, the stored heads which of these still are.
 * @pool parked-files
 */
export class ParkedFiles {
  readonly #eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly #store: HeadStore;
  readonly #parked = new Set<string>();
  /** Offset of the record that parked each file, until the stored head has come to it. */
  readonly #parkings = new Map<string, number>();
  readonly #next = new Map<number, number>();

  #hasLooked = false;

  constructor(eventLog: Pick<EventLog, 'bounds' | 'read'>, store: HeadStore) {
    this.#eventLog = eventLog;
    this.#store = store;
  }

  /** Number of parked files; undefined before the first look: files may have been parked before the start. */
  get size(): number | undefined {
    return this.#hasLooked ? this.#parked.size : undefined;
  }

  add(key: string): void {
    if (this.#parked.size < MAX_PARKED_FILES) this.#parked.add(key);
  }

  remove(key: string): void {
    this.#parked.delete(key);
  }

  /** Reads the dead letters since the last call, and the heads of the files that are parked or were parked since. */
  async look(): Promise<void> {
    await this.#readLetters();
    const keys = [...new Set([...this.#parked, ...this.#parkings.keys()])];
    for (let from = 0; from < keys.length; from += KEYS_PER_READ)
      for (const [key, { offset, parked }] of await loadHeads(
        this.#store,
        keys.slice(from, from + KEYS_PER_READ),
      )) {
        if (parked !== undefined) this.add(key);
        else this.remove(key);
        // The letter is written before the head is.
        if (offset >= (this.#parkings.get(key) ?? 0)) this.#parkings.delete(key);
      }
    this.#hasLooked = true;
  }

  async #readLetters(): Promise<void> {
    for (const { partition, start, end } of await this.#eventLog.bounds(TOPICS.deadLetters)) {
      const from = this.#next.get(partition) ?? start;
      if (from >= end) continue;
      for await (const { records } of this.#eventLog.read(TOPICS.deadLetters, partition, from, end)) {
        for (const record of records) {
          const letter = readDeadLetter(record);
          if (letter?.kind === 'POISON' && this.#parkings.size < MAX_PARKED_FILES)
            this.#parkings.set(letter.key, letter.offset);
        }
        this.#next.set(partition, records.at(-1)!.offset + 1);
      }
    }
  }
}
