/** Tests batches compressed by a broker or another producer: of every kind, truncated, and too large for a machine. */
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { compressFrameSync } from 'lz4-napi';
import snappyjs from 'snappyjs';
import t from 'tap';
import '../src/kafka/client.ts';
import { decodeMessages } from '../src/kafka/fetched-messages.ts';
import { KAFKA_LIMITS } from '../src/kafka/options.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, openLog, readAll, setTopic, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

const requireInner = createRequire(import.meta.url);
const Decoder = requireInner('kafkajs/src/protocol/decoder');
const { RecordBatch } = requireInner('kafkajs/src/protocol/recordBatch/v0');
const Record = requireInner('kafkajs/src/protocol/recordBatch/record/v0');
const Long = requireInner('kafkajs/src/utils/long');

const LENGTH_AT = 8;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const RECORDS_AT = 61;
const NUMBER = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;
type Codec = keyof typeof NUMBER;
const LIMIT = KAFKA_LIMITS.decodedBatchBytes;

/** Returns the bytes of three records as in a batch, and the batch's head. */
async function plain(value: Buffer): Promise<{ head: Buffer; records: Buffer }> {
  const { buffer } = await RecordBatch({
    firstOffset: Long.fromInt(7),
    records: Array.from({ length: 3 }, (_, n) => Record({ offsetDelta: n, key: `k${n}`, value })),
  });
  return { head: buffer.subarray(0, RECORDS_AT), records: buffer.subarray(RECORDS_AT) };
}

function batch(codec: Codec, head: Buffer, compressed: Buffer): Buffer {
  const bytes = Buffer.concat([head, compressed]);
  bytes.writeInt32BE(2, LAST_OFFSET_DELTA_AT);
  bytes.writeInt32BE(bytes.length - LENGTH_AT - 4, LENGTH_AT);
  bytes.writeInt16BE(NUMBER[codec], ATTRIBUTES_AT);
  return bytes;
}

function decode(...batches: Buffer[]) {
  const bytes = Buffer.concat(batches);
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes.length);
  return decodeMessages(new Decoder(Buffer.concat([size, bytes])));
}

/** Returns frames of snappy-java. */
function snappyJava(...parts: Buffer[]): Buffer {
  const head = Buffer.from('82534e4150505900' + '00000001' + '00000001', 'hex');
  const framed = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    const compressed = snappyjs.compress(part);
    length.writeUInt32BE(compressed.length);
    return [length, compressed];
  });
  return Buffer.concat([head, ...framed]);
}

const ZSTD_BLOCK_BYTES = 131_072;
const STORED = 0;
const REPEATED = 1;

/** Builds a frame of RFC 8878: a window of `windowBits`, then blocks of one kind. */
function zstd(kind: typeof STORED | typeof REPEATED, blocks: readonly Buffer[], windowBits = 17): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowBits - 10) << 3]);
  const framed = blocks.flatMap((block, n) => {
    const header = Buffer.alloc(3);
    const size = kind === REPEATED ? ZSTD_BLOCK_BYTES : block.length;
    header.writeUIntLE((size << 3) | (kind << 1) | (n === blocks.length - 1 ? 1 : 0), 0, 3);
    return [header, block];
  });
  return Buffer.concat([head, ...framed]);
}

const compress: Readonly<Record<Codec, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  snappy: (bytes) => snappyJava(bytes.subarray(0, 50), bytes.subarray(50)),
  lz4: (bytes) => compressFrameSync(bytes),
  zstd: (bytes) => zstd(STORED, [bytes.subarray(0, 50), bytes.subarray(50)]),
};

const codecs = Object.keys(NUMBER) as Codec[];
for (const codec of codecs)
  t.test(`${codec}: whole batches are decoded, cut ones are refused with words`, async (t) => {
    const { head, records } = await plain(Buffer.alloc(300, 'abc'));
    const compressed = compress[codec](records);
    const found = await decode(batch(codec, head, compressed));
    t.strictSame(
      found.map(({ offset, key, value }) => [offset, String(key), value?.length]),
      [
        ['7', 'k0', 300],
        ['8', 'k1', 300],
        ['9', 'k2', 300],
      ],
    );
    for (const kept of [0, 3, 10, compressed.length >> 1, compressed.length - 1])
      await t.rejects(
        decode(batch(codec, head, compressed.subarray(0, kept))),
        { code: 'LOG_UNREADABLE', message: new RegExp(`from offset 7 on .* compression ${codec}: `) },
        `${kept} of ${compressed.length} bytes`,
      );
    const noise = Buffer.from(compressed);
    noise.fill(0xff, 0, 8);
    await t.rejects(decode(batch(codec, head, noise)), { code: 'LOG_UNREADABLE' });
  });

