import {
  decodeChainBody,
  isParkingRecord,
  isRecord,
  type AnchorRecord,
  type ChainRecord,
  type Entry,
  type ParkingRecord,
  type RegistryRecord,
} from '@sentinel-node/contracts';
import { UnreadableRecordError, type StoredRecord } from '@sentinel-node/platform';
import { readAnchorRecord, readRegistryRecord } from '@sentinel-node/query';

/** Returns a record of the anchors topic; undefined when it has not the form of one. */
export const readAnchor = (record: StoredRecord): AnchorRecord | undefined =>
  readable(() => readAnchorRecord(record));

/** Returns a record of the registry; undefined when it has not the form of one. */
export const readRegistry = (record: StoredRecord): RegistryRecord | undefined =>
  readable(() => readRegistryRecord(record));

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}

/** Parses a record of the chain topic in either encoding; undefined when it is no record with entries. */
export function readChain(body: Uint8Array): ChainRecord | ParkingRecord | undefined {
  let record: ChainRecord | ParkingRecord;
  try {
    record = decodeChainBody(body);
  } catch {
    return undefined;
  }
  if (!isRecord(record) || !Number.isSafeInteger(record.rev)) return undefined;
  return isParkingRecord(record) || isList(record.entries, isEntry) ? record : undefined;
}

const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

/** Returns whether a value has what the checks read of an entry; that an entry is right, its hash says. */
const isEntry = (value: unknown): boolean =>
  isRecord(value) &&
  Number.isSafeInteger(value['number']) &&
  typeof value['acceptedAt'] === 'number' &&
  typeof value['linkHash'] === 'string';

/** Returns the entries of a record of the chain topic; a record that parks its file has none. */
export const entriesOf = (record: ChainRecord | ParkingRecord): readonly Entry[] =>
  isParkingRecord(record) ? [] : record.entries;
