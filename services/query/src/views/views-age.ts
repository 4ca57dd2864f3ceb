/** Knows how old the views are: up to when they have everything that the log took, by the log's own ends and commits. */
import { CONSUMED, GROUPS, type ViewsState, type ViewsWord } from '@sentinel-node/contracts';
import {
  endsOf,
  type Clock,
  type EventLog,
  type Log,
  type PartitionEnd,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import { iso } from './read.ts';

export const VIEWS_AGE = {
  /** Time between two looks at the log, in milliseconds. */
  lookMs: 5_000,
  /** Age above which the views count as behind, and age of the last look above which nothing is known, in milliseconds. */
  behindMs: 60_000,
  /** Age at which views that were behind count as current again, in milliseconds: several looks, so that a load is no lag. */
  currentMs: 30_000,
  /** The most looks that wait; above, every other one is forgotten. */
  waitingLooks: 100,
} as const;

/** The ways of a record to the views, each with the group that works on it: reports are judged first. */
const JUDGED = CONSUMED.filter(({ group }) => group === GROUPS.verifier);
const PROJECTED = CONSUMED.filter(({ group }) => group === GROUPS.projector);

type Way = readonly { readonly group: string; readonly topic: string }[];
type Ends = ReadonlyMap<string, readonly PartitionEnd[]>;

/** A time, by the clock and monotonic, and the ends of the log that a group has to reach before the views are of that time. */
interface Mark {
  readonly at: number;
  readonly monotonic: number;
  readonly ends: Ends;
}

export interface ViewsAgeOptions {
  readonly eventLog: Pick<EventLog, 'bounds' | 'committed'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** @boundedBy `VIEWS_AGE.waitingLooks` */
export class ViewsAge {
  readonly #options: ViewsAgeOptions;
  readonly #now: () => number;
  /** Looks whose reports are not all judged, and looks whose records are not all in the views; oldest first. */
  #judging: Mark[] = [];
  #projecting: Mark[] = [];
  #reached: Omit<Mark, 'ends'> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isBehind = false;
  #isFailing = false;
  #isStopped = false;
  #repeating: Repeating | undefined;

  constructor(options: ViewsAgeOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Returns what is known now: `UNKNOWN` once the log has not answered a look for too long. */
  get word(): ViewsWord {
    return { state: this.#state(), asOf: this.#reached === undefined ? null : iso(this.#reached.at) };
  }

  #state(): ViewsState {
    const now = this.#now();
    if (now - this.#lookedAt > VIEWS_AGE.behindMs) return 'UNKNOWN';
    const age = now - (this.#reached?.monotonic ?? Number.NEGATIVE_INFINITY);
    this.#isBehind = age > (this.#isBehind ? VIEWS_AGE.currentMs : VIEWS_AGE.behindMs);
    return this.#isBehind ? 'BEHIND' : 'CURRENT';
  }

  async start(timers: Pick<Timers, 'every'>): Promise<void> {
    await this.look();
    this.#repeating = timers.every(VIEWS_AGE.lookMs, () => this.look());
  }

  /** Does not wait for a look under way, which can hang together with its broker. */
  stop(): Promise<void> {
    this.#isStopped = true;
    void this.#repeating?.stop();
    return Promise.resolve();
  }

  /** Looks at the log. Never rejects: what a look that fails would have found is unknown. */
  async look(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#lookNow();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped)
        log.warn({ err: error }, 'how old the views are cannot be told');
      this.#isFailing = true;
    }
  }

  async #lookNow(): Promise<void> {
    const time = { at: this.#options.clock.now(), monotonic: this.#now() };
    this.#judging = await this.#withMark(this.#judging, JUDGED, time);
    const judged = await this.#takeReached(this.#judging, JUDGED);
    // What is judged is in the log by now: the ends of this moment include it.
    if (judged !== undefined) this.#projecting = await this.#withMark(this.#projecting, PROJECTED, judged);
    this.#reached = (await this.#takeReached(this.#projecting, PROJECTED)) ?? this.#reached;
    this.#lookedAt = this.#now();
  }

  async #withMark(marks: Mark[], way: Way, { at, monotonic }: Omit<Mark, 'ends'>): Promise<Mark[]> {
    const ends = await this.#ofTopics(way, ({ topic }) => endsOf(this.#options.eventLog, topic));
    const kept = marks.length < VIEWS_AGE.waitingLooks ? marks : marks.filter((_, n) => n % 2 === 0);
    return [...kept, { at, monotonic, ends }];
  }

  /** Removes and returns the newest mark that is reached; those before it are reached too. */
  async #takeReached(marks: Mark[], way: Way): Promise<Mark | undefined> {
    if (marks.length === 0) return undefined;
    const committed = await this.#ofTopics(way, ({ topic, group }) =>
      this.#options.eventLog.committed(topic, group),
    );
    const isReached = ({ ends }: Mark): boolean =>
      [...ends].every(([topic, of]) =>
        of.every(({ partition, end }) => (committed.get(topic)?.get(partition) ?? 0) >= end),
      );
    return marks.splice(0, marks.findLastIndex(isReached) + 1).at(-1);
  }

  async #ofTopics<T>(way: Way, read: (step: Way[number]) => Promise<T>): Promise<ReadonlyMap<string, T>> {
    return new Map(await Promise.all(way.map(async (step) => [step.topic, await read(step)] as const)));
  }
}
