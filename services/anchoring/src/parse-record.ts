import { compileChecker, type StoredRecord } from '@sentinel-node/platform';
import { MinimalChainRecordSchema, type MinimalChainRecord } from './domain/chain-entries.ts';
import { badRecord } from './errors.ts';

const checker = compileChecker(MinimalChainRecordSchema);
const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws AnchoringStoppedError when it is no chain record */
export function parseChainRecord({ partition, offset, body }: StoredRecord): MinimalChainRecord {
  const record = parsed(body);
  if (!checker.check(record))
    throw badRecord(
      partition,
      offset,
      `it does not fit the schema at ${checker.errors(record)[0]?.path ?? ''}`,
    );
  if (record.fileId === null && record.entries.length > 0)
    throw badRecord(partition, offset, 'it has entries and no file');
  return record;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
}
