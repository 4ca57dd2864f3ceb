/**
 * Body of a record of the registry topic: UTF-8 JSON, compressed with gzip (RFC 1952) from 1 MiB on, because a device
 * with 10,000 files is one record and takes more than a record of the log may have.
 */
import { promisify } from 'node:util';
import { constants, gunzipSync, gzip } from 'node:zlib';
import { LIMITS, parseJsonBytes, type RegistryRecord } from '@sentinel-node/contracts';

/** Smaller bodies stay readable for programs of before, and by eye. */
const COMPRESSED_FROM_BYTES = 1_048_576;
/** First two bytes of a gzip stream; no JSON text begins with them. */
const GZIP_MAGIC = [0x1f, 0x8b] as const;

const compress = promisify(gzip);

/** The body of a record does not fit into the log. */
export class RegistryRecordTooLargeError extends RangeError {
  override readonly name = 'RegistryRecordTooLargeError';
}

/** @throws RegistryRecordTooLargeError beyond `LIMITS.registryRecordBytes` as JSON or `LIMITS.logRecordBytes` as stored */
export async function encodeRegistryRecord(record: RegistryRecord): Promise<Uint8Array> {
  const json = Buffer.from(JSON.stringify(record));
  if (json.byteLength < COMPRESSED_FROM_BYTES) return json;
  checkSize(json.byteLength, LIMITS.registryRecordBytes);
  const body = await compress(json, { level: constants.Z_BEST_SPEED });
  checkSize(body.byteLength, LIMITS.logRecordBytes);
  return body;
}

function checkSize(bytes: number, limit: number): void {
  if (bytes > limit)
    throw new RegistryRecordTooLargeError(`a record of the registry has ${bytes} of ${limit} bytes`);
}

/**
 * Returns the value without checking its shape. @throws RangeError when it decompresses to more than
 * `LIMITS.registryRecordBytes`; Error for bytes that are neither JSON nor gzip of JSON
 */
export function decodeRegistryBody(body: Uint8Array): unknown {
  const isCompressed = GZIP_MAGIC.every((byte, at) => body[at] === byte);
  if (!isCompressed) return parseJsonBytes(body);
  return parseJsonBytes(gunzipSync(body, { maxOutputLength: LIMITS.registryRecordBytes }));
}
