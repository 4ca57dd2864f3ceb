import t from 'tap';
import { Flusher, type FlushWriter } from '../src/embedded/log/flusher.ts';
import { decodeFrame } from '../src/embedded/log/frame.ts';
import type { WriterRequest } from '../src/embedded/log/log-protocol.ts';
import { PartitionState } from '../src/embedded/log/partition.ts';
import { WindowSet } from '../src/embedded/log/window.ts';

const MEBIBYTE = 1_048_576;

/** A writer that keeps the records of each flush and gives its memory back, as the thread does. */
function writer() {
  const memories: (ArrayBuffer | undefined)[] = [];
  const bodies: number[][] = [];
  const call: FlushWriter['call'] = (request: WriterRequest) => {
    if (request.op !== 'flush') throw new Error(`unexpected ${request.op}`);
    const { memory, rows } = request;
    memories.push(memory);
    for (const { at, bytes, first } of rows)
      bodies.push(decodeFrame(memory!.slice(at, at + bytes), 0, first).map(({ body }) => body.byteLength));
    return Promise.resolve(memory);
  };
  return { memories, bodies, call };
}

function world() {
  const fake = writer();
  const flusher = new Flusher(fake, 64 * MEBIBYTE);
  const cache = new WindowSet({ bytes: 64 * MEBIBYTE, records: 1_000 });
  const topic = { name: 'topic', retention: 'forever' } as const;
  const states = [0, 1].map((slot) => new PartitionState(topic, slot, slot, 0, cache));
  const append = async (sizes: readonly number[]): Promise<void> => {
    const records = sizes.map((size, index) => ({
      key: `key-${index}`,
      id: `ü-${index}`,
      body: Buffer.alloc(size),
    }));
    await flusher.append(
      records,
      sizes.map((_, index) => states[index % states.length]!),
    );
  };
  return { ...fake, flusher, append };
}

t.test('flushes share the memory that the writer gives back', async (t) => {
  const { append, memories, bodies } = world();
  for (let flush = 0; flush < 5; flush += 1) await append([100, 2_000, 300]);
  t.equal(new Set(memories).size, 1, 'a thread that has memory of each flush keeps up to 64 MiB of it');
  t.same(
    bodies,
    Array(5)
      .fill([[100, 300], [2_000]])
      .flat(),
  );
});

t.test('a flush that needs more memory gets more, and one that is too large is not kept', async (t) => {
  const { append, memories, bodies } = world();
  for (const size of [100, 3 * MEBIBYTE, 20 * MEBIBYTE, 100, 100]) await append([size]);
  t.equal(new Set(memories).size, 4);
  t.ok(memories.at(-1)!.byteLength < MEBIBYTE);
  t.same(bodies.flat(), [100, 3 * MEBIBYTE, 20 * MEBIBYTE, 100, 100]);
});

t.test('an idle log keeps no memory', async (t) => {
  const { append, flusher, memories } = world();
  await append([100]);
  flusher.commit({ group: 'group', slot: 0, next: 1 });
  await flusher.settle();
  await append([100]);
  t.equal(memories[1], undefined);
  t.not(memories[2], memories[0]);
});
