/** Limits the size of commits, so that the log and the store take the present one and those that must still follow. */
import { LIMITS, NONCE_BYTES, type DeviceEntity } from '@sentinel-node/contracts';
import {
  ApiError,
  encodeRegistryRecord,
  RegistryRecordTooLargeError,
  registryRecordOf,
  type NewCommit,
  type StreamEntity,
} from '@sentinel-node/platform';
import type { Actor, Stamp } from '../registry/decision.ts';
import { decideDevice } from '../registry/device.ts';
import { commitOf, type CommitPlace } from './commit-of.ts';

/** A record of this size fits in any case, also when it cannot be compressed. */
const FITS_BYTES = 3 * 1_048_576;
/** A device with so many files whose record fits can be deleted in any case. */
const FITS_FILES = 500;
const NONCE = '0'.repeat(2 * NONCE_BYTES);

/** Growth by less does not count, such as a switch of some files; a new file adds more. */
const FREE_BYTES = 512;
/** Whoever deletes the device later: events name the person. */
const DELETER: Actor = { userId: '0'.repeat(36), email: 'x'.repeat(64) };

/**
 * Checks the size of the record, which has the whole entity. An entity stops growing below the limit of a record, so
 * that the events of deletions and switches fit later, and a device below that of a commit.
 * @throws ApiError LIMIT_REACHED
 */
export async function checkSize(
  place: CommitPlace,
  stamp: Stamp,
  made: NewCommit,
  before: StreamEntity | undefined,
): Promise<void> {
  const { entity } = made;
  const record = registryRecordOf({ ...made, id: '', rev: 1, stream: place.stream, version: stamp.version });
  const fits = bytesOf(record) <= FITS_BYTES;
  if (fits && !(entity.kind === 'DEVICE' && entity.files.length > FITS_FILES)) return;
  if (growsBeyond(place, stamp, entity, before))
    throw new ApiError('LIMIT_REACHED', { detail: `${PARTS[entity.kind]} take too much room.` });
  if (fits) return;
  try {
    await encodeRegistryRecord(record);
  } catch (error) {
    if (!(error instanceof RegistryRecordTooLargeError)) throw error;
    throw new ApiError('LIMIT_REACHED', {
      detail: `${PARTS[entity.kind]} take too much room in one change. Change fewer at once.`,
    });
  }
}

function growsBeyond(
  place: CommitPlace,
  stamp: Stamp,
  entity: StreamEntity,
  before: StreamEntity | undefined,
): boolean {
  const bytes = bytesOf(entity);
  if (bytes > LIMITS.entityBytes && (before === undefined || bytes > bytesOf(before))) return true;
  if (entity.kind !== 'DEVICE') return false;
  const deleted = deletionBytes(place, stamp, entity);
  if (deleted <= LIMITS.commitBytes) return false;
  return before?.kind !== 'DEVICE' || deleted > deletionBytes(place, stamp, before) + FREE_BYTES;
}

/**
 * Returns the bytes of the commit that deletes the device with its files, as JSON, without what is stored once. It is the largest
 * commit that takes many files at once, and has to be possible.
 */
function deletionBytes(place: CommitPlace, { at, version }: Stamp, device: DeviceEntity): number {
  const stamp = { at, version: version + 1, by: DELETER };
  const decision = decideDevice({ type: 'DELETE', forced: true }, device, stamp);
  if (decision.kind !== 'changed') return 0;
  const { entity, events, policies } = commitOf(place, decision, stamp, () => NONCE);
  return bytesOf([entity.removedFiles, events, policies]);
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
