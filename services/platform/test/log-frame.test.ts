import assert from 'node:assert/strict';
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import {
  decodeFrame,
  encodeFrame,
  encodeSparseFrame,
  framedBytes,
  HEADER_BYTES,
} from '../src/embedded/log/frame.ts';
import { rowRecords } from '../src/embedded/log/row-records.ts';
import type { LogRecord } from '../src/index.ts';

const UUID = '01a218a3-f50a-7825-811d-731aaab98a6c';
const names = fc.oneof(fc.uuid(), fc.string({ unit: 'binary', maxLength: 200 }), fc.constant(''));
const records: fc.Arbitrary<LogRecord[]> = fc.array(
  fc
    .record({
      key: names,
      // Half of the ids begin with their key, as those of reports and verdicts do.
      id: fc.record({ rest: names, follows: fc.boolean() }),
      body: fc.uint8Array({ maxLength: 300 }),
    })
    .map(({ key, id, body }) => ({ key, id: id.follows ? key + id.rest : id.rest, body })),
  { maxLength: 20 },
);

function frameOf(list: readonly LogRecord[]): Uint8Array<ArrayBuffer> {
  let room = HEADER_BYTES;
  for (const record of list) room += framedBytes(record);
  const memory = Buffer.alloc(room + 3);
  return Uint8Array.from(memory.subarray(3, encodeFrame(list, memory, 3)));
}

const contentOf = ({ key, id, body }: LogRecord) => ({ key, id, body: Buffer.from(body).toString('hex') });

t.test('what is decoded is what was encoded, within the announced room', (t) => {
  fc.assert(
    fc.property(records, (list) => {
      const read = decodeFrame(frameOf(list).buffer, 4, 70);
      assert.deepEqual(read.map(contentOf), list.map(contentOf));
      assert.ok(read.every(({ partition, offset }, at) => partition === 4 && offset === 70 + at));
    }),
  );
  t.pass();
  t.end();
});

t.test('rows from which records were removed keep the offsets', async (t) => {
  const stored = [0, 3, 900].map((distance) => ({
    ...{ key: UUID, id: `${UUID}:${distance}`, body: Uint8Array.of(distance & 0xff) },
    ...{ partition: 1, offset: 40 + distance },
  }));
  const frame = Uint8Array.from(encodeSparseFrame(stored, 40));
  t.strictSame(decodeFrame(frame.buffer, 1, 40), stored);
});

t.test('the names of a report take 35 bytes in place of 89', (t) => {
  const report = { key: UUID, id: `${UUID}:1795709734700001`, body: new Uint8Array(198) };
  const [empty, one] = [frameOf([]), frameOf([report])];
  t.equal(one.byteLength - empty.byteLength - report.body.byteLength, 1 + 16 + 1 + 17 + 2);
  t.end();
});

/** A row of version 1, as versions up to 2026-11 wrote it. */
function version1(list: readonly LogRecord[], deltas?: readonly number[]): ArrayBuffer {
  const head = Buffer.from([1, deltas === undefined ? 0 : 1, 0, 0, list.length, 0, 0, 0]);
  const parts = list.map(({ key, id, body }, at) => {
    const lengths = Buffer.alloc(8);
    lengths.writeUInt16LE(Buffer.byteLength(key), 0);
    lengths.writeUInt16LE(Buffer.byteLength(id), 2);
    lengths.writeUInt32LE(body.byteLength, 4);
    const delta = Buffer.alloc(deltas === undefined ? 0 : 4);
    if (deltas !== undefined) delta.writeUInt32LE(deltas[at]!, 0);
    return Buffer.concat([lengths, delta, Buffer.from(key), Buffer.from(id), body]);
  });
  return Uint8Array.from(Buffer.concat([head, ...parts])).buffer;
}

t.test('rows of version 1 are read', (t) => {
  const list = [
    { key: UUID, id: `${UUID}:7`, body: Uint8Array.of(1, 2, 3) },
    { key: 'Schlüssel', id: '', body: Uint8Array.of() },
  ];
  t.strictSame(
    decodeFrame(version1(list), 2, 10),
    list.map((one, at) => ({ ...one, partition: 2, offset: 10 + at })),
  );
  t.strictSame(
    decodeFrame(version1(list, [0, 5]), 2, 10).map(({ offset }) => offset),
    [10, 15],
  );
  t.end();
});

t.test('a row that is cut short, too long or of another version is an error', (t) => {
  const whole = frameOf([
    { key: UUID, id: `${UUID}:7`, body: new Uint8Array(200) },
    { key: 'k', id: 'other', body: new Uint8Array(3) },
  ]);
  for (let bytes = HEADER_BYTES; bytes < whole.byteLength; bytes += 1)
    t.throws(() => decodeFrame(whole.slice(0, bytes).buffer, 0, 0), `${bytes} bytes`);
  t.throws(() => decodeFrame(Uint8Array.from([...whole, 0]).buffer, 0, 0), /another length/);
  t.throws(() => decodeFrame(Uint8Array.from([3, ...whole.subarray(1)]).buffer, 0, 0), /unknown format 3/);
  t.throws(() => decodeFrame(Uint8Array.from([1, ...whole.subarray(1)]).buffer, 0, 0), /cut short/);
  t.end();
});

t.test('flags that no version writes are an error', (t) => {
  const whole = frameOf([{ key: UUID, id: UUID, body: new Uint8Array(3) }]);
  for (const [at, byte] of [
    [1, 2],
    [2, 1],
    [3, 1],
    [HEADER_BYTES, 7],
  ] as const)
    t.throws(() => decodeFrame(whole.with(at, byte).buffer, 0, 0), /flags that this version does not know/);
  t.end();
});

t.test('a row with other offsets than its place says is an error', (t) => {
  const sparse = (...offsets: readonly number[]): ArrayBuffer => {
    const stored = offsets.map((offset) => ({ ...record, partition: 1, offset }));
    return Uint8Array.from(encodeSparseFrame(stored, 40)).buffer;
  };
  const record = { key: 'k', id: 'r', body: new Uint8Array(1) };
  const two = frameOf([record, record]).buffer;
  const offsets = (frame: ArrayBuffer, next: number, isWhole: boolean) =>
    rowRecords({ first: 40, next, frame }, 1, isWhole).map(({ offset }) => offset);
  t.strictSame(offsets(two, 42, true), [40, 41]);
  t.strictSame(offsets(two, 42, false), [40, 41]);
  t.strictSame(offsets(sparse(40, 43), 45, false), [40, 43]);
  for (const [frame, next, isWhole] of [
    [two, 41, true],
    [two, 43, true],
    [two, 41, false],
    [sparse(40, 43), 44, true],
    [sparse(40, 44), 44, false],
    [sparse(43, 40), 45, false],
    [sparse(40, 40), 45, false],
    [frameOf([]).buffer, 40, true],
    [frameOf([]).buffer, 40, false],
  ] as const)
    t.throws(() => offsets(frame, next, isWhole), /other offsets than its place says/);
  t.end();
});
