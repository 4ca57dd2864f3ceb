/** Knows whether the views have the contacts that the log has, for a reader who would take a view that is behind for silence. */
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  endsOf,
  NotCaughtUpError,
  type Clock,
  type EventLog,
  type PartitionEnd,
  type Timers,
} from '@sentinel-node/platform';
import { catchUpSoon } from './catch-up.ts';

export interface ContactViewsOptions {
  readonly eventLog: Pick<EventLog, 'bounds' | 'committed'>;
  readonly timers: Pick<Timers, 'delay'>;
  readonly clock: Clock;
  /** How far the views may be behind, in milliseconds. */
  readonly behindMs: number;
}

type Ends = readonly { readonly topic: string; readonly ends: readonly PartitionEnd[] }[];

export class ContactViews {
  readonly #options: ContactViewsOptions;
  /** Ends of the log that the views did not reach in the last call. */
  #missed: { readonly at: number; readonly ends: Ends } | undefined;

  constructor(options: ContactViewsOptions) {
    this.#options = options;
  }

  /**
   * Waits a short time until the views have every record that has a contact and is in the log when this is called. Under a
   * load that the projector is always a few seconds behind, the ends of the call before are enough.
   * @throws NotCaughtUpError
   */
  async confirm(): Promise<void> {
    const { clock, timers, behindMs } = this.#options;
    const now = clock.now();
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed !== undefined && now - missed.at <= behindMs && (await this.#lacks(missed.ends)) === undefined)
      return;
    const ends = await this.#ends();
    let topic = await this.#lacks(ends);
    if (topic === undefined) return;
    const haveCaughtUp = async (): Promise<boolean> => (topic = await this.#lacks(ends)) === undefined;
    if (await catchUpSoon(timers, haveCaughtUp)) return;
    this.#missed = { at: now, ends };
    throw new NotCaughtUpError({ group: GROUPS.projector, topic });
  }

  #ends(): Promise<Ends> {
    const { eventLog } = this.#options;
    return Promise.all(
      [TOPICS.chain, TOPICS.deviceHealth].map(async (topic) => ({
        topic,
        ends: await endsOf(eventLog, topic),
      })),
    );
  }

  /** Returns a topic of which the views lack records before these ends. Heartbeats have no checkpoints. */
  async #lacks(all: Ends): Promise<string | undefined> {
    for (const { topic, ends } of all) {
      const committed = await this.#options.eventLog.committed(topic, GROUPS.projector);
      if (ends.some(({ partition, end }) => (committed.get(partition) ?? 0) < end)) return topic;
    }
    return undefined;
  }
}
