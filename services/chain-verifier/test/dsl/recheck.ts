import {
  bodyHash,
  entryNonce,
  fromHex,
  linkHash,
  toHex,
  type ChainRecord,
  type Entry,
} from '@sentinel-node/contracts';
import { LOG_ID } from './records.ts';

/** First fault of a file's records, looked at from outside: numbers, revisions, hashes, links. undefined: none. */
export function faultOf(fileId: string, records: readonly ChainRecord[]): string | undefined {
  let number = 0;
  let previous: string | undefined;
  for (const [i, record] of records.entries()) {
    if (record.rev !== i + 1) return `revision ${record.rev} stands at ${i + 1}`;
    for (const [ordinal, entry] of record.entries.entries()) {
      if (entry.number !== number) return `number ${entry.number} stands at ${number}`;
      if (entry.versionIndex !== ordinal) return `entry ${number} has ordinal ${entry.versionIndex}`;
      if (linkOf(fileId, entry, previous) !== entry.linkHash) return `link hash of ${number}`;
      previous = entry.linkHash;
      number++;
    }
    const { file } = record;
    if (file !== null && (file.linkHash ?? undefined) !== previous)
      return `head after revision ${record.rev}`;
    if (file !== null && file.number !== (number === 0 ? null : number - 1)) return 'number of the head';
  }
  return undefined;
}

/** Nonces follow from the record's: the input log has it. */
export function nonceOf(body: Uint8Array, ordinal: number): string {
  const header = JSON.parse(new TextDecoder().decode(body).split('\n')[0]!) as { nonce: string };
  return toHex(entryNonce(fromHex(header.nonce), ordinal));
}

function linkOf(subject: string, entry: Entry, previous: string | undefined): string {
  const hash = linkHash({
    logId: LOG_ID,
    subjectType: 'FILE',
    subject,
    number: entry.number,
    ...(previous === undefined ? {} : { previous }),
    bodyHash: bodyHash(entry),
  });
  return toHex(hash);
}
