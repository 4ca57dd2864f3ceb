import type { Metrics } from '../metrics/metrics.ts';
import type { TopicSpec } from '../ports/event-log.ts';
import { partitionName } from './partition-name.ts';

/** The most groups of one process with their own labels. */
export const GROUPS = 20;

/** Receives the number of records in the log that a group has not finished yet. */
export interface Lag {
  /**
   * Forgets the group's partitions that are with other processes now. What stays keeps its number: an alarm about a lag must not
   * end because the group was reassigned. @param partitions names of the partitions of this process
   */
  assign(group: string, topics: readonly string[], partitions: readonly string[]): void;
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

  assign(group: string, topics: readonly string[], partitions: readonly string[]): void {
    const names = new Set(partitions);
    for (const topic of topics) {
      const lags = this.#lagsOf(group, topic);
      for (const partition of lags.keys())
        if (!names.has(partitionName(topic, partition))) lags.delete(partition);
      this.#show(group, topic);
    }
  }

  set(group: string, topic: string, partition: number, records: number): void {
    this.#lagsOf(group, topic).set(partition, records);
    this.#show(group, topic);
  }

  #lagsOf(group: string, topic: string): Map<number, number> {
    const name = `${group}/${topic}`;
    let lags = this.#lags.get(name);
    if (lags === undefined) this.#lags.set(name, (lags = new Map()));
    return lags;
  }

  #show(group: string, topic: string): void {
    let sum = 0;
    for (const lag of this.#lagsOf(group, topic).values()) sum += lag;
    this.#set({ group, topic }, sum);
  }
}
