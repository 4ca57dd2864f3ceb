import { BackupRecordSchema, type BackupRecord } from '@sentinel-node/contracts';
import { compileChecker, type LogRecord, type StoredRecord } from '@sentinel-node/platform';
import { BackupError } from './errors.ts';

const checker = compileChecker(BackupRecordSchema);
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns a record of the log as a line of a backup. */
export function lineOf({ offset, key, id, body }: StoredRecord): BackupRecord {
  try {
    return { offset, key, id, text: strict.decode(body) };
  } catch {
    return { offset, key, id, bytes: Buffer.from(body).toString('base64') };
  }
}

/** Parses a line of a backup into a record. @throws BackupError */
export function recordOf(value: unknown, file: string): LogRecord & { readonly offset: number } {
  if (!checker.check(value) || (value.text === undefined) === (value.bytes === undefined))
    throw new BackupError(`${file} holds a line that is no record`);
  const { offset, key, id, text } = value;
  const body = text === undefined ? Buffer.from(value.bytes!, 'base64') : Buffer.from(text);
  return { offset, key, id, body };
}
