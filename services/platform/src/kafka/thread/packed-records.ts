import type { LogRecord, Position, RecordBatch } from '../../ports/event-log.ts';

/** Records in one buffer, which can move between threads without a copy; objects would be copied one by one. */
export interface PackedRecords {
  /** Key, id and body of each record in turn; key and id in UTF-8. */
  readonly bytes: ArrayBuffer;
  /** Lengths in bytes of key, id and body of each record. */
  readonly lengths: Uint32Array<ArrayBuffer>;
}

const LENGTHS = 3;

export function pack(records: readonly LogRecord[]): PackedRecords {
  const lengths = new Uint32Array(LENGTHS * records.length);
  let total = 0;
  records.forEach(({ key, id, body }, n) => {
    const at = LENGTHS * n;
    lengths[at] = Buffer.byteLength(key);
    lengths[at + 1] = Buffer.byteLength(id);
    lengths[at + 2] = body.byteLength;
    total += lengths[at] + lengths[at + 1]! + lengths[at + 2]!;
  });
  const bytes = new ArrayBuffer(total);
  const buffer = Buffer.from(bytes);
  let at = 0;
  for (const { key, id, body } of records) {
    at += buffer.write(key, at);
    at += buffer.write(id, at);
    buffer.set(body, at);
    at += body.byteLength;
  }
  return { bytes, lengths };
}

/** Returns the records; their bodies are views into the packed bytes. */
export function unpack({ bytes, lengths }: PackedRecords): LogRecord[] {
  const buffer = Buffer.from(bytes);
  const records: LogRecord[] = [];
  let at = 0;
  const next = (n: number) => {
    const from = at;
    at += lengths[n]!;
    return from;
  };
  for (let n = 0; n < lengths.length; n += LENGTHS) {
    const key = buffer.toString('utf8', next(n), at);
    const id = buffer.toString('utf8', next(n + 1), at);
    const body = buffer.subarray(next(n + 2), at);
    records.push({ key, id, body });
  }
  return records;
}

/** Records of one partition, with their offsets. */
export interface PackedBatch extends PackedRecords {
  readonly topic: string;
  readonly partition: number;
  readonly offsets: Float64Array<ArrayBuffer>;
}

export function packBatch({ topic, partition, records }: RecordBatch): PackedBatch {
  return { ...pack(records), topic, partition, offsets: Float64Array.from(records, ({ offset }) => offset) };
}

export function unpackBatch(packed: PackedBatch): RecordBatch {
  const { offsets, partition, topic } = packed;
  const records = unpack(packed).map(({ body, id, key }, n) => ({
    key,
    id,
    body,
    partition,
    offset: offsets[n]!,
  }));
  return { topic, partition, records };
}

export interface PackedPositions {
  readonly partitions: Int32Array<ArrayBuffer>;
  readonly offsets: Float64Array<ArrayBuffer>;
}

export function packPositions(positions: readonly Position[]): PackedPositions {
  const partitions = Int32Array.from(positions, ({ partition }) => partition);
  return { partitions, offsets: Float64Array.from(positions, ({ offset }) => offset) };
}

export function unpackPositions({ offsets, partitions }: PackedPositions): Position[] {
  return Array.from(partitions, (partition, n) => ({ partition, offset: offsets[n]! }));
}

/** Returns the buffers to transfer instead of copying. */
export function buffersOf(packed: object): ArrayBuffer[] {
  return Object.values(packed).flatMap((value: unknown) => {
    if (value instanceof ArrayBuffer) return [value];
    return ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : [];
  });
}
