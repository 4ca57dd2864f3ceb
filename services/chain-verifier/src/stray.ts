import { partitionOf } from '@sentinel-node/contracts';
import type { StoredRecord } from '@sentinel-node/platform';

/**
 * Returns why no program of this system can have put the record of file-events where it is; undefined when one can. Each
 * append gives a key, and the key its partition. A record elsewhere has no place among the records of its key: judged, or
 * parking the key, it would give the file a second state, as another process may have the right partition.
 */
export function strayCause(
  { key, partition }: Pick<StoredRecord, 'key' | 'partition'>,
  partitions: number,
): string | undefined {
  if (key === '') return 'it has no key';
  const right = partitionOf(key, partitions);
  return right === partition ? undefined : `its key belongs to partition ${right}`;
}
