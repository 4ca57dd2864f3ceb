import { PortError } from '../ports/errors.ts';
import type { TopicSpec } from '../ports/event-log.ts';
import { KAFKA_LIMITS } from './options.ts';

const HOUR_MS = 3_600_000;
const VOLATILE_HOURS = 6;
/** With three or more replicas a write needs two, so that one broker may be away and one may be lost. */
const REPLICAS_FOR_QUORUM = 3;

export interface CreateTopicsOptions {
  /** Number of replicas: 3 in production; 1 on a single broker. */
  readonly replicationFactor: number;
  /**
   * Makes the broker flush every batch to the disk before it answers. Default: with fewer than three replicas, because
   * one broker alone then acknowledges, and loses what it does not flush when its machine loses power.
   */
  readonly flushEachBatch?: boolean;
  /** Names of topics that one call makes at first: none is made while another of them holds records. Default: none. */
  readonly together?: readonly string[];
}

export type TopicSettings = Readonly<Record<string, string>>;

/** Returns the settings of a topic with this retention. */
export function topicSettings(
  retention: TopicSpec['retention'],
  { replicationFactor, flushEachBatch = replicationFactor < REPLICAS_FOR_QUORUM }: CreateTopicsOptions,
): TopicSettings {
  const quorum = replicationFactor >= REPLICAS_FOR_QUORUM ? 2 : 1;
  return {
    'cleanup.policy': retention === 'compacted' ? 'compact' : 'delete',
    'retention.ms': retention === 'volatile' ? String(VOLATILE_HOURS * HOUR_MS) : '-1',
    'retention.bytes': '-1',
    ...(retention === 'volatile' && { 'segment.ms': String(HOUR_MS) }),
    // Keeps the producer's form, uncompressed: with zstd as a broker's default, the consumers here could not read their
    // own log.
    'compression.type': 'producer',
    // Kafka 4 refuses records of a machine whose clock is an hour ahead, and retention would follow that clock.
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(KAFKA_LIMITS.maxMessageBytes),
    'min.insync.replicas': String(quorum),
    'unclean.leader.election.enable': 'false',
    ...(flushEachBatch && retention !== 'volatile' && { 'flush.messages': '1' }),
  };
}

/** A setting of a topic that differs from the wanted value. */
export interface Difference {
  readonly topic: string;
  readonly setting: string;
  readonly wanted: string;
  readonly found: string;
  readonly meaning: string;
  /** True when the setting can lose acknowledged records. */
  readonly isUnsafe: boolean;
}

/**
 * Returns the topics, of those that may lose nothing, with fewer copies than the brokers could keep.
 * @param copies assigned copies by topic @param brokers that are up
 */
export function copyDifferences(
  specs: readonly TopicSpec[],
  copies: ReadonlyMap<string, number>,
  brokers: number,
): Difference[] {
  const wanted = Math.min(REPLICAS_FOR_QUORUM, brokers);
  return specs.flatMap(({ name: topic, retention }) => {
    const found = copies.get(topic) ?? wanted;
    if (retention === 'volatile' || found >= wanted) return [];
    const meaning =
      found === 1
        ? 'records are lost with the broker that has them'
        : 'one broker alone acknowledges a record';
    return [
      { topic, setting: 'copies', wanted: String(wanted), found: String(found), meaning, isUnsafe: false },
    ];
  });
}

/** The topics' settings can lose records. */
export class UnsafeTopicsError extends PortError {
  constructor(differences: readonly Difference[]) {
    super(
      'TOPICS_UNSAFE',
      `the brokers keep settings that lose records; have them changed: ${differences.map(differenceLine).join('; ')}`,
    );
  }
}

/** Returns the difference in one line. */
export function differenceLine({ topic, setting, found, wanted, meaning }: Difference): string {
  return `${topic}: ${setting} is ${found}, not ${wanted}: ${meaning}`;
}

/** @throws UnsafeTopicsError */
export function assertSafe(differences: readonly Difference[]): void {
  const unsafe = differences.filter(({ isUnsafe }) => isUnsafe);
  if (unsafe.length > 0) throw new UnsafeTopicsError(unsafe);
}

/** Returns the differences that an operator should know. @param found settings by topic */
export function differencesOf(
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
  found: ReadonlyMap<string, TopicSettings>,
): Difference[] {
  return specs.flatMap((spec) => {
    const { name: topic, retention } = spec;
    return Object.entries(topicSettings(retention, options)).flatMap(([setting, wanted]) => {
      const value = found.get(topic)?.[setting];
      if (value === undefined || value === wanted) return [];
      const judged = JUDGES[setting]?.(value, wanted, spec, options);
      return judged === undefined ? [] : [{ topic, setting, wanted, found: value, ...judged }];
    });
  });
}

/** Returns the meaning of a difference; undefined for a harmless one. */
type Judge = (
  found: string,
  wanted: string,
  spec: TopicSpec,
  options: CreateTopicsOptions,
) => Pick<Difference, 'meaning' | 'isUnsafe'> | undefined;

const keepsForEver: Judge = (found, _wanted, { retention }) => {
  if (retention === 'compacted')
    return { meaning: 'it says something only with cleanup.policy delete', isUnsafe: false };
  return retention === 'volatile'
    ? { meaning: 'records stay for another time', isUnsafe: false }
    : { meaning: `records go after ${found}, and the log is the truth`, isUnsafe: true };
};

const JUDGES: Readonly<Record<string, Judge>> = {
  'cleanup.policy': (_found, _wanted, { retention }) => ({
    meaning:
      retention === 'forever'
        ? 'records of the same key remove each other'
        : 'records are removed by another rule',
    isUnsafe: retention !== 'volatile',
  }),
  'retention.ms': keepsForEver,
  'retention.bytes': keepsForEver,
  'segment.ms': () => ({ meaning: 'records stay for another time', isUnsafe: false }),
  'compression.type': () => ({
    meaning: 'brokers compress again what they are sent, which costs them time',
    isUnsafe: false,
  }),
  'message.timestamp.type': () => ({
    meaning: 'a machine whose clock is an hour ahead can write nothing',
    isUnsafe: false,
  }),
  'max.message.bytes': (found, wanted) =>
    Number(found) < Number(wanted)
      ? { meaning: 'larger records are refused, and batches are divided', isUnsafe: false }
      : undefined,
  'min.insync.replicas': (found, wanted, { retention }, { replicationFactor }) => {
    if (Number(found) < Number(wanted))
      return { meaning: 'a record is acknowledged with too few copies', isUnsafe: retention !== 'volatile' };
    return Number(found) >= replicationFactor && replicationFactor > 1
      ? { meaning: 'nothing can be written while one broker is away', isUnsafe: false }
      : undefined;
  },
  'unclean.leader.election.enable': (_found, _wanted, { retention }) => ({
    meaning: 'a broker without the last records may become the leader',
    isUnsafe: retention !== 'volatile',
  }),
  'flush.messages': () => ({
    meaning: 'a broker whose machine loses power loses records that no other broker has',
    isUnsafe: false,
  }),
};
