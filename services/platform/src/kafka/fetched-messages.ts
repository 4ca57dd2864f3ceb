import { createRequire } from 'node:module';
import { messageOf } from '@sentinel-node/contracts/thrown';
import type { KafkaMessage } from 'kafkajs';
import { registerDecompressors } from './compression.ts';
import { UnreadableBatchError } from './errors.ts';
import { KAFKA_LIMITS } from './options.ts';

/**
 * Replaces kafkajs's own function that decodes the record batches of a fetch. That function hides a batch whose last
 * records (or all) were removed by compaction. kafkajs then asks for the same offset for ever, or the caller must guess
 * the next offset; a guess after an empty answer would skip records. kafkajs is pinned to 2.2.4;
 * `kafka-fetched-messages.test` fails when another version does this differently.
 */
const requireInner = createRequire(import.meta.url);
const PLACE = requireInner.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages');

interface Decoder {
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
  readInt32(): number;
}
type DecodeMessages = (decoder: Decoder) => Promise<readonly FetchedMessage[]>;

/** `isControlRecord`: readers ignore the record; only its offset counts, as the end of the batch. */
export type FetchedMessage = KafkaMessage & {
  readonly isControlRecord?: boolean;
  /** Whether the broker has no record there: compaction removed it. */
  readonly isRemoved?: true;
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean };
};

const InnerDecoder = requireInner('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const decodeBatch = requireInner('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: Decoder,
) => Promise<{ readonly records: readonly FetchedMessage[] }>;
const decodeAsKafkajs = requireInner(PLACE) as DecodeMessages;

/** Positions of the fields of a record batch (https://kafka.apache.org/documentation/#recordbatch), in bytes. */
const AT = { length: 8, magic: 16, attributes: 21, lastOffsetDelta: 23, records: 61 } as const;
const BEFORE_LENGTH_COUNTS = 12;
const CURRENT_FORMAT = 2;
const CODEC_MASK = 0x07;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
/** Decoding stops after this many bytes; the rest is fetched again, after the last decoded batch. */
const DECODED_AT_ONCE_BYTES = KAFKA_LIMITS.decodedBatchBytes;

/** Replaces the function for every kafkajs client of this thread, whose fetches load it at their first answer. */
export function replaceDecoder(): void {
  const module = requireInner.cache[PLACE];
  if (module === undefined) throw new Error('kafkajs has no decoder of fetched messages at its place');
  module.exports = decodeMessages;
  registerDecompressors();
}

/** @throws UnreadableBatchError */
export async function decodeMessages(decoder: Decoder): Promise<readonly FetchedMessage[]> {
  const size = decoder.readInt32();
  if (size <= 0 || !decoder.canReadBytes(size)) return [];
  const bytes = decoder.readBytes(size);
  if (bytes[AT.magic] !== CURRENT_FORMAT) return decodeAsKafkajs(new InnerDecoder(withSize(bytes)));
  const messages: FetchedMessage[] = [];
  let decoded = 0;
  for (let at = 0; at + AT.records <= bytes.length && decoded < DECODED_AT_ONCE_BYTES;) {
    const end = at + BEFORE_LENGTH_COUNTS + bytes.readInt32BE(at + AT.length);
    // The last batch of an answer may be incomplete: a fetch is limited by bytes.
    if (end > bytes.length) break;
    decoded += await decodeInto(messages, bytes.subarray(at, end));
    at = end;
  }
  return messages;
}

/** Appends the records of a batch to `messages` and returns their bytes. */
async function decodeInto(messages: FetchedMessage[], batch: Buffer): Promise<number> {
  const first = batch.readBigInt64BE(0);
  const number = batch.readInt16BE(AT.attributes) & CODEC_MASK;
  const codec = CODECS[number];
  if (codec === undefined) throw new UnreadableBatchError(`unknown compression ${number}`, first);
  let records: readonly FetchedMessage[];
  try {
    ({ records } = await decodeBatch(new InnerDecoder(batch)));
  } catch (cause) {
    throw new UnreadableBatchError(`compression ${codec}: ${messageOf(cause)}`, first, { cause });
  }
  let bytes = 0;
  for (const record of records) {
    messages.push(record);
    bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0);
  }
  const last = String(first + BigInt(batch.readInt32BE(AT.lastOffsetDelta)));
  if (records.at(-1)?.offset !== last) messages.push(nothingUpTo(last));
  return bytes;
}

/** Returns a control record, which kafkajs skips: it continues after the offset. */
function nothingUpTo(offset: string): FetchedMessage {
  return {
    key: null,
    value: null,
    timestamp: '0',
    attributes: 0,
    offset,
    headers: {},
    isControlRecord: true,
    isRemoved: true,
    batchContext: { producerId: '-1', inTransaction: false },
  };
}

function withSize(bytes: Buffer): Buffer {
  const size = Buffer.alloc(Int32Array.BYTES_PER_ELEMENT);
  size.writeInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