t.test('snappy: a single block without frames, as other producers write it', async (t) => {
  const { head, records } = await plain(Buffer.from('v'));
  t.equal((await decode(batch('snappy', head, snappyjs.compress(records)))).length, 3);
});

const ZEROS = Buffer.alloc(LIMIT + 1);
const bombs: Readonly<Record<string, readonly [Codec, () => Buffer]>> = {
  gzip: ['gzip', () => gzipSync(ZEROS)],
  'snappy in frames': ['snappy', () => snappyJava(...Array<Buffer>(17).fill(Buffer.alloc(1_048_576)))],
  'snappy that names 2 GiB': ['snappy', () => Buffer.from('ffffffff0700', 'hex')],
  lz4: ['lz4', () => compressFrameSync(ZEROS)],
  'zstd of repeated blocks': [
    'zstd',
    () => zstd(REPEATED, Array<Buffer>(LIMIT / ZSTD_BLOCK_BYTES + 1).fill(Buffer.from([0]))),
  ],
  'zstd that asks for 2 GiB to decode in': ['zstd', () => zstd(REPEATED, [Buffer.from([0])], 31)],
};
for (const [name, [codec, make]] of Object.entries(bombs))
  t.test(`a bomb is refused before it fills the memory: ${name}`, async (t) => {
    const { head } = await plain(Buffer.from('v'));
    const bytes = make();
    t.ok(bytes.length < LIMIT / 10, `${bytes.length} bytes`);
    const before = process.memoryUsage().arrayBuffers;
    await t.rejects(decode(batch(codec, head, bytes)), {
      code: 'LOG_UNREADABLE',
      message: new RegExp(`compression ${codec}: .*(more than ${LIMIT} bytes|expect at most )`),
    });
    t.ok(process.memoryUsage().arrayBuffers - before < 3 * LIMIT);
  });

t.test('many batches that are large when decoded come in more than one answer', async (t) => {
  const { head, records } = await plain(Buffer.alloc(LIMIT / 4));
  const one = batch('gzip', head, gzipSync(records));
  const found = await decode(...Array<Buffer>(20).fill(one));
  t.equal(found.length, 6, 'two batches reach the limit; what is behind them is fetched again');
});

t.test('what is no frame of gzip at all is refused', async (t) => {
  const { head, records } = await plain(Buffer.from('v'));
  await t.rejects(decode(batch('gzip', head, deflateSync(records))), { code: 'LOG_UNREADABLE' });
});

const RECORDS = 3_000;
const kafka = await startKafka(t);
if (kafka !== undefined) {
  const brokers = kafka.brokers;
  const admin = await adminOf(t, brokers);

  for (const codec of codecs)
    await t.test(
      `${codec}: what the broker has compressed is consumed, read and followed whole`,
      async (t) => {
        const spec = topic(1);
        const log = await openLog(t, brokers, [spec]);
        await setTopic(admin, spec, { 'compression.type': codec });
        const decoders = kafkajs.CompressionCodecs as Record<number, () => unknown>;
        const inner = decoders[NUMBER[codec]]!;
        let decoded = 0;
        decoders[NUMBER[codec]] = () => (decoded++, inner());
        t.teardown(() => (decoders[NUMBER[codec]] = inner));
        const wanted = Array.from({ length: RECORDS }, (_, n) => `${n}`);
        const body = (id: string) => new TextEncoder().encode(`${id} `.repeat(60));
        await log.append(
          spec.name,
          wanted.map((id) => ({ key: 'one', id, body: body(id) })),
        );
        const read = await readAll(log, spec);
        t.strictSame(
          read.map(({ id }) => id),
          wanted,
        );
        t.ok(read.every((one) => Buffer.from(one.body).equals(body(one.id))));
        t.ok(decoded > 0, `${decoded} batches were decoded`);
        const consumed: string[] = [];
        const followed: string[] = [];
        const group = await log.consume([spec.name], randomUUID(), async ({ records }) => {
          for (const { id } of records) consumed.push(id);
        });
        const tail = await log.tail(spec.name, new Map([[0, 0]]), ({ records }) => {
          for (const { id } of records) followed.push(id);
        });
        await until('all is consumed', () => consumed.length >= RECORDS && followed.length >= RECORDS);
        await Promise.all([group.stop(), tail.stop()]);
        t.strictSame(consumed, wanted);
        t.strictSame(followed, wanted);
      },
    );
}
