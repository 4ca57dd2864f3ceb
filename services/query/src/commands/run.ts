/** Turns a pure decision into a commit: assigns event ids and nonces, checks the size, publishes. */
import { NONCE_BYTES, toHex } from '@sentinel-node/contracts';
import {
  ApiError,
  DocumentTooLargeError,
  execute,
  type Executed,
  type NewCommit,
  type StreamEntity,
  type StreamState,
} from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { Actor, Decision, Refused, Stamp } from '../registry/decision.ts';
import type { Precondition } from '../registry/tags.ts';
import { afterChange } from './after-change.ts';
import { commitOf } from './commit-of.ts';
import { checkSize } from './commit-size.ts';

/** Context of a commit. */
export type CommitContext = Pick<QueryContext, 'store' | 'clock' | 'random' | 'timers' | 'settle'>;

export interface Command<E extends StreamEntity> {
  readonly stream: string;
  readonly orgId: string;
  readonly by: Actor | null;
  /** Makes the checks that need I/O before the decision; throws the command's refusal. */
  readonly check?: (entity: E | undefined) => Promise<void>;
  /** Absent when any state may be changed. */
  readonly precondition?: Precondition<E> | undefined;
  readonly decide: (entity: E | undefined, stamp: Stamp) => Decision<E>;
}

export interface Ran<E extends StreamEntity> {
  readonly entity: E;
  readonly version: number;
  /** False when the command changed nothing. */
  readonly changed: boolean;
}

/**
 * Loads, decides, commits with the expected version, publishes, and waits until a read shows the commit.
 * @throws ApiError NOT_FOUND for an entity of another organisation or none, STALE, the refusal of the decision, CONFLICT when
 * others kept changing the stream, or UNAVAILABLE when the change was made and no read can show it yet
 */
export async function run<E extends StreamEntity>(
  context: CommitContext,
  command: Command<E>,
): Promise<Ran<E>> {
  const ran = await runOnAny(context, command);
  if (ran === undefined) throw new ApiError('NOT_FOUND');
  return ran;
}

/**
 * Runs a command as `run` does, on an entity that may exist without a commit, such as a rule that nobody has changed.
 * Returns undefined when the stream has no commit afterwards either.
 */
export async function runOnAny<E extends StreamEntity>(
  context: CommitContext,
  command: Command<E>,
): Promise<Ran<E> | undefined> {
  const done = await executed(context, command);
  const { commit } = done;
  if (commit !== undefined) await afterChange(() => context.settle(commit));
  if (done.state === undefined) return undefined;
  const { entity, version } = done.state;
  return { entity, version, changed: commit !== undefined };
}

async function executed<E extends StreamEntity>(
  context: CommitContext,
  command: Command<E>,
): Promise<Executed<E>> {
  const { store, random, timers } = context;
  try {
    return await execute<E>({
      store,
      stream: command.stream,
      random,
      timers,
      decide: async (state) => {
        if (state !== undefined && ownerOf(state.entity) !== command.orgId) throw new ApiError('NOT_FOUND');
        await command.by?.confirm?.();
        await command.check?.(state?.entity);
        return newCommit(context, command, state);
      },
    });
  } catch (error) {
    if (!(error instanceof DocumentTooLargeError)) throw error;
    const detail = 'The change takes too much room. Change fewer at once.';
    throw new ApiError('LIMIT_REACHED', { detail });
  }
}

async function newCommit<E extends StreamEntity>(
  { clock, random }: CommitContext,
  { stream, orgId, by, precondition, decide }: Command<E>,
  state: StreamState<E> | undefined,
): Promise<NewCommit<E> | undefined> {
  const actor = by === null ? null : { userId: by.userId, email: by.email };
  const stamp: Stamp = { at: clock.now(), version: (state?.version ?? 0) + 1, by: actor };
  if (precondition?.(state?.entity, stamp.version - 1) === false) throw new ApiError('STALE');
  const decision = decide(state?.entity, stamp);
  if (decision.kind === 'refused') throw refusal(decision);
  if (decision.kind === 'unchanged') return undefined;
  const made = commitOf({ stream, orgId }, decision, stamp, () => toHex(random.bytes(NONCE_BYTES)));
  await checkSize({ stream, orgId }, stamp, made, state?.entity);
  return made;
}

const ownerOf = (entity: StreamEntity): string => (entity.kind === 'ORGANIZATION' ? entity.id : entity.orgId);

export function refusal({ code, detail, errors }: Refused): ApiError {
  return new ApiError(code, { detail, errors });
}
