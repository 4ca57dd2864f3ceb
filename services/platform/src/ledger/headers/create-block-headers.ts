import { parseBlockHeader, shownHash, toHex, type KnownBlock } from '@sentinel-node/contracts';
import type { Log } from '../../logging/log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { backoffMs } from '../../ambient/retry.ts';
import type { Repeating, Timers } from '../../ambient/timers.ts';
import { WaitClock } from '../../ambient/wait-clock.ts';
import type { Clock } from '../../ports/ambient.ts';
import type { BlockHeaders } from '../../ports/block-headers.ts';
import type { DocumentStore } from '../../ports/document-store.ts';
import { isTransient, LedgerUnavailableError } from '../../ports/errors.ts';
import { createHeaderAlarms, type HeaderAlarms } from './alarms.ts';
import { BestChain } from './best-chain.ts';
import { BLOCK_HEADERS_COLLECTION, StoredHeaders } from './collection.ts';
import { HEADER_LIMITS } from './limits.ts';
import { fetchHeaders } from './look.ts';
import { openSource, type HeadersFrom } from './open-source.ts';
import { HeadersUnreadableError, type HeaderSource } from './source.ts';

export interface BlockHeadersOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly network: string;
  /** The block after which all headers are checked: known by its hash, never replaced. */
  readonly checkpoint: KnownBlock;
  readonly from: HeadersFrom;
  /** When true, no header is written: for a process beside the one that keeps them, because only one may write. */
  readonly isReader?: boolean;
}

export interface FollowedHeaders extends BlockHeaders {
  /** Asks the source now, unless earlier failures require a wait. The timer does the same. */
  look(): Promise<void>;
}

/**
 * Follows the headers of a public ledger from an untrusted source and keeps them in the store. `start` loads the
 * stored headers; the source is asked afterwards, so that an unreachable source delays nothing.
 */
export function createBlockHeaders(options: BlockHeadersOptions): FollowedHeaders {
  return new SourcedHeaders(options);
}

class SourcedHeaders implements FollowedHeaders {
  readonly #options: BlockHeadersOptions;
  readonly #chain: BestChain;
  readonly #stored: StoredHeaders;
  readonly #alarms: HeaderAlarms;
  readonly #stopping = new AbortController();
  readonly #source: HeaderSource;
  #looking: Promise<void> | undefined;
  #repeating: Repeating | undefined;
  #failures = 0;
  readonly #waits: WaitClock;
  /** No request before this time of `#waits`. */
  #notBefore = 0;
  /** Height from which the store lacks headers; undefined when it lacks none. */
  #unsaved: number | undefined;

  constructor(options: BlockHeadersOptions) {
    const { checkpoint, clock, from, log, metrics, network, store } = options;
    this.#options = options;
    this.#waits = new WaitClock(clock);
    this.#chain = new BestChain({ network, checkpoint });
    this.#stored = new StoredHeaders(store);
    this.#source = openSource(from, checkpoint, this.#stopping.signal);
    this.#alarms = createHeaderAlarms(log, metrics, this.#source.name);
    this.#alarms.show(() => this.#tip(), clock);
  }

  async start(): Promise<void> {
    await this.#options.store.ensure([BLOCK_HEADERS_COLLECTION]);
    const problem = await this.#stored.load(this.#chain);
    if (problem !== undefined) this.#alarms.stored(problem);
    const { timers } = this.#options;
    this.#repeating = timers.every(HEADER_LIMITS.intervalMs, () => this.look());
    this.#looking = this.look();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#repeating?.stop();
    this.#repeating = undefined;
    await this.#looking;
  }

  look(): Promise<void> {
    // One request at a time: a second call waits for the first and sends none itself.
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  get firstHeight(): number {
    return this.#chain.checkpoint.height;
  }

  async height(): Promise<number> {
    const { height } = this.#chain;
    if (height >= this.#chain.checkpoint.height) return height;
    throw new LedgerUnavailableError('no block header is known yet');
  }

  async header(height: number): Promise<string | undefined> {
    await this.height();
    const bytes = this.#chain.headerAt(height);
    return bytes && toHex(bytes);
  }

  #tip(): { height: number; time: number } | undefined {
    const bytes = this.#chain.headerAt(this.#chain.height);
    return bytes && { height: this.#chain.height, time: parseBlockHeader(bytes)!.time };
  }

  async #lookOnce(): Promise<void> {
    const { clock } = this.#options;
    if (this.#stopping.signal.aborted || this.#waits.now() < this.#notBefore) return;
    try {
      await this.#save();
      const { refusal } = await fetchHeaders({
        chain: this.#chain,
        source: this.#source,
        now: () => Math.floor(clock.now() / 1_000),
        onTaken: async (from) => {
          this.#unsaved = Math.min(from, this.#unsaved ?? from);
          await this.#save();
        },
      });
      if (refusal === undefined) this.#failures = 0;
      else this.#fail(() => this.#alarms.refused(refusal.problem, refusal.height));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof HeadersUnreadableError) this.#fail(() => this.#alarms.refused(error.message));
      else if (error instanceof LedgerUnavailableError || isTransient(error))
        this.#fail(() => this.#alarms.unavailable(error));
      else throw error;
    }
  }

  async #save(): Promise<void> {
    if (this.#unsaved === undefined || this.#options.isReader === true) return;
    await this.#stored.save(this.#chain, this.#unsaved);
    this.#unsaved = undefined;
    const { height } = this.#chain;
    const hash = shownHash(parseBlockHeader(this.#chain.headerAt(height)!)!.hash);
    this.#options.log.info({ height, hash }, 'block headers are known up to this block');
  }

  #fail(tell: () => void): void {
    const { intervalMs: firstMs, longestWaitMs: longestMs } = HEADER_LIMITS;
    this.#notBefore = this.#waits.now() + backoffMs(this.#failures, { firstMs, longestMs, jitter: 0 });
    this.#failures += 1;
    tell();
  }
}
