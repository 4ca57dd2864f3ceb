import { DeadLetterSchema, TOPICS, parseJsonBytes, type DeadLetter } from '@sentinel-node/contracts';
import { compileChecker, type EventLog, type StoredRecord } from '@sentinel-node/platform';

/** Most decisions in memory, about 150 bytes each; more unjudgeable records than that need a person. */
export const MAX_DECISIONS = 100_000;

const checker = compileChecker(DeadLetterSchema);
/** Reads a dead letter from a record of its topic; undefined: the record is none. */
export function readDeadLetter({ body }: Pick<StoredRecord, 'body'>): DeadLetter | undefined {
  try {
    const value: unknown = parseJsonBytes(body);
    return checker.check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export class TooManyDecisionsError extends Error {
  readonly code = 'TOO_MANY_DECISIONS';
  constructor() {
    super(
      `the dead letters hold more than ${MAX_DECISIONS} records that could not be judged, the most that fit into memory; sentinel dead-letters list names their files and causes`,
    );
    this.name = 'TooManyDecisionsError';
  }
}

/**
 * Records that were found unjudgeable, read from the dead letters, which are written first when a key is parked.
 * A later version that judges a record again, after a crash or for a rebuild, must come to the same decision.
 * @pool dead-letters
 */
export class RecordedDecisions {
  readonly #eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly #causes = new Map<string, string>();
  readonly #next = new Map<number, number>();

  constructor(eventLog: Pick<EventLog, 'bounds' | 'read'>) {
    this.#eventLog = eventLog;
  }

  /** Reads the dead letters written since the last call. @throws TooManyDecisionsError */
  async refresh(): Promise<void> {
    for (const { partition, end } of await this.#eventLog.bounds(TOPICS.deadLetters)) {
      const from = this.#next.get(partition) ?? 0;
      if (from >= end) continue;
      for await (const { records } of this.#eventLog.read(TOPICS.deadLetters, partition, from, end)) {
        for (const record of records) this.#take(readDeadLetter(record));
        this.#next.set(partition, records.at(-1)!.offset + 1);
      }
    }
  }

  causeOf(topic: string, partition: number, offset: number): string | undefined {
    if (this.#causes.size === 0) return undefined;
    return this.#causes.get(placeOf(topic, partition, offset));
  }

  #take(letter: DeadLetter | undefined): void {
    if (letter === undefined || letter.cause === null) return;
    if (this.#causes.size >= MAX_DECISIONS) throw new TooManyDecisionsError();
    this.#causes.set(placeOf(letter.topic, letter.partition, letter.offset), letter.cause);
  }
}

function placeOf(topic: string, partition: number, offset: number): string {
  return `${topic}:${partition}:${offset}`;
}
