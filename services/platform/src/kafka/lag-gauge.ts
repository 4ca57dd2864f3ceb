import type { Metrics } from '../metrics/metrics.ts';
import type { TopicSpec } from '../ports/event-log.ts';

/** Groups of one process that are told apart. */
const GROUPS = 20;

/** Who is told how many records of a group lie in the log and are not finished yet. */
export interface Lag {
  /** The partitions of a group are shared anew: those of this process tell theirs again. */
  clear(group: string, topics: readonly string[]): void;
  set(group: string, topic: string, partition: number, records: number): void;
}

/**
 * By group and topic, over the partitions that this process has.
 * @boundedBy the groups and partitions
 */
export class LagGauge implements Lag {
  readonly #set: (labels: { group: string; topic: string }, value: number) => void;
  readonly #lags = new Map<string, Map<number, number>>();

  constructor(topics: readonly TopicSpec[], metrics?: Metrics) {
    const gauge = metrics?.gauge<'group' | 'topic'>({
      name: 'consumer_lag_records',
      help: 'Records in the log that this process has still to finish',
      labels: { group: GROUPS, topic: topics.map(({ name }) => name) },
    });
    this.#set = gauge ?? (() => undefined);
  }

  clear(group: string, topics: readonly string[]): void {
    for (const topic of topics) {
      this.#lags.delete(`${group}/${topic}`);
      this.#set({ group, topic }, 0);
    }
  }

  set(group: string, topic: string, partition: number, records: number): void {
    const name = `${group}/${topic}`;
    let lags = this.#lags.get(name);
    if (lags === undefined) this.#lags.set(name, (lags = new Map()));
    lags.set(partition, records);
    let sum = 0;
    for (const lag of lags.values()) sum += lag;
    this.#set({ group, topic }, sum);
  }
}
