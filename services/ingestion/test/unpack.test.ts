import { gzipSync } from 'node:zlib';
import t from 'tap';
import { unpack, unpackSmall } from '../src/http/unpack.ts';

const MIB = 1_048_576;
/** The least memory of a small buffer in Node: its pool. */
/** Of the buffers that Node.js shares out: 8 KiB, 64 since version 26. */
const POOL_BYTES = Buffer.allocUnsafe(1).buffer.byteLength;

function unpacked(packed: Buffer, maxBytes = 16 * MIB) {
  const taken: number[] = [];
  const share = { take: (bytes: number) => void taken.push(bytes) };
  return { body: unpack(packed, { maxBytes, share }), taken };
}

t.test('given a body, the share takes what is more than its compressed bytes', async (t) => {
  const plain = Buffer.alloc(100_000, 'a line\n');
  const packed = gzipSync(plain);
  const { body, taken } = unpacked(packed);
  t.ok((await body)?.equals(plain));
  t.same(
    taken.reduce((sum, bytes) => sum + bytes, 0),
    plain.length - packed.length,
  );
});

t.test('given a body above its limit, there is none', async (t) => {
  const packed = gzipSync(Buffer.alloc(MIB, '\n'));
  t.equal((await unpacked(packed, MIB).body)?.length, MIB);
  t.equal(await unpacked(packed, MIB - 1).body, undefined);
});

t.test('given a last member that is empty, a long body comes in few steps', async (t) => {
  const plain = Buffer.alloc(16 * MIB, '\n');
  const { body, taken } = unpacked(Buffer.concat([gzipSync(plain), gzipSync('')]));
  t.ok((await body)?.equals(plain));
  t.ok(taken.length <= 1_024, `${taken.length} steps`);
});

t.test('given a trailer that tells of more than there is, no more is held', async (t) => {
  const packed = gzipSync('one line\n');
  for (const lie of [Buffer.from([0, 0, 0xff, 0xff, 0xff, 0xff]), Buffer.from([0, 0, 0, 0, 1, 0])]) {
    const lying = Buffer.concat([packed, lie]);
    const share = { take: () => undefined };
    for (const body of [await unpacked(lying).body, unpackSmall(lying, { maxBytes: MIB, share })]) {
      if (body === undefined) continue;
      t.equal(body.toString(), 'one line\n');
      t.ok(body.buffer.byteLength <= POOL_BYTES, `${body.buffer.byteLength} bytes`);
    }
  }
});

t.test('given bytes that are no gzip, zlib says so', async (t) => {
  await t.rejects(unpacked(Buffer.from('no gzip')).body, { code: 'Z_DATA_ERROR' });
  await t.rejects(unpacked(gzipSync('cut short').subarray(0, -3)).body, { code: 'Z_BUF_ERROR' });
});
