import t from 'tap';
import type { EventLog, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import { ConsecutiveRanges } from '../src/audit/consecutive-ranges.ts';

const TOPIC = 'chain';
const SIZE = 100;

/**
 * Returns a log of two partitions with a hundred records each, in batches of `perBatch`, with its requested
 * and open reads.
 */
function log(perBatch: number) {
  const asked: [partition: number, from: number, to: number | undefined][] = [];
  let open = 0;
  const record = (offset: number): StoredRecord =>
    ({ key: String(offset), id: String(offset), offset, body: new Uint8Array() }) as StoredRecord;
  async function* read(
    topic: string,
    partition: number,
    from: number,
    to = SIZE,
  ): AsyncIterable<RecordBatch> {
    asked.push([partition, from, to]);
    open += 1;
    try {
      for (let at = from; at < to; at += perBatch) {
        const offsets = Array.from({ length: Math.min(perBatch, to - at) }, (_, n) => at + n);
        yield { topic, partition, records: offsets.map(record) };
      }
    } finally {
      open -= 1;
    }
  }
  const bounds = async () => [0, 1].map((partition) => ({ partition, start: 0, end: SIZE }));
  const eventLog = { read, bounds } as Pick<EventLog, 'read' | 'bounds'>;
  return { reader: new ConsecutiveRanges(eventLog, TOPIC), asked, open: () => open };
}

async function offsets(
  reader: ConsecutiveRanges,
  partition: number,
  from: number,
  to: number,
): Promise<number[]> {
  const given: number[] = [];
  for await (const { offset } of reader.records(partition, from, to)) given.push(offset);
  return given;
}
const counting = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n);

t.test('ranges that follow one another are one read, whatever the batches are', async (t) => {
  for (const perBatch of [1, 7, 40, 1_000]) {
    const { reader, asked, open } = log(perBatch);
    for (const [from, to] of [
      [0, 3],
      [3, 3],
      [3, 41],
      [41, 90],
    ] as const) {
      t.same(await offsets(reader, 0, from, to), counting(from, to));
      t.same(await offsets(reader, 1, from, to), counting(from, to));
    }
    t.same(asked, [
      [0, 0, SIZE],
      [1, 0, SIZE],
    ]);
    await reader.close();
    t.equal(open(), 0, 'nothing is left under way');
  }
});

t.test('a gap, an overlap and a range beyond the end begin a read of their own', async (t) => {
  const { reader, asked, open } = log(7);
  t.same(await offsets(reader, 0, 0, 10), counting(0, 10));
  t.same(await offsets(reader, 0, 20, 30), counting(20, 30));
  t.same(await offsets(reader, 0, 25, 35), counting(25, 35));
  t.same(await offsets(reader, 0, 35, SIZE), counting(35, SIZE));
  t.same(await offsets(reader, 0, SIZE, SIZE + 5), counting(SIZE, SIZE + 5), 'the log has grown');
  t.same(asked, [
    [0, 0, SIZE],
    [0, 20, SIZE],
    [0, 25, SIZE],
    [0, SIZE, SIZE + 5],
  ]);
  await reader.close();
  t.equal(open(), 0);
});
