/** Tests the decoder that replaces kafkajs's: whole batches, empty ones, unknown compression. */
import { createRequire } from 'node:module';
import t from 'tap';
import '../src/kafka/client.ts';
import { decodeMessages } from '../src/kafka/fetched-messages.ts';
import { take } from '../src/kafka/read.ts';
import { assertWhole } from '../src/kafka/whole-records.ts';

const requireInner = createRequire(import.meta.url);
const Decoder = requireInner('kafkajs/src/protocol/decoder');
const { RecordBatch } = requireInner('kafkajs/src/protocol/recordBatch/v0');
const Record = requireInner('kafkajs/src/protocol/recordBatch/record/v0');
const Long = requireInner('kafkajs/src/utils/long');

const LAST_OFFSET_DELTA_AT = 23;
const ATTRIBUTES_AT = 21;

/** Returns a batch as a broker stores it: `records` of its records are left, and it spans `span` offsets. */
async function batch(firstOffset: number, records: number, span = records): Promise<Buffer> {
  const { buffer } = await RecordBatch({
    firstOffset: Long.fromInt(firstOffset),
    records: Array.from({ length: records }, (_, n) => Record({ offsetDelta: n, key: `k${n}`, value: 'v' })),
  });
  buffer.writeInt32BE(span - 1, LAST_OFFSET_DELTA_AT);
  return buffer as Buffer;
}

function decode(...batches: Buffer[]) {
  const bytes = Buffer.concat(batches);
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes.length);
  return decodeMessages(new Decoder(Buffer.concat([size, bytes])));
}

t.test('kafkajs decodes fetches by this function', async (t) => {
  const kafkajs = requireInner('kafkajs/src/protocol/requests/fetch/v4/decodeMessages');
  t.equal(kafkajs, decodeMessages);
  t.equal(
    requireInner('kafkajs/package.json').version,
    '2.2.4',
    'compare the decoder before another version',
  );
});

t.test('a batch that is cut off at the end is left out', async (t) => {
  const second = await batch(3, 2);
  const messages = await decode(await batch(0, 3), second.subarray(0, second.length - 1));
  t.strictSame(
    messages.map(({ offset }) => offset),
    ['0', '1', '2'],
  );
});

t.test(
  'where compaction left nothing the position goes on behind the batch, and never by a guess',
  async (t) => {
    const fetched = (messages: Awaited<ReturnType<typeof decode>>) => ({
      partition: 0,
      highWatermark: 100,
      messages,
    });
    const offsets = (records: readonly { readonly offset: number }[]) => records.map(({ offset }) => offset);
    const emptied = take(fetched(await decode(await batch(10, 0, 5))), 10, 100);
    t.strictSame([offsets(emptied.records), emptied.next], [[], 15]);
    const shortened = take(fetched(await decode(await batch(10, 2, 5), await batch(15, 1))), 10, 100);
    t.strictSame([offsets(shortened.records), shortened.next], [[10, 11, 15], 16]);
    const nothing = take(fetched(await decode()), 10, 100);
    t.strictSame([offsets(nothing.records), nothing.next], [[], 10]);
  },
);

t.test('a record that compaction removed is missed, wherever it was in its batch', async (t) => {
  const place = { topic: 'topic', partition: 3, reader: 'who reads' };
  const missing = async (batches: Buffer[], from: number, to?: number) => {
    try {
      assertWhole(await decode(...batches), { ...place, from, ...(to !== undefined && { to }) });
      return undefined;
    } catch (error) {
      return /partition 3 goes on at offset (\d+), who reads needs the records from (\d+) on/
        .exec(String(error))
        ?.slice(1);
    }
  };
  t.equal(await missing([], 10), undefined);
  t.equal(await missing([await batch(10, 2), await batch(12, 1)], 10), undefined);
  t.equal(await missing([await batch(10, 3)], 12), undefined, 'a broker answers with whole batches');
  t.strictSame(await missing([await batch(10, 0, 5)], 10), ['15', '10'], 'a whole batch');
  t.strictSame(await missing([await batch(10, 2, 5), await batch(15, 1)], 10), ['15', '12'], 'its last ones');
  t.strictSame(
    await missing([await batch(10, 1), await batch(13, 1)], 10),
    ['13', '11'],
    'what is between two',
  );
  t.strictSame(await missing([await batch(13, 1)], 10, 11), ['13', '10'], 'all that are wanted');
  t.equal(await missing([await batch(10, 2), await batch(13, 1)], 10, 12), undefined, 'none that is wanted');
});

t.test('a compression that nobody knows is said', async (t) => {
  const bytes = await batch(7, 1);
  bytes.writeInt16BE(6, ATTRIBUTES_AT);
  await t.rejects(decode(bytes), { code: 'LOG_UNREADABLE', message: /offset 7 .* unknown compression 6/ });
});
