import { LIMITS } from '@sentinel-node/contracts';
import {
  FairCache,
  type Clock,
  type ClockWatch,
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
  /** Default: the times themselves order changes. */
  readonly clockWatch?: Pick<ClockWatch, 'revision'>;
  readonly timers: Pick<Timers, 'every' | 'delay'>;
  readonly log: Log;
  readonly limits: Pick<
    IngestionLimits,
    | 'refusedFiles'
    | 'refusedFilesEveryMs'
    | 'refusedFilesTold'
    | 'refusedFilesTellAtEndMs'
    | 'refusedFilesOverlapMs'
    | 'refusedFilesAllEvery'
  >;
}

/**
 * Files whose last report was refused for good (decision 077), with the time of the refusal, ms. Processes tell each other through the
 * store every `refusedFilesEveryMs`: heartbeats of a device come to any process, and to others after a restart. Of refusals and
 * accepted reports the newest counts. An organisation has as much room, and is told to others as fast, as what the others leave.
 */
export class RefusedFiles {
  readonly #options: RefusedFilesOptions;
  readonly #refused: FairCache<RefusedFile>;
  /** Changes that other processes have to hear of, by file. */
  readonly #untold: FairCache<RefusedFile>;
  #hasLearned = false;
  /** Exchanges until all changes of the overlap are read again, while they are more than one read returns. */
  #untilAll = 0;
  #repeating: Repeating | undefined;
  #isFailing = false;

  constructor(options: RefusedFilesOptions) {
    this.#options = options;
    /** @pool refused-files */
    this.#refused = new FairCache(options.limits.refusedFiles);
    /** @pool refused-files-told */
    this.#untold = new FairCache(options.limits.refusedFiles);
  }

  /** Number of such files. */
  get size(): number {
    return this.#refused.size;
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
    return this.#refused.get(fileId)?.rev;
  }

  refused(orgId: string, fileId: string, nowMs: number): void {
    const rev = this.#options.clockWatch?.revision(nowMs) ?? nowMs;
    const refused = { id: fileId, rev, isRefused: true, orgId };
    this.#refused.set(orgId, fileId, refused);
    this.#untold.set(orgId, fileId, refused);
  }

  /** Records that a report of the file was accepted. @param atMs when */
  accepted(fileId: string, atMs: number): void {
    const refused = this.#refused.get(fileId);
    if (refused === undefined) return;
    this.#refused.delete(fileId);
    const accepted = { ...refused, rev: Math.max(atMs, refused.rev + 1), isRefused: false };
    this.#untold.set(orgOf(refused), fileId, accepted);
  }

  async start(): Promise<void> {
    const { timers, limits } = this.#options;
    await this.#exchange();
    // `#exchange` never rejects.
    this.#repeating = timers.every(limits.refusedFilesEveryMs, () => this.#exchange());
  }

  /** Tells what was not told yet. Waits only a moment for it, and for no running exchange: both can hang together with the store. */
  async stop(): Promise<void> {
    void this.#repeating?.stop();
    if (this.#untold.size === 0) return;
    const { timers, limits } = this.#options;
    await Promise.race([this.#tellAll(), timers.delay(limits.refusedFilesTellAtEndMs)]);
  }

  async #tellAll(): Promise<void> {
    const { log } = this.#options;
    try {
      while (this.#untold.size > 0) await this.#tell();
    } catch (error) {
      log.warn({ err: error }, 'which files were refused last is forgotten with this process');
    }
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
    const { limits, store } = this.#options;
    const told: RefusedFile[] = [];
    for (const one of this.#untold.inTurns()) if (told.push(one) >= limits.refusedFilesTold) break;
    if (told.length === 0) return;
    await store.bulkUpsert(REFUSED_FILES_COLLECTION.name, told);
    for (const one of told) if (this.#untold.get(one.id) === one) this.#untold.delete(one.id);
  }

  /** Reads the newest changes, at first all refused files. Clocks of processes differ, so that it reads some of them again. */
  async #learn(): Promise<void> {
    const { clock, limits } = this.#options;
    if (!this.#hasLearned) await this.#learnSince(0);
    else {
      const since = clock.now() - limits.refusedFilesOverlapMs;
      const newest = await this.#changes({ gte: since }, 'desc');
      this.#take(newest.toReversed());
      if (newest.length < LIMITS.findDocuments) this.#untilAll = 0;
      else await this.#learnRestOf(since);
    }
    this.#hasLearned = true;
  }

  /**
   * Reads all changes since a time, now and then. The newest ones do not have those of a process whose clock is behind, nor of
   * one that told after more than one read returns had come.
   */
  async #learnRestOf(since: number): Promise<void> {
    if (this.#untilAll > 0) {
      this.#untilAll -= 1;
      return;
    }
    await this.#learnSince(since);
    this.#untilAll = this.#options.limits.refusedFilesAllEvery;
  }

  async #learnSince(since: number): Promise<void> {
    for (let from = since; ;) {
      const page = await this.#changes({ gte: from }, 'asc');
      this.#take(page);
      if (page.length < LIMITS.findDocuments) return;
      const last = page.at(-1)!.rev;
      // The next page begins with the time at which this one ends, which may go on there.
      if (page[0]!.rev < last) from = last;
      else {
        await this.#learnRest(page.at(-1)!);
        from = last + 1;
      }
    }
  }

  /** Reads the changes of one time after the given one: there may be more than one read returns. */
  async #learnRest({ rev, id: after }: RefusedFile): Promise<void> {
    for (let id = after; ;) {
      const page = await this.#options.store.find(REFUSED_FILES_COLLECTION.name, {
        where: { rev, id: { gt: id } },
        limit: LIMITS.findDocuments,
      });
      this.#take(page);
      if (page.length < LIMITS.findDocuments) return;
      id = page.at(-1)!.id;
    }
  }

  /** @param changes oldest first, because the one that was set first gives way */
  #take(changes: readonly RefusedFile[]): void {
    for (const one of changes) {
      const { id, rev, isRefused } = one;
      if (Math.max(this.#refused.get(id)?.rev ?? 0, this.#untold.get(id)?.rev ?? 0) >= rev) continue;
      if (isRefused) this.#refused.set(orgOf(one), id, one);
      else this.#refused.delete(id);
    }
  }

  #changes(rev: { readonly gte: number }, direction: 'asc' | 'desc'): Promise<RefusedFile[]> {
    return this.#options.store.find(REFUSED_FILES_COLLECTION.name, {
      where: { rev },
      sort: { field: 'rev', direction },
      limit: LIMITS.findDocuments,
    });
  }
}

/** Returns the organisation whose share the file takes; files of which earlier versions told share one. */
const orgOf = ({ orgId = '' }: RefusedFile): string => orgId;
