import type { Metrics } from '../metrics/metrics.ts';
import { NotDurableError, PortError } from '../ports/errors.ts';
import { isLostConnection, isCollectionReplaced, portError } from './mongo-errors.ts';
import { PendingCalls } from './pending-calls.ts';
import type { RefusedWrites } from './refused-writes.ts';

const MS_PER_SECOND = 1_000;
const OPERATIONS = [
  'ensure',
  'collections',
  'drop',
  'replace',
  'get',
  'find',
  'count',
  'upsert',
  'insertMissing',
  'insertUnique',
  'update',
  'remove',
  'explain',
] as const;
export type Operation = (typeof OPERATIONS)[number];
/** Operations with the same effect and answer whether they happen once or twice. */
const REPEATABLE: ReadonlySet<Operation> = new Set([
  'ensure',
  'collections',
  'drop',
  'get',
  'find',
  'count',
  'upsert',
  'remove',
  'explain',
] as const);
/** Operations that change nothing. */
const READS: ReadonlySet<Operation> = new Set(['collections', 'get', 'find', 'count', 'explain'] as const);
/** Operations that write documents; a change of a collection may wait for long although documents can be written. */
const WRITES: ReadonlySet<Operation> = new Set([
  'upsert',
  'insertMissing',
  'insertUnique',
  'update',
  'remove',
] as const);
const CODES = ['CONFLICT', 'NOT_DURABLE', 'OVERLOADED'] as const;
const BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

interface Meters {
  readonly took: (operation: string, seconds: number) => void;
  readonly failed: (operation: string, code: string) => void;
}

/** Runs all calls to the driver: limited, measured, and with the errors of the port. */
export class MongoCalls {
  readonly #calls: PendingCalls;
  readonly #writes: RefusedWrites;
  readonly #meters: Meters | undefined;

  constructor(
    limits: { readonly pendingCalls: number; readonly pendingBytes: number },
    writes: RefusedWrites,
    metrics: Metrics | undefined,
  ) {
    this.#writes = writes;
    this.#calls = new PendingCalls(limits);
    this.#meters = metrics === undefined ? undefined : metersOf(metrics, () => this.#calls.pending);
  }

  get pending(): number {
    return this.#calls.pending;
  }

  drain(): Promise<void> {
    return this.#calls.drain();
  }

  /** Runs one call. @throws ConflictError, NotDurableError, OverloadedError, or an unexpected error */
  async run<T>(operation: Operation, collection: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const answer = await this.#calls.run(bytes, () => withRepeat(operation, work));
      if (WRITES.has(operation)) this.#writes.succeeded();
      return answer;
    } catch (error) {
      const failure = portError(error, collection, !READS.has(operation));
      if (WRITES.has(operation) && failure instanceof NotDurableError) this.#writes.refused();
      this.#meters?.failed(operation, failure instanceof PortError ? failure.code : 'other');
      throw failure;
    } finally {
      this.#meters?.took(operation, (performance.now() - began) / MS_PER_SECOND);
    }
  }
}

/**
 * Repeats a repeatable call once after a lost connection, or when the collection was replaced meanwhile; the search
 * for a server has its own limit.
 */
async function withRepeat<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!REPEATABLE.has(operation) || !(isLostConnection(error) || isCollectionReplaced(error))) throw error;
    return work();
  }
}

function metersOf(metrics: Metrics, pending: () => number): Meters {
  const took = metrics.histogram({
    name: 'mongodb_call_seconds',
    help: 'Calls to MongoDB, waiting for a connection included',
    labels: { operation: OPERATIONS },
    buckets: BUCKETS,
  });
  const failed = metrics.counter({
    name: 'mongodb_call_failures_total',
    help: 'Calls to MongoDB that failed, by the code of the failure',
    labels: { operation: OPERATIONS, code: CODES },
  });
  const help = 'Calls to MongoDB under way or waiting for a connection';
  metrics.observedGauge({ name: 'mongodb_pending_calls', help }, pending);
  return {
    took: (operation, seconds) => took({ operation }, seconds),
    failed: (operation, code) => failed({ operation, code }, 1),
  };
}
