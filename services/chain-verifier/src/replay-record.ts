import { encodeFileEvent, type DeadLetter, type ReplayHeader } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';

/** The record of file-events that brings a dead letter back; with `skip` its bytes are left out. */
export function replayRecordOf(letter: DeadLetter, skip = false): LogRecord {
  const { key, parking, index, id } = letter;
  const header: ReplayHeader = {
    kind: 'replay',
    v: 1,
    key,
    parking,
    index,
    ...(skip ? { skip: true as const } : {}),
  };
  const wrapped = skip ? '' : (letter.body ?? '');
  return { key, id, body: encodeFileEvent(JSON.stringify(header), Buffer.from(wrapped, 'base64')) };
}
