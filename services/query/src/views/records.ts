import {
  AnchorRecordSchema,
  ChainRecordSchema,
  decodeChainRecord,
  FeedRecordSchema,
  hasTexts,
  HealthRecordSchema,
  isCompact,
  isParkingRecord,
  NoticeEventSchema,
  OperationRecordSchema,
  ParkingRecordSchema,
  RegistryRecordSchema,
  TOPICS,
  parseJsonBytes,
  type ChainRecord,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import { compileChecker, decodeRegistryBody, UnreadableRecordError } from '@sentinel-node/platform';
import type { Static, TSchema } from 'typebox';

import { anchorOps } from './anchor-ops.ts';
import { chainOps } from './chain-ops.ts';
import type { ChainPosition } from './documents.ts';
import { healthOps } from './health-ops.ts';
import { parkingOps } from './parking-ops.ts';
import { registryOps } from './registry-ops.ts';
import type { ViewOp } from './view-op.ts';

type Body = ChainPosition & { readonly body: Uint8Array };
type Keyed = Body & { readonly key: string };
function parse(topic: string, record: Body): unknown {
  try {
    return topic === TOPICS.registry ? decodeRegistryBody(record.body) : parseJsonBytes(record.body);
  } catch (cause) {
    throw new UnreadableRecordError(topic, record, { cause });
  }
}

function reader<S extends TSchema>(topic: string, schema: S): (record: Body) => Static<S> {
  const validator = compileChecker(schema);
  return (record) => {
    const value = parse(topic, record);
    if (!validator.check(value)) throw new UnreadableRecordError(topic, record);
    return value;
  };
}

const chainChecker = compileChecker(ChainRecordSchema);
const parkingChecker = compileChecker(ParkingRecordSchema);

/** Returns the chain record, or the parking record, of the body. @throws UnreadableRecordError */
export function readChainTopic(record: Body): ChainRecord | ParkingRecord {
  const compact = readCompact(record);
  if (compact !== undefined) return compact;
  const value = parse(TOPICS.chain, record);
  if (isParkingRecord(value) && parkingChecker.check(value)) return value;
  if (!chainChecker.check(value)) throw new UnreadableRecordError(TOPICS.chain, record);
  return value;
}

/** Returns undefined when the body is JSON. @throws UnreadableRecordError */
function readCompact(record: Body): ChainRecord | undefined {
  let read: ChainRecord;
  try {
    if (!isCompact(record.body)) return undefined;
    read = decodeChainRecord(record.body);
  } catch (cause) {
    throw new UnreadableRecordError(TOPICS.chain, record, { cause });
  }
  // Only texts can break the schema: the compact encoding cannot express other invalid values.
  if (hasTexts(read) && !chainChecker.check(read)) throw new UnreadableRecordError(TOPICS.chain, record);
  return read;
}

/** Returns undefined for a parking record. @throws UnreadableRecordError */
export function readChainRecord(record: Body): ChainRecord | undefined {
  const read = readChainTopic(record);
  return isParkingRecord(read) ? undefined : read;
}

export const readRegistryRecord = reader(TOPICS.registry, RegistryRecordSchema);
export const readHealthRecord = reader(TOPICS.deviceHealth, HealthRecordSchema);
export const readAnchorRecord = reader(TOPICS.anchors, AnchorRecordSchema);
export const readNoticeRecord = reader(TOPICS.notices, NoticeEventSchema);
export const readOperationRecord = reader(TOPICS.operations, OperationRecordSchema);
export const readFeedRecord = reader(TOPICS.feed, FeedRecordSchema);

/** Returns the view writes of one record of the chain topic, of either kind. */
export function chainRecordOps(read: ChainRecord | ParkingRecord, record: Keyed): ViewOp[] {
  return isParkingRecord(read) ? parkingOps(record.key, read, read.parking) : chainOps(read, record);
}

/**
 * Returns whether what was thrown is about a heartbeat that nobody can read: it is passed over, because the next one of the
 * device takes its place. A record of the other topics has none that does, and stops who reads it.
 */
export function isPassedOver(topic: string, error: unknown): error is UnreadableRecordError {
  return topic === TOPICS.deviceHealth && error instanceof UnreadableRecordError;
}

/** Turns a record into view writes, by source topic. @throws UnreadableRecordError */
export const VIEW_SOURCES: ReadonlyMap<string, (record: Keyed) => ViewOp[]> = new Map([
  [TOPICS.registry, (record: Body) => registryOps(readRegistryRecord(record))],
  [TOPICS.chain, (record: Keyed) => chainRecordOps(readChainTopic(record), record)],
  [TOPICS.deviceHealth, (record: Body) => healthOps(readHealthRecord(record))],
  [TOPICS.anchors, (record: Body) => anchorOps(readAnchorRecord(record))],
]);
