/** Reads, claims and the live stream as one part of the query service. */
import {
  CLAIMS_COLLECTION,
  startSweeper,
  type App,
  type Caller,
  type Clock,
  type DocumentStore,
  type EventLog,
  type Log,
  type Random,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import {
  claimOutbox,
  SHARE_DAYS_COLLECTION,
  SHARES_COLLECTION,
  Signals,
  type ShareDeps,
  type TurnOffDeps,
} from './claims/index.ts';
import { readRoutes } from './http/read-routes.ts';
import type { ReadContext } from './reads/index.ts';
import { StreamHub } from './stream/index.ts';

export interface ReadSideDeps {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
  readonly reads: ReadContext;
  readonly mail: ShareDeps['mail'];
  /** Origin of the console, without a slash at the end. */
  readonly publicUrl: string;
  readonly limits: { readonly sharePerMinute: number; readonly shareAddressesPerDay: number };
}

export interface ReadSide {
  /** Below /api/v1. `callerOf`: who holds a token now; undefined when its session has ended. */
  routes(app: App, callerOf: (token: string) => Promise<Caller | undefined>): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  notReady(): readonly string[];
}

export function createReadSide(deps: ReadSideDeps): ReadSide {
  const { store, eventLog, clock, timers, log, reads, limits } = deps;
  const signals = new Signals();
  const outbox = claimOutbox(deps);
  let callerOf: (token: string) => Promise<Caller | undefined> = async () => undefined;
  const hub = new StreamHub({ reads, eventLog, timers, signals, log, callerOf: (token) => callerOf(token) });
  const turnOff: TurnOffDeps = { ...deps, outbox, signals };
  const share: ShareDeps = { ...deps, addressesPerDay: limits.shareAddressesPerDay };
  let sweeper: Repeating | undefined;
  return {
    routes: (app, lookUp) => {
      callerOf = lookUp;
      readRoutes(app, { reads, turnOff, share, hub, sharesPerMinute: limits.sharePerMinute });
    },
    start: async () => {
      await store.ensure([CLAIMS_COLLECTION, SHARES_COLLECTION, SHARE_DAYS_COLLECTION]);
      await hub.start();
      sweeper = await startSweeper(outbox, clock, timers);
      sweeper.failed.catch((error: unknown) => log.error({ err: error }, 'claims are no longer swept'));
    },
    stop: async () => {
      await Promise.all([hub.stop(), sweeper?.stop()]);
    },
    notReady: () => (hub.isFollowing ? [] : ['live updates']),
  };
}
