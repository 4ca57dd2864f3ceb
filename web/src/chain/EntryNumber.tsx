import { use } from 'react';
import { Link } from 'wouter';
import type { FileKey } from '../api/calls/files.ts';
import { EntryAddressContext } from './entry-address.ts';

interface EntryNumberProps {
  file: FileKey;
  entry: { id: string; number: number };
}

/** Shows an entry's number as a link to the entry. */
export function EntryNumber({ file, entry: { id, number } }: EntryNumberProps) {
  const addressOf = use(EntryAddressContext);
  const label = `Entry ${number}`;
  if (!file.deviceId || !file.fileId) return <strong className="num">#{number}</strong>;
  return (
    <Link href={addressOf(file.deviceId, file.fileId, id)} className="entry-number num" aria-label={label}>
      #{number}
    </Link>
  );
}
