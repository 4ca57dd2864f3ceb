/** Follows the feed once a process and hands its records to the clients of their organisation. */
import { TOPICS, VIEWS_FRAME, type DeviceLimits, type ViewsState } from '@sentinel-node/contracts';
import type { Writable } from 'node:stream';
import {
  ApiError,
  FairPool,
  ignoreTransient,
  Lifecycle,
  OverloadedError,
  type Caller,
  type EventLog,
  type Holding,
  type Log,
  type RecordBatch,
  type TailSubscription,
  type Timers,
} from '@sentinel-node/platform';
import { alertSignal, type KeptAlerts, type Signals } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import type { Summaries } from '../dashboard/index.ts';
import type { Viewer, ViewsAge } from '../views/index.ts';
import { Channel } from './channel.ts';
import { StreamClient } from './client.ts';
import { Delivery } from './delivery.ts';
import { parseEventId } from './event-id.ts';
import { FeedProgress } from './feed-progress.ts';
import { feedRecordOf } from './feed-record.ts';
import { devicesOfFrames, framesOf } from './frames.ts';
import { STREAM_LIMITS, STREAM_TIMES } from './limits.ts';
import { missedItems } from './replay.ts';

export interface HubDeps {
  readonly reads: QueryContext & { readonly summaries: Summaries; readonly keptAlerts: KeptAlerts };
  readonly eventLog: EventLog;
  readonly timers: Pick<Timers, 'every' | 'delay'>;
  readonly signals: Signals;
  readonly viewsAge: Pick<ViewsAge, 'word'>;
  readonly log: Log;
  /** Returns the callers of the tokens, in order; undefined for an ended session. */
  readonly callersOf: (tokens: readonly string[]) => Promise<readonly (Caller | undefined)[]>;
}

export interface Connection {
  readonly orgId: string;
  readonly token: string;
  readonly viewer: Viewer;
  /** Of a limited service token. */
  readonly limits: DeviceLimits | null;
  readonly out: Writable;
  /** `Last-Event-ID`; absent for a new connection. */
  readonly lastEventId: string | undefined;
}

