import { ConflictError } from '../ports/errors.ts';
import type { Random } from '../ports/ambient.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import { chanceOf, retry } from '../ambient/retry.ts';
import type { Timers } from '../ambient/timers.ts';
import {
  commit,
  loadStream,
  type NewCommit,
  type StreamCommit,
  type StreamEntity,
  type StreamState,
} from './stream.ts';

/** Attempts after conflicts with other changes of the command's stream. */
export const CONFLICT_RETRIES = 8;
/** Full jitter, so that commands that collided do not collide again. */
const CONFLICT_BACKOFF = { firstMs: 4, longestMs: 100, jitter: 1 };

export interface Execution<E extends StreamEntity> {
  readonly store: DocumentStore;
  readonly stream: string;
  /**
   * Called once for each attempt with the current state. Returns undefined for no change. A thrown error is the
   * command's answer.
   */
  readonly decide: (
    state: StreamState<E> | undefined,
  ) => NewCommit<E> | undefined | Promise<NewCommit<E> | undefined>;
  readonly random: Random;
  readonly timers: Pick<Timers, 'delay'>;
  readonly retries?: number;
}

export interface Executed<E extends StreamEntity> {
  /** Undefined when the stream does not exist and `decide` changed nothing. */
  readonly state: StreamState<E> | undefined;
  /** The commit made by this call, not published yet. */
  readonly commit: StreamCommit<E> | undefined;
}

/**
 * Loads, decides, and appends with the expected version; repeats from the new state when another commit was first.
 * @throws ConflictError when another commit was first in every attempt
 */
export async function execute<E extends StreamEntity>(execution: Execution<E>): Promise<Executed<E>> {
  const { retries = CONFLICT_RETRIES, random, timers } = execution;
  return retry(() => attemptOnce(execution), {
    backoff: CONFLICT_BACKOFF,
    delay: (ms) => timers.delay(ms),
    mayRetry: (error, attempts) => error instanceof ConflictError && attempts <= retries,
    chance: () => chanceOf(random),
  });
}

async function attemptOnce<E extends StreamEntity>(execution: Execution<E>): Promise<Executed<E>> {
  const { store, stream, decide } = execution;
  const state = await loadStream<E>(store, stream);
  const change = await decide(state);
  if (change === undefined) return { state, commit: undefined };
  const made = await commit(store, stream, state?.version ?? 0, change);
  return { state: made, commit: made };
}
