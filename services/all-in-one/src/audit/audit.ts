import { GROUPS, type KeptReceipt } from '@sentinel-node/contracts';
import type { AuditedLedger } from '@sentinel-node/anchoring';
import {
  UnreadableRecordError,
  type Clock,
  type DocumentStore,
  type EventLog,
  type LogKey,
} from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import { waitForAnchoring } from './anchoring-settled.ts';
import { AnchorChecks, type KeptCheckpoint } from './check-anchors.ts';
import { checkBatches } from './check-batches.ts';
import { checkChains } from './check-chains.ts';
import { ClaimChecks } from './check-claims.ts';
import { checkDeployment } from './check-deployment.ts';
import { checkHeads } from './check-heads.ts';
import { checkReceipts } from './check-receipts.ts';
import { ReservationChecks } from './check-reservations.ts';
import { checkStreams } from './check-streams.ts';
import { checkVerdicts } from './check-verdicts.ts';
import { VerifierHeadChecks } from './check-verifier-heads.ts';
import { compareViews } from './compare-views.ts';
import { NOT_COMPARED } from './coverage.ts';
import { FileOwners } from './file-owners.ts';
import { Findings, type Contradiction, type Finding } from './finding.ts';
import { unknownCollections } from '../unknown-collections.ts';
import { ScratchViews } from './scratch-views.ts';
import { unanchoredResult, type UnanchoredResult } from './unanchored.ts';
import { verdictWindow, withinWindow } from './verdict-window.ts';
import { waitForGroup, type Patience } from './wait-past.ts';

export interface AuditResult {
  readonly judged: number;
  /** Number of compared heads of the verifier. */
  readonly heads: number;
  /** Number of compared commits of streams. */
  readonly commits: number;
  /** Number of alerts whose claim was compared. */
  readonly claims: number;
  /** Number of compared reservations of names, addresses and wallet identities. */
  readonly reservations: number;
  readonly entries: number;
  readonly batches: number;
  /** Number of batches, from the first, that the kept checkpoint binds; null without one. */
  readonly boundBatches: number | null;
  /** Number of kept receipts whose report was looked for; null without any. */
  readonly receipts: number | null;
  /** Number of compared transactions of batches. */
  readonly transactions: number;
  /**
   * Of these, recorded in a block that is not deep enough in the ledger yet: another answer of the ledger about them is
   * no difference.
   */
  readonly unsettled: number;
  /** Entries that are not anchored yet. */
  readonly unanchored: UnanchoredResult;
  readonly documents: number;
  /** Collections that nothing was compared with. */
  readonly notCompared: readonly string[];
  /** Those of them that hold documents and that this version does not know. */
  readonly unknown: readonly string[];
  readonly differences: number;
  /** Number of differences by the check that found them. */
  readonly differencesBy: Findings['counts'];
  /** The first batch that contradicts its transaction, the ledger or a kept checkpoint. */
  readonly contradiction: Contradiction | null;
  /** The first findings of each check, 20 together. */
  readonly findings: readonly Finding[];
}

export interface AuditDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** What the store finds its documents by and differs from them (`Stores`); undefined where there is nothing to compare. */
  readonly indexFaults: (() => AsyncIterable<string>) | undefined;
  /** Empty store for the rebuilt views. */
  readonly scratch: DocumentStore;
  readonly logKey: Pick<LogKey, 'logId' | 'publicKey'>;
  readonly ledger: AuditedLedger;
  /** Called right before the batches are compared: the ledger must know the blocks of batches that were mined meanwhile. */
  readonly startLedger: () => Promise<void>;
  /** Checkpoint kept elsewhere, with a verified signature. */
  readonly checkpoint: KeptCheckpoint | undefined;
  /** Receipts that others kept, with verified signatures. */
  readonly receipts: readonly KeptReceipt[];
  /** Longest interval of the categories, in seconds. */
  readonly intervalSeconds: number;
  readonly clock: Clock;
  readonly patience: Patience;
}

/**
 * Compares all data derived from the log with the stored data, up to positions that a live system must pass first.
 * Memory grows with the number of files and batches, not with the length of the log.
 * @throws LiveBehindError
 */
