import {
  decodeChainBody,
  isParkingRecord,
  type ChainRecord,
  type Entry,
  type ParkingRecord,
} from '@sentinel-node/contracts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a record of the log into its writer's type; undefined when the bytes are no longer readable. */
export function readBody<T>(body: Uint8Array): T | undefined {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}

/** Parses a record of the chain topic in either encoding; undefined when unreadable. */
export function readChain(body: Uint8Array): ChainRecord | ParkingRecord | undefined {
  try {
    return decodeChainBody(body);
  } catch {
    return undefined;
  }
}

/** Returns the entries of a record of the chain topic; a record that parks its file has none. */
export const entriesOf = (record: ChainRecord | ParkingRecord): readonly Entry[] =>
  isParkingRecord(record) ? [] : record.entries;
