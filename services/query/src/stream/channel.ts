/** The live stream of one organisation: sends the records to the clients in order. */
import type { FeedItem } from '@sentinel-node/contracts';
import type { Timers } from '@sentinel-node/platform';
import type { Summaries } from '../dashboard/index.ts';
import type { Expirations } from '../devices/index.ts';
import type { StreamClient } from './client.ts';
import { Delivery } from './delivery.ts';
import { formatEventId } from './event-id.ts';
import { devicesOfFrames, type Frame, type FrameContext, framesOf } from './frames.ts';
import { PAUSE_PER_SENDING, PAUSE_PER_WORK, STREAM_LIMITS, STREAM_TIMES } from './limits.ts';
import { Merger } from './merger.ts';

/** Records that are sent together. */
interface Group {
  readonly records: { readonly items: readonly FeedItem[]; readonly offset: number }[];
  items: number;
}

export interface ChannelDeps {
  readonly reads: FrameContext & { readonly summaries: Pick<Summaries, 'expirations'> };
  readonly timers: Pick<Timers, 'delay'>;
  readonly epoch: () => string;
  /** Returns the offset up to which the channel got every record of the organisation. */
  readonly delivered: () => number;
  /** Updates the clients' callers, and ends the clients whose session has ended. */
  readonly refresh: (clients: readonly StreamClient[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** @pool streams */
export class Channel {
  readonly orgId: string;
  readonly clients = new Set<StreamClient>();
  readonly #deps: ChannelDeps;
  readonly #merger = new Merger();
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Records that wait to be sent. */
  #records = 0;
  /** The group that takes the next record: its turn has not come, and nothing else waits behind it. */
  #open: Group | undefined;
  /** No group is sent before this time, in monotonic milliseconds. */
  #notBefore = 0;
  #isOverrun = false;
  #isDueQueued = false;
  #areLapsesQueued = false;
  /** `same` of the last summary that every client has or has loaded since. */
  #summary: string | undefined;
  /** Expirations up to this time (ms) are sent. */
  #lapsedBy: number;
  /** The last result of `expired`, and its time (ms). */
  #expired: { readonly at: number; readonly items: readonly FeedItem[] } | undefined;
  /** Time of the next check for expirations: by the clock, and by the monotonic clock. */
  #lapsesDue: { readonly at: number; readonly notBefore: number };

  constructor(orgId: string, deps: ChannelDeps) {
    this.orgId = orgId;
    this.#deps = deps;
    const now = deps.reads.clock.now();
    this.#lapsedBy = now;
    this.#lapsesDue = { at: now, notBefore: 0 };
  }

  get isIdle(): boolean {
    return this.clients.size === 0 && this.#waiting === 0;
  }

  /** Returns the id for clients when every record up to `offset` is handled. */
  idAt(offset: number): string {
    return formatEventId({ epoch: this.#deps.epoch(), offset: this.#merger.sentUpTo(offset) });
  }

  /** Takes a client that is still there: nothing would remove one that left while its missed changes were read. */
  add(client: StreamClient): void {
    if (client.isGone) return;
    // The new client may load a newer summary than the others have.
    this.#summary = undefined;
    this.clients.add(client);
  }

  /** Queues a record of the organisation. Records that wait at the same time are sent together. */
  publish(items: readonly FeedItem[], offset: number): void {
    if (this.#records >= STREAM_LIMITS.channelRecords) this.#isOverrun = true;
    if (this.#isOverrun) return;
    this.#records++;
    const open = this.#open ?? this.#openGroup();
    open.records.push({ items, offset });
    open.items += items.length;
    const isFull =
      open.records.length >= STREAM_LIMITS.recordsAtOnce || open.items >= STREAM_LIMITS.itemsAtOnce;
    if (isFull) this.#open = undefined;
  }

  #openGroup(): Group {
    const group: Group = { records: [], items: 0 };
    this.run(async () => {
      const pause = this.#notBefore - performance.now();
      // Without a pause for a group that takes no more: nothing would be gathered in it.
      if (pause > 0 && this.#open === group) await this.#deps.timers.delay(pause);
      if (this.#open === group) this.#open = undefined;
      this.#records -= group.records.length;
      const now = performance.now();
      // Taken in turn: what the merger sends later must also go to a client that joined before this job.
      const items = group.records.flatMap((record) => this.#merger.take(record.items, record.offset, now));
      await this.#send(items, group.records.at(-1)!.offset);
      this.#resyncDropped();
    });
    return (this.#open = group);
  }

  /** Sends `resync` after a record of the organisation that is unreadable or lost. */
  resync(): void {
    this.run(() => this.#resyncAll());
  }

  /** Sends the items whose turn has come, and a `resync` after an overrun or for dropped files. */
  tick(): void {
    if (this.#isOverrun && this.#waiting === 0) {
      this.#isOverrun = false;
      this.#resyncAll();
    } else if (this.#merger.isWaiting && !this.#isDueQueued && !this.#isOverrun) {
      this.#isDueQueued = true;
      // The queue is in order: when the job runs, every record up to here is handled.
      const offset = this.#deps.delivered();
      this.run(async () => {
        this.#isDueQueued = false;
        await this.#send(this.#merger.due(performance.now()), offset);
        this.#resyncDropped();
      });
    }
  }

  /** Sends changes that time alone made; cheap until the time of the next possible change. */
  checkLapses(): void {
    const { at, notBefore } = this.#lapsesDue;
    if (this.clients.size === 0 || this.#isOverrun || this.#areLapsesQueued) return;
    const now = this.#deps.reads.clock.now();
    // What the clock says now may expire before the times that were found by a clock that was ahead.
    const wentBack = now < this.#lapsedBy;
    if ((now < at && !wentBack) || performance.now() < notBefore) return;
    const offset = this.#deps.delivered();
    this.#areLapsesQueued = true;
    this.run(() => this.#tellLapses(offset).finally(() => (this.#areLapsesQueued = false)));
  }

  async #tellLapses(offset: number): Promise<void> {
    const { reads } = this.#deps;
    const started = performance.now();
    const now = reads.clock.now();
    // Each look that fails makes the clients load anew, from a store that does not answer.
    this.#lapsesDue = { at: now, notBefore: started + STREAM_TIMES.lookAgain };
    const { devices, files, nextAt } = await reads.summaries.expirations(
      this.orgId,
      Math.min(this.#lapsedBy, now),
    );
    const ended = performance.now();
    this.#lapsedBy = now;
    // A client that reconnects after this message needs what the message tells.
    this.#expired = undefined;
    const latest = now + STREAM_TIMES.expirationsMs;
    this.#lapsesDue = {
      at: Math.min(nextAt ?? latest, latest),
      notBefore: ended + PAUSE_PER_WORK * (ended - started),
    };
    if (devices.length + files.length > STREAM_LIMITS.replayedObjects) return this.#resyncAll();
    await this.#send(expiredItems(this.orgId, { devices, files }), offset);
  }

  /** Returns every expiration so far; looked up at most once a second, for all clients that reconnect. */
  async expired(): Promise<readonly FeedItem[]> {
    const { reads } = this.#deps;
    const now = reads.clock.now();
    const age = now - (this.#expired?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#expired === undefined || age < 0 || age >= STREAM_TIMES.merge) {
      const found = await reads.summaries.expirations(this.orgId, Number.NEGATIVE_INFINITY);
      const isNone = found.devices.length + found.files.length === 0;
      this.#expired = { at: now, items: isNone ? [] : expiredItems(this.orgId, found) };
    }
    return this.#expired.items;
  }

  /** Queues a job behind the earlier ones. */
  run(job: () => Promise<void> | void): void {
    // Later records come behind this job.
    this.#open = undefined;
    this.#waiting++;
    this.#work = this.#work
      .then(job)
      .catch((error: unknown) => {
        // The missed items are unknown, so the clients reload.
        this.#deps.onError(error);
        this.#resyncAll();
      })
      .finally(() => this.#waiting--);
  }

  async #send(items: readonly FeedItem[], offset: number): Promise<void> {
    if (items.length === 0 || this.clients.size === 0) return;
    const started = performance.now();
    const frames = (await framesOf(this.#deps.reads, this.orgId, items)).filter((frame) =>
      this.#isNews(frame),
    );
    const summary = items.find(({ kind }) => kind === 'summary');
    const ended = performance.now();
    if (summary !== undefined) this.#merger.delay(summary, ended + PAUSE_PER_WORK * (ended - started));
    if (frames.length === 0) return;
    const isAboutPeople = items.some(({ kind }) => kind === 'user' || kind === 'organization');
    if (isAboutPeople) await this.#deps.refresh([...this.clients]);
    const devices = await devicesOfFrames(this.#deps.reads, frames, [...this.clients]);
    const delivery = new Delivery(frames, this.idAt(offset), devices);
    const began = performance.now();
    for (const client of this.clients) client.send(delivery);
    const sent = performance.now();
    const pause = Math.min(STREAM_TIMES.longestPause, PAUSE_PER_SENDING * (sent - began));
    this.#notBefore = sent + (pause < STREAM_TIMES.leastPause ? 0 : pause);
  }

  #isNews({ same }: Frame): boolean {
    if (same === undefined) return true;
    if (same === this.#summary) return false;
    this.#summary = same;
    return true;
  }

  #resyncDropped(): void {
    if (this.#merger.isResyncDue(performance.now())) this.#resyncAll();
  }

  #resyncAll(): void {
    this.#summary = undefined;
    this.#merger.clear(performance.now());
    const id = this.idAt(this.#deps.delivered());
    for (const client of this.clients) client.resync(id);
  }
}

function expiredItems(orgId: string, { devices, files }: Pick<Expirations, 'devices' | 'files'>): FeedItem[] {
  return [
    ...devices.map((id): FeedItem => ({ kind: 'device', id, rev: 0 })),
    ...files.map((id): FeedItem => ({ kind: 'file', id, rev: 0 })),
    { kind: 'summary', id: orgId, rev: 0 },
  ];
}
