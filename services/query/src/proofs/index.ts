import { setImmediate } from 'node:timers/promises';
import { defaultLogOrigin } from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import type { QueryDeps } from '../deps.ts';
import type { ReadContext } from '../reads/index.ts';
import { treeOfBatch } from './batch-leaves.ts';
import { BatchTrees } from './batch-trees.ts';
import type { ProofDeps } from './proof-of.ts';

export { EVIDENCE_COLLECTIONS } from './evidence.ts';
export { proofOfEntry, proofOfSharedAlert, type ProofDeps } from './proof-of.ts';

/** The key of the log is derived, as every service does; its public half was compared with the recorded one at boot. */
export function proving({ store, eventLog, config, secrets }: QueryDeps, reads: ReadContext): ProofDeps {
  const logKey = logKeyOf(secrets.masterSecret);
  const { logId } = logKey;
  const leaves = { store, eventLog, logId, breathe: () => setImmediate() };
  return {
    reads,
    eventLog,
    logKey,
    origin: config.logOrigin ?? defaultLogOrigin(logId),
    trees: new BatchTrees((cut) => treeOfBatch(leaves, cut)),
  };
}
