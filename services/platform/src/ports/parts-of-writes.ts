import type { CollectionWrite } from './document-store.ts';

/** A part is at most this share of the bytes that may be pending, so that it finds room beside other calls. */
const SHARE = 8;

/**
 * Divides large writes into parts, in their order, of about as many documents each. Small writes, and a single document, are
 * one part. A part can still be too large: divide it again.
 * @param bytes of all documents, as the store counts them
 * @param pendingBytes limit of the store
 */
export function partsOf(
  writes: readonly CollectionWrite[],
  bytes: number,
  pendingBytes: number,
): readonly (readonly CollectionWrite[])[] {
  const documents = writes.reduce((sum, write) => sum + write.documents.length, 0);
  const wanted = Math.ceil((bytes * SHARE) / pendingBytes);
  if (wanted <= 1 || documents <= 1) return [writes];
  const most = Math.ceil(documents / wanted);
  const parts: CollectionWrite[][] = [[]];
  let room = most;
  for (const write of writes)
    for (let at = 0; at < write.documents.length;) {
      if (room === 0) {
        parts.push([]);
        room = most;
      }
      const some = sliceOf(write, at, at + room);
      parts.at(-1)!.push(some);
      at += some.documents.length;
      room -= some.documents.length;
    }
  return parts;
}

function sliceOf(write: CollectionWrite, from: number, to: number): CollectionWrite {
  if (write.mode === 'upsert') return { ...write, documents: write.documents.slice(from, to) };
  return { ...write, documents: write.documents.slice(from, to) };
}
