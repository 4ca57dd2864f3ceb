import type { WitnessPolicy } from '@sentinel-node/contracts';
import { setImmediate } from 'node:timers/promises';
import { systemRandom } from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Ledger, Log, LogKey, Metrics } from '@sentinel-node/platform';
import type { Random, Service, Timers } from '@sentinel-node/platform';
import { createAlarms } from './alarms.ts';
import { Anchorer } from './anchorer.ts';
import { Contradictions } from './comparison/contradictions.ts';
import { Guard } from './comparison/guard.ts';
import { StartComparison } from './comparison/start-comparison.ts';
import { OWN_COLLECTIONS } from './collections.ts';
import { Cutter } from './cutter.ts';
import type { CategoryIntervals } from './domain/due.ts';
import { EvidenceBackfill } from './evidence-backfill.ts';
import { callbackRoute } from './http/callback-route.ts';
import { anchoringRoutes } from './http/routes.ts';
import { ANCHORING_POOLS } from './pools.ts';
import { ConfirmedBlocks } from './reorganisation/confirmed-blocks.ts';
import { Repetition } from './repetition.ts';
import { Standing } from './standing/standing.ts';
import { TileReads } from './tile-reads.ts';
import { createWitnesses } from './witnesses/create-witnesses.ts';

export interface AnchoringDeps {
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly random?: Random;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** The ledger starts and stops with the service. */
  readonly ledger: Ledger;
  readonly logKey: LogKey;
  /** Name of the log in checkpoints. */
  readonly origin: string;
  /** Private key (secp256k1) that pays for anchors, 32 bytes in hex. */
  readonly anchoringKey: string;
  /** Bearer token for reports of the ledger's service; when absent, no reports are accepted. */
  readonly callbackToken?: string;
  readonly categoryIntervalSeconds: CategoryIntervals;
  /** Policy of the witnesses that get the checkpoints; undefined without witnesses. Every witness has a URL. */
  readonly witnessPolicy?: WitnessPolicy | undefined;
}

export interface AnchoringService extends Service {
  /** Rejects when anchoring cannot continue. */
  readonly failed: Promise<never>;
}

/**
 * Returns the service for cuts, transactions and their confirmations; serves `/checkpoint`, tiles and `/batches/{n}`.
 */
export function createAnchoring(deps: AnchoringDeps): AnchoringService {
  const { log, store, ledger, metrics, logKey, origin } = deps;
  const standing = new Standing(deps);
  const alarms = standing.observe(createAlarms(log, metrics));
  const parts = { ...deps, logId: logKey.logId, random: deps.random ?? systemRandom, alarms };
  const yieldTurn = () => setImmediate();
  const cutter = new Cutter({ ...parts, yieldTurn, onCut: (cut) => alarms.cut(cut) });
  const anchorer = new Anchorer(parts);
  const backfill = new EvidenceBackfill(deps);
  const comparison = new StartComparison({ ...parts, yieldTurn });
  const blocks = new ConfirmedBlocks(parts);
  const guard = new Guard({ ...parts, blocks, comparison, contradictions: new Contradictions(deps) });
  const witnesses = createWitnesses(parts);
  const work = new Repetition(deps);
  const tiles = new TileReads(store);
  metrics?.pool(ANCHORING_POOLS['tile-reads'], () => tiles.used);
  metrics?.observedGauge(
    { name: 'anchoring_waiting_leaves', help: 'Entries that no cut covers yet.' },
    () => cutter.waiting,
  );
  const secondsSince = (ms: number): number => Math.max(0, deps.clock.now() - ms) / 1_000;
  metrics?.observedGauge(
    {
      name: 'anchoring_unread_seconds',
      help: 'Since every entry was last known to be read, and cut if it was due.',
    },
    () => cutter.unreadMs / 1_000,
  );
  metrics?.observedGauge(
    {
      name: 'anchoring_unanchored_seconds',
      help: 'Since the first batch that is not on the network was closed; without one, since the last look for one.',
    },
    () => secondsSince(standing.unanchoredSince),
  );
  metrics?.observedGauge(
    {
      name: 'anchoring_unmined_seconds',
      help: 'Since the first batch was closed whose anchor is on the network and in no block; without one, since the last look for one.',
    },
    () => secondsSince(standing.unminedSince),
  );
  return {
    name: 'anchoring',
    failed: work.failed,
    routes: (app) => {
      anchoringRoutes(app, {
        ...{ store, tiles, logKey, origin, network: ledger.network },
        witnessPolicy: deps.witnessPolicy,
        clock: deps.clock,
        isContradicted: () => guard.isContradicted,
      });
      if (deps.callbackToken !== undefined)
        callbackRoute(app, { token: deps.callbackToken, onReport: (txid) => anchorer.pollSoon(txid) });
    },
    start: async () => {
      await store.ensure(Object.values(OWN_COLLECTIONS));
      await ledger.start();
      await anchorer.restore();
      await guard.begin();
      await cutter.restore();
      work.start(
        () => guard.step(),
        () => guard.cut(() => cutter.step()),
        () => guard.anchor(() => blocks.step()),
        () => guard.anchor(() => anchorer.step()),
        () => guard.anchor(() => backfill.step()),
        () => standing.step(),
        // Readers of /checkpoint get cosignatures even without the ledger.
        ...witnesses.steps.map((step) => () => guard.cut(step)),
      );
    },
    stop: async () => {
      const stopped = work.stop();
      cutter.end();
      anchorer.end();
      witnesses.end();
      await stopped;
      await standing.end();
      await ledger.stop();
    },
    notReady: () => (work.isRunning && !guard.isContradicted ? [] : ['anchoring']),
  };
}