/** @pool streams */
export class StreamHub {
  readonly #deps: HubDeps;
  readonly #channels = new Map<string, Channel>();
  readonly #progress: FeedProgress;
  readonly #places = new FairPool({
    unit: 'live streams',
    whole: STREAM_LIMITS.clients,
    perMember: STREAM_LIMITS.clientsPerUser,
  });
  readonly #lifecycle: Lifecycle;
  #tail: TailSubscription | undefined;
  /** What all clients were told last of the views. */
  #viewsState: ViewsState | undefined;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#progress = new FeedProgress(deps.eventLog, deps.timers);
    this.#lifecycle = new Lifecycle((error) => this.#onFailure(error));
  }

  /** The pool of open streams. */
  get places(): Pick<FairPool, 'used' | 'largest'> {
    return this.#places;
  }

  /** False also while the log does not answer: streams would stay open and show nothing new. */
  get isFollowing(): boolean {
    return this.#lifecycle.isRunning && this.#tail?.isFollowing() === true;
  }

  async start(): Promise<void> {
    const { eventLog, timers } = this.#deps;
    const from = await this.#progress.begin();
    this.#tail = await eventLog.tail(TOPICS.feed, from, (batch) => this.#take(batch));
    this.#lifecycle.run(
      this.#tail,
      timers.every(STREAM_TIMES.merge, async () => this.#tick()),
      timers.every(STREAM_TIMES.comment, async () => this.#comment()),
      timers.every(
        STREAM_TIMES.session,
        ignoreTransient(() => this.#checkSessions()),
      ),
    );
  }

  async stop(): Promise<void> {
    this.endAll();
    await this.#lifecycle.stop();
  }

  endAll(): void {
    for (const { clients } of this.#channels.values()) for (const client of clients) client.end();
  }

  /** Closes all streams: from now on they could miss changes, so no new one is opened either. */
  #onFailure(error: unknown): void {
    this.#deps.log.error({ err: error }, 'live updates ended; open streams are closed');
    this.endAll();
  }

  /**
   * Takes a place for one stream at once; the caller releases it when the connection has closed.
   * @throws ApiError UNAVAILABLE, OVERLOADED (try again later)
   */
  enter(orgId: string, userId: string): Holding {
    if (!this.isFollowing) throw new ApiError('UNAVAILABLE');
    const place = this.#places.hold(orgId, userId);
    try {
      place.take(1);
    } catch (error) {
      place.release();
      if (!(error instanceof OverloadedError)) throw error;
      throw new ApiError('OVERLOADED', {
        detail: 'Too many live streams are open.',
        retryAfterSeconds: STREAM_LIMITS.retryAfterSeconds,
      });
    }
    return place;
  }

  /** Serves an open connection until it closes. */
  connect(connection: Connection): void {
    const { orgId, out, lastEventId } = connection;
    const channel = this.#channelOf(orgId);
    const delivered = (): number => this.#progress.deliveredTo(orgId);
    const currentId = (): string => channel.idAt(delivered());
    const client = new StreamClient({ ...connection, currentId });
    out.once('close', () => channel.clients.delete(client));
    // Records up to here are in the channel's queue before the greeting; later ones come after it.
    const upTo = delivered();
    channel.run(async () => {
      if (out.destroyed) return;
      try {
        if (lastEventId === undefined) client.ready(channel.idAt(upTo));
        else await this.#resume(channel, client, lastEventId, upTo);
      } catch (error) {
        // The client is not in the channel yet and would stay open without updates. It reconnects.
        client.end();
        throw error;
      }
      client.tell(VIEWS_FRAME, this.#deps.viewsAge.word);
      channel.add(client);
    });
  }

  async #resume(channel: Channel, client: StreamClient, lastEventId: string, upTo: number): Promise<void> {
    const { reads, eventLog } = this.#deps;
    const { orgId } = client;
    const feed = { orgId, partition: this.#progress.partitionOf(orgId) };
    const missed = await missedItems(eventLog, feed, parseEventId(lastEventId), upTo, () =>
      channel.expired(),
    );
    const id = channel.idAt(upTo);
    if (missed === undefined) client.resync(id);
    else {
      const frames = await framesOf(reads, orgId, missed);
      client.resume(new Delivery(frames, id, await devicesOfFrames(reads, frames, [client])));
    }
  }

  #channelOf(orgId: string): Channel {
    const existing = this.#channels.get(orgId);
    if (existing !== undefined) return existing;
    const { reads, eventLog, log, timers } = this.#deps;
    const channel = new Channel(orgId, {
      reads,
      timers,
      epoch: () => eventLog.epoch(TOPICS.feed),
      delivered: () => this.#progress.deliveredTo(orgId),
      refresh: (clients) => this.#refresh(clients),
      onError: (error) => log.error({ err: error, orgId }, 'a live update failed; its clients load anew'),
    });
    this.#channels.set(orgId, channel);
    return channel;
  }

  /** Returns true once every current feed record of the organisation is delivered; false when that takes too long. */
  async catchUp(orgId: string): Promise<boolean> {
    return this.isFollowing && this.#progress.catchUp(orgId);
  }

  #take({ partition, records }: RecordBatch): void {
    const { summaries, keptAlerts } = this.#deps.reads;
    const kept = [summaries, keptAlerts];
    for (const stored of records) {
      const record = feedRecordOf(stored);
      // Before `advance`, which wakes the reads that wait for this record.
      for (const one of kept) {
        if (record === undefined) one.drop(stored.key);
        else one.noteChanges(record.orgId, record.items);
      }
      if (!this.#progress.advance(partition, stored.offset)) {
        for (const one of kept) one.dropAll();
        this.#resync(partition);
      }
      if (record === undefined) {
        this.#deps.log.error({ partition, offset: stored.offset }, 'a record of the feed cannot be read');
        this.#channels.get(stored.key)?.resync();
        continue;
      }
      const { orgId, items } = record;
      for (const { kind, id } of items) if (kind === 'alert') this.#deps.signals.raise(alertSignal(id));
      this.#channels.get(orgId)?.publish(items, stored.offset);
    }
  }

  /** Tells every client of the partition to load anew, because records before the current one are lost. */
  #resync(partition: number): void {
    for (const [orgId, channel] of this.#channels)
      if (this.#progress.partitionOf(orgId) === partition) channel.resync();
  }

  #tick(): void {
    if (!this.isFollowing) this.endAll();
    if (this.#deps.viewsAge.word.state !== this.#viewsState) this.#tellViewsAge();
    for (const [orgId, channel] of this.#channels) {
      channel.tick();
      channel.checkLapses();
      if (channel.isIdle) this.#channels.delete(orgId);
    }
  }

  #comment(): void {
    const now = performance.now();
    for (const { clients } of this.#channels.values()) for (const client of clients) client.comment(now);
    this.#tellViewsAge();
  }

  #tellViewsAge(): void {
    const { word } = this.#deps.viewsAge;
    this.#viewsState = word.state;
    for (const { clients } of this.#channels.values())
      for (const client of clients) client.tell(VIEWS_FRAME, word);
  }

  /** Ends the streams of ended sessions and service tokens now; after a failure the next check repeats it. */
  checkSessionsSoon(): void {
    void this.#checkSessions().catch(() => undefined);
  }

  /** Looks up the clients of all organisations together: one after the other, many would take longer than the time between two checks. */
  async #checkSessions(): Promise<void> {
    const { checkedAtOnce } = STREAM_LIMITS;
    const clients = [...this.#channels.values()].flatMap((channel) => [...channel.clients]);
    for (let at = 0; at < clients.length; at += checkedAtOnce)
      await this.#refresh(clients.slice(at, at + checkedAtOnce));
  }

  /** Gives each client the current role of its user, and ends clients whose session has ended. */
  async #refresh(clients: readonly StreamClient[]): Promise<void> {
    const callers = await this.#deps.callersOf(clients.map(({ token }) => token));
    for (const [at, client] of clients.entries()) {
      const caller = callers[at];
      if (caller?.orgId === client.orgId && caller.role !== null)
        client.viewer = { userId: caller.userId, role: caller.role };
      else client.end();
    }
  }
}
