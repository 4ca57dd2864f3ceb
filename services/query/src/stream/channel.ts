/** The live stream of one organisation: its records one after another to its clients. */
import type { FeedItem } from '@sentinel-node/contracts';
import type { ReadContext } from '../reads/index.ts';
import type { StreamClient } from './client.ts';
import { formatEventId } from './event-id.ts';
import { framesOf } from './frames.ts';
import { STREAM_LIMITS } from './limits.ts';
import { Merger } from './merger.ts';

export interface ChannelDeps {
  readonly reads: ReadContext;
  readonly epoch: () => string;
  /** Everything of the organisation up to this offset was handed to the channel. */
  readonly delivered: () => number;
  /** Looks up who the client is now; false: its session has ended. */
  readonly refresh: (client: StreamClient) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

export class Channel {
  readonly orgId: string;
  readonly clients = new Set<StreamClient>();
  readonly #deps: ChannelDeps;
  readonly #merger = new Merger();
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOverrun = false;
  #isDueQueued = false;

  constructor(orgId: string, deps: ChannelDeps) {
    this.orgId = orgId;
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.clients.size === 0 && this.#waiting === 0;
  }

  /** Id of what has been sent when everything up to `offset` was handled. */
  idAt(offset: number): string {
    return formatEventId({ epoch: this.#deps.epoch(), offset: this.#merger.sentUpTo(offset) });
  }

  /** A record of the organisation. */
  publish(items: readonly FeedItem[], offset: number): void {
    if (this.#waiting >= STREAM_LIMITS.channelRecords) this.#isOverrun = true;
    if (this.#isOverrun) return;
    this.run(async () => {
      await this.#send(this.#merger.take(items, offset, performance.now()), offset);
      if (this.#merger.isFull) this.#resyncAll();
    });
  }

  /** What waited for its turn; and, after too much came at once, a `resync`. */
  tick(): void {
    if (this.#isOverrun && this.#waiting === 0) {
      this.#isOverrun = false;
      this.#resyncAll();
    } else if (this.#merger.isWaiting && !this.#isDueQueued) {
      this.#isDueQueued = true;
      // The queue is in order: when the job runs, everything up to here was handled.
      const offset = this.#deps.delivered();
      this.run(() => {
        this.#isDueQueued = false;
        return this.#send(this.#merger.due(performance.now()), offset);
      });
    }
  }

  /** Runs after everything that was handed over before. */
  run(job: () => Promise<void> | void): void {
    this.#waiting++;
    this.#work = this.#work
      .then(job)
      .catch((error: unknown) => {
        // What was missed is not known: the clients load anew.
        this.#deps.onError(error);
        this.#resyncAll();
      })
      .finally(() => this.#waiting--);
  }

  async #send(items: readonly FeedItem[], offset: number): Promise<void> {
    if (items.length === 0 || this.clients.size === 0) return;
    const frames = await framesOf(this.#deps.reads, this.orgId, items);
    const isAboutPeople = items.some(({ kind }) => kind === 'user' || kind === 'organization');
    for (const client of this.clients) {
      if (isAboutPeople && !(await this.#deps.refresh(client))) continue;
      client.send(frames, this.idAt(offset));
    }
  }

  #resyncAll(): void {
    this.#merger.clear();
    const id = this.idAt(this.#deps.delivered());
    for (const client of this.clients) client.resync(id);
  }
}
