// Animated PNG (PNG, third edition, section 11.3.6): frames that are PNG files of one size and one kind become one file.
import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * @param {readonly { png: Buffer, milliseconds: number }[]} frames with their times; viewers without animation show the
 *   first
 * @returns {Buffer} a file whose animation repeats for ever
 * @throws Error when the frames differ in size or kind
 */
export function animatedPng(frames) {
  const all = frames.map(({ png, milliseconds }) => ({ chunks: chunksOf(png), milliseconds }));
  const [header] = all[0].chunks.filter(({ type }) => type === 'IHDR');
  const out = [chunk('IHDR', header.data), chunk('acTL', numbers([4, all.length], [4, 0]))];
  let sequence = 0;
  for (const [index, { chunks, milliseconds }] of all.entries()) {
    const own = chunks.find(({ type }) => type === 'IHDR').data;
    if (!own.equals(header.data)) throw new Error(`frame ${index} has another size or kind than the first`);
    const size = [own.readUInt32BE(0), own.readUInt32BE(4)];
    const offset = [0, 0];
    // Delay as a fraction of a second; neither disposed of nor blended: each frame is a whole picture.
    const control = [
      ...[...size, ...offset].map((n) => [4, n]),
      [2, milliseconds],
      [2, 1_000],
      [1, 0],
      [1, 0],
    ];
    out.push(chunk('fcTL', numbers([4, sequence++], ...control)));
    for (const { data } of chunks.filter(({ type }) => type === 'IDAT'))
      out.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', numbers([4, sequence++]), data));
  }
  return Buffer.concat([SIGNATURE, ...out, chunk('IEND')]);
}

function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type, ...parts) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  return Buffer.concat([numbers([4, body.length - 4]), body, numbers([4, crc32(body)])]);
}

/** Joins big-endian numbers, each given as its length in bytes and its value. */
function numbers(...wishes) {
  return Buffer.concat(
    wishes.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntBE(value, 0, bytes);
      return buffer;
    }),
  );
}
