import { LIMITS } from '@sentinel-node/contracts';
import {
  CountedCache,
  type Clock,
  type DocumentStore,
  type Log,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import type { IngestionLimits } from './limits.ts';
import { REFUSED_FILES_COLLECTION, type RefusedFile } from './own-collections.ts';

export interface RefusedFilesOptions {
  readonly store: Pick<DocumentStore, 'bulkUpsert' | 'find'>;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  readonly limits: Pick<
    IngestionLimits,
    'refusedFiles' | 'refusedFilesEveryMs' | 'refusedFilesTold' | 'refusedFilesOverlapMs'
  >;
}

/**
 * Files whose last report was refused for good (decision 077), with the time of the refusal, ms. Processes tell each other through the
 * store every `refusedFilesEveryMs`: heartbeats of a device come to any process, and to others after a restart. Of refusals and
 * accepted reports the newest counts.
 */
export class RefusedFiles {
  readonly #options: RefusedFilesOptions;
  readonly #times: CountedCache<string, number>;
  /** Changes that other processes have to hear of, by file. */
  readonly #untold: CountedCache<string, RefusedFile>;
  #hasLearned = false;
  #repeating: Repeating | undefined;
  #isFailing = false;

  constructor(options: RefusedFilesOptions) {
    this.#options = options;
    /** @pool refused-files */
    this.#times = new CountedCache(options.limits.refusedFiles);
    /** @pool refused-files-told */
    this.#untold = new CountedCache(options.limits.refusedFiles);
  }

  /** Number of such files. */
  get size(): number {
    return this.#times.size;
  }

  /**
   * Resolves once what other processes, or this one before a restart, have told was read: before that nothing is known of
   * any file. @throws the error of the store
   */
  async known(): Promise<void> {
    if (!this.#hasLearned) await this.#learn();
  }

  /** Returns when the last report of the file was refused for good; undefined: it was not. */
  refusedAt(fileId: string): number | undefined {
    return this.#times.peek(fileId);
  }

  refused(fileId: string, nowMs: number): void {
    this.#times.set(fileId, nowMs);
    this.#untold.set(fileId, { id: fileId, rev: nowMs, isRefused: true });
  }

  /** Records that a report of the file was accepted. @param atMs when */
  accepted(fileId: string, atMs: number): void {
    const refusedAt = this.#times.peek(fileId);
    if (refusedAt === undefined) return;
    this.#times.delete(fileId);
    this.#untold.set(fileId, { id: fileId, rev: Math.max(atMs, refusedAt + 1), isRefused: false });
  }

  async start(): Promise<void> {
    const { timers, limits } = this.#options;
    await this.#exchange();
    // `#exchange` never rejects.
    this.#repeating = timers.every(limits.refusedFilesEveryMs, () => this.#exchange());
  }

  /** Does not wait for a running exchange, which can hang together with its store. */
  stop(): void {
    void this.#repeating?.stop();
  }

  async #exchange(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#tell();
      await this.#learn();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'which files were refused is not exchanged with other processes');
      this.#isFailing = true;
    }
  }

  async #tell(): Promise<void> {
    const untold = [...this.#untold.rvalues()].filter((one) => one !== undefined);
    const told = untold.slice(0, this.#options.limits.refusedFilesTold);
    if (told.length === 0) return;
    await this.#options.store.bulkUpsert(REFUSED_FILES_COLLECTION.name, told);
    for (const one of told) if (this.#untold.peek(one.id) === one) this.#untold.delete(one.id);
  }

  /** Reads the newest changes, at first all refused files. Clocks of processes differ, so that it reads some of them again. */
  async #learn(): Promise<void> {
    const { clock, limits } = this.#options;
    const found = this.#hasLearned
      ? await this.#changes({ gte: clock.now() - limits.refusedFilesOverlapMs })
      : await this.#allRefused();
    this.#hasLearned = true;
    // Oldest first, because the one that was set first gives way.
    for (const { id, rev, isRefused } of found.toReversed()) {
      if (Math.max(this.#times.peek(id) ?? 0, this.#untold.peek(id)?.rev ?? 0) >= rev) continue;
      if (isRefused) this.#times.set(id, rev);
      else this.#times.delete(id);
    }
  }

  /** Returns the files that are refused, newest first, as many as are remembered. */
  async #allRefused(): Promise<RefusedFile[]> {
    const refused = new Map<string, RefusedFile>();
    let upTo = Number.MAX_SAFE_INTEGER;
    while (refused.size < this.#options.limits.refusedFiles) {
      const page = await this.#changes({ lte: upTo });
      for (const one of page) if (one.isRefused) refused.set(one.id, one);
      if (page.length < LIMITS.findDocuments) break;
      const last = page.at(-1)!.rev;
      // The next page begins with the time at which this one ends, which may go on there.
      upTo = last < upTo ? last : last - 1;
    }
    return [...refused.values()];
  }

  /** Returns the newest changes of that time, newest first. */
  #changes(rev: { readonly gte: number } | { readonly lte: number }): Promise<RefusedFile[]> {
    return this.#options.store.find(REFUSED_FILES_COLLECTION.name, {
      where: { rev },
      sort: { field: 'rev', direction: 'desc' },
      limit: LIMITS.findDocuments,
    });
  }
}
