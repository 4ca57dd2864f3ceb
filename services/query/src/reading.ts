/** Alerts, events, chains, dashboard and live streams, put together with what commands need of them. */
import { CLAIMS_COLLECTION, type Caller, type CollectionSpec, type Outbox } from '@sentinel-node/platform';
import {
  claimOutbox,
  SHARE_DAYS_COLLECTION,
  SHARES_COLLECTION,
  Signals,
  type Claim,
} from './claims/index.ts';
import type { QueryDeps } from './deps.ts';
import { ExportGate } from './exports/index.ts';
import type { ReadRoutesDeps } from './http/read-context.ts';
import type { Parts } from './parts.ts';
import { proving } from './proofs/index.ts';
import { StreamHub } from './stream/index.ts';

/** Written by people's commands on alerts; none is a view. */
export const ALERT_COLLECTIONS: readonly CollectionSpec[] = [
  CLAIMS_COLLECTION,
  SHARES_COLLECTION,
  SHARE_DAYS_COLLECTION,
];

export interface Reading {
  readonly routes: ReadRoutesDeps;
  readonly hub: StreamHub;
  readonly claims: Outbox<Claim>;
}

/** @param callersOfTokens in their order; undefined: the session has ended */
export function readingOf(
  deps: QueryDeps,
  { reads, mail, sessions }: Parts,
  callersOfTokens: (tokens: readonly string[]) => Promise<(Caller | undefined)[]>,
): Reading {
  const { eventLog, timers, log, clock, config } = deps;
  const signals = new Signals();
  const claims = claimOutbox(deps);
  const hub = new StreamHub({ reads, eventLog, timers, signals, log, callersOf: callersOfTokens });
  sessions.onEnded(() => hub.checkSessionsSoon());
  const { publicUrl, limits } = config;
  const share = { reads, eventLog, clock, mail, publicUrl, addressesPerDay: limits.shareAddressesPerDay };
  const turnOff = { ...deps, reads, outbox: claims, signals };
  return {
    hub,
    claims,
    routes: {
      reads,
      hub,
      exports: new ExportGate(),
      proofs: proving(deps, reads),
      share,
      turnOff,
      sharesPerMinute: limits.sharePerMinute,
    },
  };
}
