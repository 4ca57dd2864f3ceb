import { crc32, deflateSync } from 'node:zlib';
import t from 'tap';
import { animatedPng } from '../lib/animated-png.mjs';

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
};

/** A grey picture. */
function png(width, shade) {
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from([0, ...Array(width).fill(shade)]));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(file) {
  const chunks = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 4, at + 8 + length);
    chunks.push({ type, data: body.subarray(4), holds: file.readUInt32BE(at + 8 + length) === crc32(body) });
    at += 12 + length;
  }
  return chunks;
}

t.test('frames of one size become one file, in their order', (t) => {
  const frames = [10, 20, 30].map((shade) => ({ png: png(2, shade), milliseconds: shade * 100 }));
  const chunks = chunksOf(animatedPng(frames));
  t.same(
    chunks.map(({ type }) => type),
    ['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'fcTL', 'fdAT', 'IEND'],
  );
  t.ok(
    chunks.every(({ holds }) => holds),
    'each check value holds',
  );
  t.equal(chunks[1].data.readUInt32BE(0), 3, 'frames');
  const controls = chunks.filter(({ type }) => type === 'fcTL');
  t.same(
    controls.map(({ data }) => data.readUInt16BE(20) / data.readUInt16BE(22)),
    [1, 2, 3],
    'seconds that each is shown',
  );
  const numbered = chunks.filter(({ type }) => /fcTL|fdAT/.test(type));
  t.same(
    numbered.map(({ data }) => data.readUInt32BE(0)),
    [0, 1, 2, 3, 4],
  );
  t.same(chunks[5].data.subarray(4), chunksOf(frames[1].png)[1].data, 'the pixels of the second');
  t.end();
});

t.test('frames of two sizes are refused', (t) => {
  const frames = [2, 3].map((width) => ({ png: png(width, 0), milliseconds: 1 }));
  t.throws(() => animatedPng(frames), /frame 1 has another size/);
  t.end();
});
