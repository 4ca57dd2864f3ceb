import { setImmediate } from 'node:timers/promises';
import { ANCHOR_COLLECTIONS, systemRandom } from '@sentinel-node/platform';
import type { Clock, DocumentStore, EventLog, Ledger, Log, LogKey, Metrics } from '@sentinel-node/platform';
import type { Random, Repeating, Service, Timers } from '@sentinel-node/platform';
import { createAlarms } from './alarms.ts';
import { Anchorer } from './anchorer.ts';
import { OWN_COLLECTIONS } from './collections.ts';
import { Cutter } from './cutter.ts';
import { pace, type CategoryIntervals } from './domain/due.ts';
import { mayPass } from './errors.ts';
import { anchoringRoutes } from './http/routes.ts';
import { ANCHORING_LIMITS } from './limits.ts';

export interface AnchoringDeps {
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly random?: Random;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** Started and stopped with the service. */
  readonly ledger: Ledger;
  readonly logKey: LogKey;
  /** Name of the log in checkpoints. */
  readonly origin: string;
  /** secp256k1 private key that anchors are paid with, hex of 32 bytes. */
  readonly anchoringKey: string;
  readonly categoryIntervalSeconds: CategoryIntervals;
}

export interface AnchoringService extends Service {
  /** Rejects when anchoring cannot go on. */
  readonly failed: Promise<never>;
}

/** Cuts, transactions and their confirmations; `/checkpoint` and `/batches/{n}`. */
export function createAnchoring(deps: AnchoringDeps): AnchoringService {
  const { log, store, ledger, timers, metrics, logKey, origin } = deps;
  const alarms = createAlarms(log, metrics);
  const parts = { ...deps, logId: logKey.logId, random: deps.random ?? systemRandom, alarms };
  const cutter = new Cutter({ ...parts, breathe: () => setImmediate(), onCut: (cut) => alarms.cut(cut) });
  const anchorer = new Anchorer(parts);
  let repeating: readonly Repeating[] = [];
  let working = false;
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // Whoever watches `failed` hears of it; nobody has to.
  failed.catch(() => undefined);
  metrics?.observedGauge(
    { name: 'anchoring_waiting_leaves', help: 'Entries that no cut covers yet.' },
    () => cutter.waiting,
  );

  /** Repeats `step`; what passes is tried again at the next turn. */
  const run = (step: () => Promise<void>): Repeating => {
    const tick = pace(ANCHORING_LIMITS.tickMs, deps.categoryIntervalSeconds);
    const turns = timers.every(tick, async () => {
      try {
        await step();
      } catch (error) {
        if (!mayPass(error)) throw error;
        log.warn({ err: error }, 'anchoring waits');
      }
    });
    turns.failed.catch((error: unknown) => {
      working = false;
      log.fatal({ err: error }, 'anchoring has stopped');
      fail(error);
    });
    return turns;
  };

  return {
    name: 'anchoring',
    failed,
    routes: (app) => anchoringRoutes(app, { store, logKey, origin, network: ledger.network }),
    start: async () => {
      await store.ensure([...ANCHOR_COLLECTIONS, ...Object.values(OWN_COLLECTIONS)]);
      await ledger.start();
      await anchorer.restore();
      await cutter.restore();
      repeating = [run(() => cutter.step()), run(() => anchorer.step())];
      working = true;
    },
    stop: async () => {
      working = false;
      cutter.end();
      anchorer.end();
      await Promise.all(repeating.map((turns) => turns.stop()));
      await ledger.stop();
    },
    notReady: () => (working ? [] : ['anchoring']),
  };
}
