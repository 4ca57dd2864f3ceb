import { setImmediate } from 'node:timers/promises';
import { defaultLogOrigin } from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { treeOfBatch } from './batch-leaves.ts';
import { BatchTrees } from './batch-trees.ts';
import type { ProofContext } from './proof-of.ts';

/** Derives the key of the log, as every service does. The boot compared its public half with the recorded one. */
export function createProofContext(context: QueryContext): ProofContext {
  const { store, eventLog, config, secrets } = context;
  const logKey = logKeyOf(secrets.masterSecret);
  const { logId } = logKey;
  const leaves = { store, eventLog, logId, yieldTurn: () => setImmediate() };
  return {
    ...context,
    logKey,
    origin: config.logOrigin ?? defaultLogOrigin(logId),
    trees: new BatchTrees((cut) => treeOfBatch(leaves, cut)),
  };
}
