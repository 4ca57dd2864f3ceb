import type { Metrics } from '../metrics/metrics.ts';
import type { TopicSpec } from '../ports/event-log.ts';

/** The most groups of one process with their own labels. */
export const GROUPS = 20;

/** Receives the number of records in the log that a group has not finished yet. */
export interface Lag {
  /**
   * Forgets the group's numbers when its partitions are reassigned; the partitions of this process then report again.
   */
  clear(group: string, topics: readonly string[]): void;
  set(group: string, topic: string, partition: number, records: number): void;
}

/**
 * Sums the lag by group and topic, over the partitions of this process.
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
