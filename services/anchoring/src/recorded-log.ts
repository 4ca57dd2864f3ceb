/** Reads the log from its recorded cuts, for checkpoints and proofs. */
import { fromHex, merkleRoot, signCheckpoint } from '@sentinel-node/contracts';
import { newestOf, type DocumentStore, type LogKey } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type CutDocument } from './collections.ts';
import type { LogAfter } from './domain/log-nodes.ts';

const { name: CUTS } = OWN_COLLECTIONS.cuts;

/** Returns undefined without cuts. */
export function newestCut(store: Pick<DocumentStore, 'find'>): Promise<CutDocument | undefined> {
  return newestOf(store, CUTS);
}

/** Returns the log of `size` batches; undefined when the log is smaller. */
export async function readLog(store: DocumentStore, size: number): Promise<LogAfter | undefined> {
  const found = await store.get(CUTS, batchId(size - 1));
  return found && logAfter(found);
}

export function logAfter({ cut, log }: CutDocument): LogAfter {
  return { header: fromHex(cut.header), peaks: log.peaks.map(fromHex) };
}

/** Returns the signed note of the log after `cut`; of the empty log without a cut. */
export function signedCheckpoint(cut: CutDocument | undefined, logKey: LogKey, origin: string): string {
  const root = cut === undefined ? merkleRoot([]) : fromHex(cut.cut.logRoot);
  const size = cut?.log.size ?? 0;
  return signCheckpoint({ origin, size, root }, logKey.publicKey, (message) => logKey.sign(message));
}
