/**
 * Reads the sizes that a compressed frame declares before anything is decompressed: untrusted bytes can declare any
 * size.
 */

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md; sizes in bytes. */
const LZ4 = {
  magic: 0x184d2204,
  flagsAt: 4,
  headerBytes: 7,
  checksumBytes: 4,
  flags: { blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 },
  contentSizeBytes: 8,
  dictionaryBytes: 4,
  stored: 0x8000_0000,
  blockBytes: new Map([
    [4, 65_536],
    [5, 262_144],
    [6, 1_048_576],
    [7, 4_194_304],
  ]),
} as const;

/**
 * Returns the end of the frame and the most bytes that its blocks can hold (`outputBytes`).
 * @throws Error without a whole frame
 */
export function endOfLz4Frame(bytes: Buffer): { readonly end: number; readonly outputBytes: number } {
  const { flags } = LZ4;
  if (read(bytes, 0, 4) !== LZ4.magic) throw new Error('no LZ4 frame');
  const set = read(bytes, LZ4.flagsAt, 1);
  const blockBytes = LZ4.blockBytes.get((read(bytes, LZ4.flagsAt + 1, 1) >> 4) & 0x07);
  if (blockBytes === undefined) throw new Error('an LZ4 frame with blocks of an unknown size');
  const has = (flag: number, size: number) => ((set & flag) === 0 ? 0 : size);
  let at =
    LZ4.headerBytes +
    has(flags.contentSize, LZ4.contentSizeBytes) +
    has(flags.dictionary, LZ4.dictionaryBytes);
  let outputBytes = 0;
  for (let size; (size = read(bytes, at, 4)) !== 0;) {
    const isStored = size >= LZ4.stored;
    const length = isStored ? size - LZ4.stored : size;
    outputBytes += isStored ? length : blockBytes;
    at += 4 + length + has(flags.blockChecksum, LZ4.checksumBytes);
  }
  const end = at + 4 + has(flags.contentChecksum, LZ4.checksumBytes);
  if (end > bytes.length) throw cutOff();
  return { end, outputBytes };
}

/** RFC 8878, 3.1.1; sizes in bytes. */
const ZSTD = {
  magic: 0xfd2fb528,
  descriptorAt: 4,
  isSingleSegment: 0x20,
  hasChecksum: 0x04,
  checksumBytes: 4,
  dictionaryBytes: [0, 1, 2, 4],
  contentSizeBytes: [0, 2, 4, 8],
  leastWindowBits: 10,
  blockHeaderBytes: 3,
  repeated: 1,
} as const;

/**
 * Returns the end of the frame and the memory that a decoder needs at least (`windowBytes`).
 * @throws Error without a whole frame
 */
export function endOfZstdFrame(bytes: Buffer): { readonly end: number; readonly windowBytes: number } {
  if (read(bytes, 0, 4) !== ZSTD.magic) throw new Error('no Zstandard frame');
  const descriptor = read(bytes, ZSTD.descriptorAt, 1);
  const isSingleSegment = (descriptor & ZSTD.isSingleSegment) !== 0;
  let at = ZSTD.descriptorAt + 1;
  let windowBytes = 0;
  if (!isSingleSegment) {
    const window = read(bytes, at++, 1);
    const base = 2 ** (ZSTD.leastWindowBits + (window >> 3));
    windowBytes = base + (base / 8) * (window & 0x07);
  }
  at += ZSTD.dictionaryBytes[descriptor & 0x03]!;
  const sizeField = descriptor >> 6;
  const sizeBytes = sizeField === 0 && isSingleSegment ? 1 : ZSTD.contentSizeBytes[sizeField]!;
  if (isSingleSegment) windowBytes = sizeBytes === 8 ? Number(read64(bytes, at)) : read(bytes, at, sizeBytes);
  at += sizeBytes;
  for (let isLast = false; !isLast;) {
    const header = read(bytes, at, ZSTD.blockHeaderBytes);
    isLast = (header & 0x01) === 1;
    at += ZSTD.blockHeaderBytes + (((header >> 1) & 0x03) === ZSTD.repeated ? 1 : header >> 3);
  }
  const end = at + ((descriptor & ZSTD.hasChecksum) === 0 ? 0 : ZSTD.checksumBytes);
  if (end > bytes.length) throw cutOff();
  return { end, windowBytes };
}

function read(bytes: Buffer, at: number, size: number): number {
  if (at + size > bytes.length) throw cutOff();
  return bytes.readUIntLE(at, size);
}

function read64(bytes: Buffer, at: number): bigint {
  if (at + 8 > bytes.length) throw cutOff();
  return bytes.readBigUInt64LE(at);
}

function cutOff(): Error {
  return new Error('the records are cut off');
}
