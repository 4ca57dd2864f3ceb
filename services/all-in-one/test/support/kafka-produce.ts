/**
 * Parses as much of Kafka's Produce request, versions 3 to 7, as an answer needs
 * (https://kafka.apache.org/protocol).
 */

/** KAFKA_STORAGE_ERROR: "Disk error when trying to access log file on the disk." */
const STORAGE_ERROR = 56;
const NONE = -1n;
/** First version whose answers contain the start of each partition's log. */
const WITH_LOG_START = 5;

class Reader {
  readonly #frame: Buffer;
  #at = 0;

  constructor(frame: Buffer) {
    this.#frame = frame;
  }

  int16(): number {
    return this.#frame.readInt16BE((this.#at += 2) - 2);
  }

  int32(): number {
    return this.#frame.readInt32BE((this.#at += 4) - 4);
  }

  /** Returns the bytes of a string with its length in front; length -1 is null. */
  string(): Buffer {
    const from = this.#at;
    const length = this.int16();
    this.#at += Math.max(0, length);
    return this.#frame.subarray(from, this.#at);
  }

  skipBytes(): void {
    const length = this.int32();
    this.#at += Math.max(0, length);
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.int32() }, read);
  }
}

/** Returns the answer to a Produce request: a storage error for each partition. */
export function storageError(frame: Buffer): Buffer {
  const reader = new Reader(frame);
  reader.int32();
  reader.int16();
  const version = reader.int16();
  const correlation = reader.int32();
  reader.string();
  reader.string();
  reader.int16();
  reader.int32();
  const topics = reader.list(() => {
    const name = reader.string();
    const partitions = reader.list(() => {
      const partition = reader.int32();
      reader.skipBytes();
      return refusal(partition, version);
    });
    return Buffer.concat([name, int32(partitions.length), ...partitions]);
  });
  const body = Buffer.concat([int32(correlation), int32(topics.length), ...topics, int32(0)]);
  return Buffer.concat([int32(body.length), body]);
}

function refusal(partition: number, version: number): Buffer {
  const code = Buffer.alloc(2);
  code.writeInt16BE(STORAGE_ERROR);
  const offsets = Buffer.alloc(version >= WITH_LOG_START ? 24 : 16);
  for (let at = 0; at < offsets.length; at += 8) offsets.writeBigInt64BE(NONE, at);
  return Buffer.concat([int32(partition), code, offsets]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
