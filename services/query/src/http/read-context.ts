import type { TurnOffDeps } from '../claims/index.ts';
import type { ExportGate } from '../exports/index.ts';
import type { ProofDeps } from '../proofs/index.ts';
import type { ReadContext } from '../reads/index.ts';
import type { ShareDeps } from '../claims/index.ts';
import type { StreamHub } from '../stream/index.ts';

/** What the routes of alerts, events, chains, proofs, dashboard and stream work with. */
export interface ReadRoutesDeps {
  readonly reads: ReadContext;
  readonly turnOff: TurnOffDeps;
  readonly share: ShareDeps;
  readonly hub: StreamHub;
  readonly exports: ExportGate;
  readonly proofs: ProofDeps;
  /** Shares a user may send in a minute. */
  readonly sharesPerMinute: number;
}
