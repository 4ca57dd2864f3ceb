/**
 * A claim decides which of two people handles an alert. It is inserted once and published to the file's log until it is
 * there. A claim that the verifier passes over, because the alert occurred again before it, makes room for another.
 */
import {
  ClaimRecordSchema,
  CURRENT_RULES,
  NONCE_BYTES,
  TOPICS,
  toHex,
  UUID_RANDOM_BYTES,
  uuidV7,
  type ClaimRecord,
  type HandledStatus,
} from '@sentinel-node/contracts';
import {
  CLAIMS_COLLECTION,
  compileChecker,
  saveIfCurrent,
  schemaFault,
  Outbox,
  type Claim,
  type DocumentStore,
} from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import type { AlertView } from '../views/index.ts';

export interface Handling {
  readonly note: string;
  readonly status: HandledStatus;
  /** The number of occurrences that the person saw; absent: the view's when the command comes. */
  readonly occurrences?: number;
}

const checker = compileChecker(ClaimRecordSchema);

export function claimOutbox({
  store,
  eventLog,
  log,
}: Pick<QueryContext, 'store' | 'eventLog' | 'log'>): Outbox<Claim> {
  return new Outbox<Claim>({
    store,
    collection: CLAIMS_COLLECTION.name,
    faultOf: ({ record }) => schemaFault(checker, record),
    publish: async ({ record }) => {
      const body = Buffer.from(JSON.stringify(record));
      await eventLog.append(TOPICS.fileEvents, [{ key: record.fileId, id: record.claimId, body }]);
    },
    onDelayed: ({ id }, error) => log.warn({ err: error, alertId: id }, 'a claim is published later'),
  });
}

/**
 * Returns the new claim on the alert; undefined when another process wrote first.
 * @param passedOver the earlier claim on the alert, which had no effect and makes room
 */
export async function claimAlert(
  { store, clock, random }: Pick<QueryContext, 'store' | 'clock' | 'random'>,
  alert: AlertView,
  handling: Handling,
  caller: Actor,
  passedOver: Claim | undefined,
): Promise<Claim | undefined> {
  const at = clock.now();
  const record: ClaimRecord = {
    kind: 'claim',
    v: 1,
    rules: CURRENT_RULES,
    orgId: alert.orgId,
    deviceId: alert.deviceId,
    acceptedAt: at,
    nonce: toHex(random.bytes(NONCE_BYTES)),
    fileId: alert.fileId,
    claimId: uuidV7(at, random.bytes(UUID_RANDOM_BYTES)),
    alertId: alert.id,
    status: handling.status,
    note: handling.note,
    actor: caller.userId,
    actorEmail: caller.email,
    occurrences: handling.occurrences ?? alert.occurrences,
  };
  const rev = (passedOver?.rev ?? 0) + 1;
  const claim: Claim = { id: alert.id, rev, at, unpublished: 1, record };
  return (await saveIfCurrent(store, CLAIMS_COLLECTION.name, claim, passedOver?.rev)) ? claim : undefined;
}

/**
 * Returns whether the claim has no effect, wherever the verifier is in the log. The alert is active with more occurrences
 * than the claim names: one before them in the log would have handled the alert, and rules 3 pass over one after them.
 */
export function isPassedOver(
  { record: { occurrences } }: Claim,
  alert: Pick<AlertView, 'status' | 'occurrences'>,
): boolean {
  return occurrences !== undefined && alert.status === 'ACTIVE' && alert.occurrences > occurrences;
}

export function claimOn(store: DocumentStore, alertId: string): Promise<Claim | undefined> {
  return store.get(CLAIMS_COLLECTION.name, alertId);
}

/** Returns whether the claim is the same command of the same person, sent again. */
export function isSameCommand({ record }: Claim, { note, status }: Handling, { userId }: Actor): boolean {
  return record.actor === userId && record.note === note && record.status === status;
}
