import { createHmac } from 'node:crypto';

/** Returns the 32 bytes of HMAC-SHA256 over fields, each with its length (u32) before it, in UTF-8. */
export function macOf(key: Uint8Array, fields: readonly string[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const field of fields) {
    const bytes = Buffer.from(field);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}