export async function auditAll(deps: AuditDeps): Promise<AuditResult> {
  const { clock, eventLog, intervalSeconds, logKey, patience, store } = deps;
  const { logId } = logKey;
  const { writeLine } = patience;
  const findings = new Findings();
  await checkDeployment(store, logKey, findings);
  if (patience.isLive) await waitForAnchoring(store, patience);
  const savedHeads = await VerifierHeadChecks.read({ eventLog, store }, findings);
  const window = await verdictWindow(eventLog, (ends) =>
    waitForGroup(eventLog, GROUPS.verifier, ends, patience),
  );
  writeLine('judging every report again');
  const claimChecks = new ClaimChecks({ eventLog, store, findings, clock, patience });
  const judged = await checkVerdicts(withinWindow(eventLog, window), logId, findings, {
    onHead: (record, head) => savedHeads.judged(record, head),
    onRecord: (record) => claimChecks.taken(record),
  });
  const comparedHeads = savedHeads.end();
  const claims = await claimChecks.end(window.judged);
  if (deps.receipts.length > 0) {
    writeLine('looking for the reports of the receipts');
    await checkReceipts(eventLog, deps.receipts, findings);
  }
  writeLine('checking chains');
  const owners = new FileOwners(findings);
  const entries = await checkChains(eventLog, logId, findings, owners);
  writeLine('checking batches and comparing them with their transactions');
  const began = clock.now();
  await deps.startLedger();
  const anchors = await AnchorChecks.begin({ ...deps, logId, findings });
  const onBatch = anchors.take.bind(anchors);
  const onRecorded = anchors.recorded.bind(anchors);
  const { waiting: next } = anchors;
  const checked = await checkBatches({ eventLog, logId, findings, waiting: next, onBatch, onRecorded });
  const { count: batches, heads } = checked;
  const { compared: transactions, unsettled, unanchored } = await anchors.end(batches);
  const { activity, waiting } = checked;
  const waited = (since: number) => (patience.isLive ? began - since : activity.after(since));
  const rules = { intervalSeconds, waited, now: clock.now() };
  await checkHeads(store, heads, patience, findings);
  writeLine(
    'comparing the streams of organisations, devices and alerts, and who has a name or an address, with the registry',
  );
  const reserved = new ReservationChecks({ store, findings, clock, patience });
  const observers = [owners, reserved];
  const commits = await checkStreams({ eventLog, store, findings, clock, patience, observers });
  // On a live system the record of a device can come after the first entries of its files.
  if (!patience.isLive) owners.end();
  const reservations = await reserved.end();
  if (deps.indexFaults !== undefined) {
    writeLine('comparing the indexes of the store with its documents');
    for await (const fault of deps.indexFaults()) findings.add('indexes', fault);
  }
  writeLine('rebuilding the views beside the live ones');
  const documents = await checkViews(deps, findings);
  const unknown = await unknownCollections(store);
  const { contradiction = null, count: differences, counts: differencesBy, reported } = findings;
  return {
    judged,
    heads: comparedHeads,
    commits,
    claims,
    reservations,
    entries,
    batches,
    boundBatches: deps.checkpoint?.size ?? null,
    receipts: deps.receipts.length === 0 ? null : deps.receipts.length,
    transactions,
    unsettled,
    unanchored: unanchoredResult(waiting, unanchored, rules),
    documents,
    notCompared: [...NOT_COMPARED, ...unknown],
    unknown,
    differences,
    differencesBy,
    contradiction,
    findings: reported,
  };
}

/** Rebuilds and compares the views. @returns the number of compared documents; 0 when a record fits no view */
async function checkViews(
  { eventLog, patience, scratch: scratchStore, store }: AuditDeps,
  findings: Findings,
): Promise<number> {
  const scratch = new ScratchViews(eventLog, scratchStore, (error) => findings.add('views', error.message));
  try {
    await scratch.build();
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    findings.add('views', `cannot be made anew: ${error.message}`);
    return 0;
  }
  await waitForGroup(eventLog, GROUPS.projector, scratch.ends, patience);
  await store.ensure(VIEW_COLLECTIONS);
  return compareViews({ eventLog, store, scratch, patience, findings }, VIEW_COLLECTIONS);
}
