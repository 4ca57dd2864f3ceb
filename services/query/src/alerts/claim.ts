/**
 * A claim decides which of two people handles an alert. It is inserted once and published to the file's log until it is
 * there.
 */
import {
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
  saveIfCurrent,
  Outbox,
  type Caller,
  type Claim,
  type DocumentStore,
} from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { AlertView } from '../views/index.ts';

export interface Handling {
  readonly note: string;
  readonly status: HandledStatus;
}

export function claimOutbox({
  store,
  eventLog,
  log,
}: Pick<QueryContext, 'store' | 'eventLog' | 'log'>): Outbox<Claim> {
  return new Outbox<Claim>({
    store,
    collection: CLAIMS_COLLECTION.name,
    publish: async ({ record }) => {
      const body = Buffer.from(JSON.stringify(record));
      await eventLog.append(TOPICS.fileEvents, [{ key: record.fileId, id: record.claimId, body }]);
    },
    onDelayed: ({ id }, error) => log.warn({ err: error, alertId: id }, 'a claim is published later'),
  });
}

/** Returns the claim on the alert: the new claim, or the earlier one. */
export async function claimAlert(
  { store, clock, random }: Pick<QueryContext, 'store' | 'clock' | 'random'>,
  alert: AlertView,
  handling: Handling,
  caller: Caller,
): Promise<{ readonly claim: Claim; readonly isNew: boolean }> {
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
  };
  const claim: Claim = { id: alert.id, rev: 1, at, unpublished: 1, record };
  const isNew = await saveIfCurrent(store, CLAIMS_COLLECTION.name, claim, undefined);
  return { claim: isNew ? claim : (await claimOn(store, alert.id))!, isNew };
}

export function claimOn(store: DocumentStore, alertId: string): Promise<Claim | undefined> {
  return store.get(CLAIMS_COLLECTION.name, alertId);
}

/** Returns whether the claim is the same command of the same person, sent again. */
export function isSameCommand({ record }: Claim, { note, status }: Handling, { userId }: Caller): boolean {
  return record.actor === userId && record.note === note && record.status === status;
}
