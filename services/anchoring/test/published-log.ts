/** A log of recorded cuts without entries, and the service that publishes it. */
import { CompactRange, leafHash, fromHex } from '@sentinel-node/contracts';
import type { LogAfter } from '../src/domain/log-nodes.ts';
import { batchId, OWN_COLLECTIONS, type CutDocument } from '../src/collections.ts';
import { buildCut, EMPTY_LOG } from '../src/domain/build-cut.ts';
import { Pending } from '../src/domain/pending.ts';
import { LOG_KEY, openWorld, serviceOn } from './support.ts';

export const ORIGIN = 'log.example.org/sentinel';

/** Returns the log after each of `size` headers, which only contain their number. */
export function logsOf(size: number): LogAfter[] {
  const range = new CompactRange();
  return Array.from({ length: size }, (_, n): LogAfter => {
    const header = new Uint8Array(182);
    new DataView(header.buffer).setUint32(0, n);
    range.append(leafHash(header));
    return { header, peaks: range.peaks };
  });
}

/** Returns documents of the first `size` cuts. */
export async function cutsOf(size: number): Promise<CutDocument[]> {
  const documents: CutDocument[] = [];
  const collected = new Pending(new Map()).collected();
  let before = EMPTY_LOG;
  for (let batch = 0; batch < size; batch++) {
    const { cut, log } = await buildCut(LOG_KEY.logId, before, collected, batch, () => Promise.resolve());
    documents.push({ id: batchId(batch), rev: 1, cut, log, next: [] });
    before = log;
  }
  return documents;
}

/** Serves the routes of anchoring over `size` recorded cuts; nothing else runs. */
export async function publishedLog(size: number) {
  const world = await openWorld();
  const cuts = await cutsOf(size);
  await world.store.insertMissing(OWN_COLLECTIONS.cuts.name, cuts);
  const served = await serviceOn(world, ORIGIN);
  const close = async () => {
    await served.end();
    await world.close();
  };
  return { ...served, world, headers: cuts.map(({ cut }) => fromHex(cut.header)), close };
}
