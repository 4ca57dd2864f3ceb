import {
  AnchorRecordSchema,
  ChainRecordSchema,
  FeedRecordSchema,
  HealthRecordSchema,
  RegistryRecordSchema,
  TOPICS,
} from '@sentinel-node/contracts';
import { compileChecker } from '@sentinel-node/platform';
import type { Static, TSchema } from 'typebox';

import { anchorOps } from './anchor-ops.ts';
import { chainOps } from './chain-ops.ts';
import type { ChainPosition } from './documents.ts';
import { healthOps } from './health-ops.ts';
import { registryOps } from './registry-ops.ts';
import type { ViewOp } from './view-op.ts';

/** A record that no version of this program can have written; the projection stops at it. */
export class UnreadableRecordError extends Error {
  constructor(topic: string, { partition, offset }: ChainPosition, options?: ErrorOptions) {
    super(`the record at ${topic}/${partition}/${offset} cannot be read`, options);
    this.name = 'UnreadableRecordError';
  }
}

type Body = ChainPosition & { readonly body: Uint8Array };
const utf8 = new TextDecoder('utf-8', { fatal: true });

function reader<S extends TSchema>(topic: string, schema: S): (record: Body) => Static<S> {
  const validator = compileChecker(schema);
  return (record) => {
    let value: unknown;
    try {
      value = JSON.parse(utf8.decode(record.body));
    } catch (cause) {
      throw new UnreadableRecordError(topic, record, { cause });
    }
    if (!validator.check(value)) throw new UnreadableRecordError(topic, record);
    return value as Static<S>;
  };
}

export const readRegistryRecord = reader(TOPICS.registry, RegistryRecordSchema);
export const readChainRecord = reader(TOPICS.chain, ChainRecordSchema);
export const readHealthRecord = reader(TOPICS.deviceHealth, HealthRecordSchema);
export const readAnchorRecord = reader(TOPICS.anchors, AnchorRecordSchema);
export const readFeedRecord = reader(TOPICS.feed, FeedRecordSchema);

/** Topics that the views follow from, and what a record of each is in the views. @throws UnreadableRecordError */
export const VIEW_SOURCES: ReadonlyMap<string, (record: Body) => ViewOp[]> = new Map([
  [TOPICS.registry, (record: Body) => registryOps(readRegistryRecord(record))],
  [TOPICS.chain, (record: Body) => chainOps(readChainRecord(record), record)],
  [TOPICS.deviceHealth, (record: Body) => healthOps(readHealthRecord(record))],
  [TOPICS.anchors, (record: Body) => anchorOps(readAnchorRecord(record))],
]);
