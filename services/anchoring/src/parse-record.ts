import {
  decodeChainLeaves,
  isCompact,
  isParkingRecord,
  ParkingRecordSchema,
  RecordFormatError,
  parseJsonBytes,
} from '@sentinel-node/contracts';
import { compileChecker, type StoredRecord } from '@sentinel-node/platform';
import { MinimalChainRecordSchema, type MinimalChainRecord } from './domain/chain-entries.ts';
import { badRecord } from './errors.ts';

const checker = compileChecker(MinimalChainRecordSchema);
const parkingChecker = compileChecker(ParkingRecordSchema);
/** Records that park a file, or end the parking, have no entries to anchor. */
const NOTHING_TO_ANCHOR: MinimalChainRecord = { fileId: null, category: 'STANDARD', entries: [] };
/**
 * Returns the part of the record that anchoring needs. @throws AnchoringStoppedError for anything but a chain record
 */
export function parseChainRecord({ partition, offset, body }: StoredRecord): MinimalChainRecord {
  const record = leavesIn(body, (why) => badRecord(partition, offset, why));
  if (record.fileId === null && record.entries.length > 0)
    throw badRecord(partition, offset, 'it has entries and no file');
  return record;
}

function leavesIn(body: Uint8Array, bad: (why: string) => Error): MinimalChainRecord {
  try {
    if (isCompact(body)) return decodeChainLeaves(body);
  } catch (error) {
    if (error instanceof RecordFormatError) throw bad(`it ${error.message}`);
    throw error;
  }
  const record = parsed(body);
  if (isParkingRecord(record) && parkingChecker.check(record)) return NOTHING_TO_ANCHOR;
  if (!checker.check(record))
    throw bad(`it does not fit the schema at ${checker.errors(record)[0]?.path ?? ''}`);
  return record;
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseJsonBytes(body);
  } catch {
    return undefined;
  }
}
