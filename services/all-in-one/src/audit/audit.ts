import type { DocumentStore, EventLog } from '@sentinel-node/platform';
import { rebuildViews, VIEW_COLLECTIONS } from '@sentinel-node/query';
import { checkBatches } from './check-batches.ts';
import { checkChains } from './check-chains.ts';
import { checkVerdicts } from './check-verdicts.ts';
import { compareViews } from './compare-views.ts';
import { Findings, type Finding } from './finding.ts';

export interface AuditResult {
  readonly judged: number;
  readonly entries: number;
  readonly batches: number;
  readonly documents: number;
  readonly differences: number;
  /** The first ones. */
  readonly findings: readonly Finding[];
}

export interface AuditDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** Empty; takes the rebuilt views. */
  readonly scratch: DocumentStore;
  readonly logId: Uint8Array;
}

/** Compares everything that follows from the log with what is stored. Nothing may be written meanwhile. */
export async function auditAll({ eventLog, store, scratch, logId }: AuditDeps): Promise<AuditResult> {
  const findings = new Findings();
  const judged = await checkVerdicts(eventLog, logId, findings);
  const entries = await checkChains(eventLog, logId, findings);
  const batches = await checkBatches(eventLog, logId, findings);
  await rebuildViews(eventLog, scratch);
  await store.ensure(VIEW_COLLECTIONS);
  const documents = await compareViews(store, scratch, VIEW_COLLECTIONS, findings);
  return { judged, entries, batches, documents, differences: findings.count, findings: findings.told };
}
