import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { takeFlush } from '../src/kafka/flush.ts';
import type { PendingAppend } from '../src/kafka/flush.ts';
import { messageBytes } from '../src/kafka/message.ts';

const LIMITS = { flushBytes: 900, flushPartitionBytes: 500, flushPartitionRecords: 4 };

/** Appends of records whose ids are their positions: `<append>-<index>`. */
const appends = fc
  .array(
    fc.array(fc.record({ partition: fc.nat({ max: 3 }), bytes: fc.constantFrom(0, 50, 450, 1_000) }), {
      minLength: 1,
      maxLength: 12,
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map((records, append): PendingAppend => ({
      records: records.map(({ bytes }, n) => ({
        key: 'k',
        id: `${append}-${n}`,
        body: new Uint8Array(bytes),
      })),
      partitions: records.map(({ partition }) => partition),
      positions: [],
      bytes: 0,
      next: 0,
      resolve: () => undefined,
      reject: () => undefined,
    })),
  );

const idOf = ({ headers }: { headers?: Record<string, unknown> }) => String(headers?.['id']);

t.test('flush after flush, every partition gets its records in order, within the limits', async (t) => {
  fc.assert(
    fc.property(appends, (queue) => {
      const sent = new Map<number, string[]>();
      for (
        let left = queue;
        left.length > 0;
        left = left.filter(({ next, records }) => next < records.length)
      ) {
        const { messages, slices } = takeFlush(left, LIMITS);
        t.ok(messages.length > 0, 'each flush takes something');
        t.equal(
          slices.reduce((sum, { from, to }) => sum + to - from, 0),
          messages.length,
        );
        const shares = new Map<number, { bytes: number; records: number }>();
        let total = 0;
        for (const message of messages) {
          const bytes = messageBytes({ key: 'k', id: idOf(message), body: message.value as Uint8Array });
          const share = shares.get(message.partition) ?? { bytes: 0, records: 0 };
          shares.set(message.partition, { bytes: share.bytes + bytes, records: share.records + 1 });
          total += bytes;
          sent.set(message.partition, [...(sent.get(message.partition) ?? []), idOf(message)]);
        }
        t.ok(messages.length === 1 || total <= LIMITS.flushBytes);
        for (const { bytes, records } of shares.values())
          t.ok(
            records === 1 || (bytes <= LIMITS.flushPartitionBytes && records <= LIMITS.flushPartitionRecords),
          );
      }
      for (const partition of [0, 1, 2, 3]) {
        const given = queue.flatMap(({ partitions, records }) =>
          records.filter((_, n) => partitions[n] === partition).map(({ id }) => id),
        );
        t.strictSame(sent.get(partition) ?? [], given);
      }
    }),
  );
});

t.test('an append that waits for room keeps back its own partitions only', async (t) => {
  const append = (partition: number, count: number): PendingAppend => ({
    records: Array.from({ length: count }, (_, n) => ({
      key: 'k',
      id: `${partition}-${n}`,
      body: new Uint8Array(1),
    })),
    partitions: Array.from({ length: count }, () => partition),
    positions: [],
    bytes: 0,
    next: 0,
    resolve: () => undefined,
    reject: () => undefined,
  });
  const limits = { ...LIMITS, flushBytes: 10_000 };
  const { messages } = takeFlush([append(0, 6), append(1, 1), append(0, 1)], limits);
  t.strictSame(messages.map(idOf), ['0-0', '0-1', '0-2', '0-3', '1-0']);
});
