/** Turns a pure decision into a commit: assigns event ids and nonces, checks the size, publishes. */
import {
  CURRENT_RULES,
  eventId,
  LIMITS,
  NONCE_BYTES,
  registryCause,
  toHex,
  type PolicyRecord,
} from '@sentinel-node/contracts';
import {
  ApiError,
  encodeRegistryRecord,
  execute,
  RegistryRecordTooLargeError,
  registryRecordOf,
  type NewCommit,
  type StreamEntity,
  type StreamState,
} from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { Actor, Changed, Decision, Refused, Stamp } from '../registry/decision.ts';
import type { Precondition } from '../registry/tags.ts';
import { afterChange } from './after-change.ts';

/** A record of this size fits in any case, also when it cannot be compressed. */
const FITS_BYTES = 3 * 1_048_576;

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
  const { store, random, timers, settle } = context;
  const done = await execute<E>({
    store,
    stream: command.stream,
    random,
    timers,
    decide: async (state) => {
      if (state !== undefined && ownerOf(state.entity) !== command.orgId) throw new ApiError('NOT_FOUND');
      await command.check?.(state?.entity);
      return newCommit(context, command, state);
    },
  });
  const { commit } = done;
  if (commit !== undefined) await afterChange(() => settle(commit));
  if (done.state === undefined) return undefined;
  const { entity, version } = done.state;
  return { entity, version, changed: commit !== undefined };
}

async function newCommit<E extends StreamEntity>(
  { clock, random }: CommitContext,
  { stream, orgId, by, precondition, decide }: Command<E>,
  state: StreamState<E> | undefined,
): Promise<NewCommit<E> | undefined> {
  const stamp: Stamp = { at: clock.now(), version: (state?.version ?? 0) + 1, by };
  if (precondition?.(state?.entity, stamp.version - 1) === false) throw new ApiError('STALE');
  const decision = decide(state?.entity, stamp);
  if (decision.kind === 'refused') throw refusal(decision);
  if (decision.kind === 'unchanged') return undefined;
  const made: NewCommit<E> = {
    orgId,
    entity: decision.entity,
    events: decision.events.map((event, ordinal) => ({
      id: eventId(stamp.at, event.type, registryCause(stream, stamp.version, ordinal)),
      ...event,
    })),
    policies: policyRecords(orgId, stream, decision, stamp, () => toHex(random.bytes(NONCE_BYTES))),
    at: stamp.at,
    by,
  };
  await checkSize(stream, stamp.version, made, state?.entity);
  return made;
}

const ownerOf = (entity: StreamEntity): string => (entity.kind === 'ORGANIZATION' ? entity.id : entity.orgId);

function policyRecords<E extends StreamEntity>(
  orgId: string,
  stream: string,
  { entity, policies }: Changed<E>,
  { at, version, by }: Stamp,
  nonce: () => string,
): PolicyRecord[] {
  return policies.map(({ fileId, policy, deleted, rebaseline }) => ({
    kind: 'policy',
    v: 1,
    rules: CURRENT_RULES,
    orgId,
    deviceId: entity.id,
    acceptedAt: at,
    nonce: nonce(),
    fileId,
    commandId: `${stream}:${version}`,
    policy,
    deleted,
    actor: by?.userId ?? null,
    ...(rebaseline === undefined ? {} : { rebaseline }),
  }));
}

/**
 * Checks the size of the record, which has the whole entity. An entity stops growing below the limit of a record, so
 * that the events of deletions and switches fit later. @throws ApiError LIMIT_REACHED
 */
async function checkSize(
  stream: string,
  version: number,
  made: NewCommit,
  before: StreamEntity | undefined,
): Promise<void> {
  const record = registryRecordOf({ ...made, id: '', rev: 1, stream, version });
  if (bytesOf(record) <= FITS_BYTES) return;
  const { kind } = made.entity;
  const bytes = bytesOf(made.entity);
  if (bytes > LIMITS.entityBytes && (before === undefined || bytes > bytesOf(before)))
    throw new ApiError('LIMIT_REACHED', { detail: `${PARTS[kind]} take too much room.` });
  try {
    await encodeRegistryRecord(record);
  } catch (error) {
    if (!(error instanceof RegistryRecordTooLargeError)) throw error;
    throw new ApiError('LIMIT_REACHED', {
      detail: `${PARTS[kind]} take too much room in one change. Change fewer at once.`,
    });
  }
}

const PARTS: Readonly<Record<StreamEntity['kind'], string>> = {
  ORGANIZATION: 'The users of this organization',
  DEVICE: 'The files of this device',
  ENROLMENT: 'The files of this template',
  SERVICE_TOKEN: 'The name of this token',
  WEBHOOK: 'The name of this webhook',
  MAINTENANCE: 'The changes of this window',
  EXPECTED: 'The contents of this list',
  ALERT: 'The comments of this alert',
  NOTIFICATION_RULE: 'The conditions of this rule',
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export function refusal({ code, detail, errors }: Refused): ApiError {
  return new ApiError(code, { detail, errors });
}
