/** Chooses the checkpoint for readers of the log, with its cosignatures. */
import { quorumOf, withSignatures, type WitnessPolicy } from '@sentinel-node/contracts';
import type { Clock, DocumentStore, LogKey } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type CutDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import { newestCut, signedCheckpoint } from '../recorded-log.ts';
import { cosignaturesOf, isAhead } from './cosignatures.ts';

const { name: CUTS } = OWN_COLLECTIONS.cuts;

export interface ShownDeps {
  readonly store: DocumentStore;
  readonly logKey: LogKey;
  readonly origin: string;
  readonly clock: Clock;
  readonly witnessPolicy: WitnessPolicy | undefined;
}

export interface ShownCheckpoint {
  /** Undefined for an empty log. */
  readonly cut: CutDocument | undefined;
  /** Signed note. */
  readonly note: string;
}

/**
 * Returns the newest checkpoint that has its quorum or has waited `ANCHORING_LIMITS.quorumWaitMs` for it, so that
 * unreachable witnesses delay it no longer; without such a checkpoint, the newest.
 */
export async function shownCheckpoint(deps: ShownDeps): Promise<ShownCheckpoint> {
  const { store, logKey, origin, clock, witnessPolicy: policy } = deps;
  const newest = await newestCut(store);
  const shown = (cut: CutDocument | undefined, lines: readonly string[] = []): ShownCheckpoint => {
    const note = signedCheckpoint(cut, logKey, origin);
    return { cut, note: withSignatures(note, lines.join('')) ?? note };
  };
  if (policy === undefined || newest === undefined) return shown(newest);
  const waitsUntil = ({ cut }: CutDocument): number => cut.closedAt + ANCHORING_LIMITS.quorumWaitMs;
  const first = await withLines(deps, policy, [newest]);
  const [found] = first;
  const cuts = found!.isQuorum || clock.now() >= waitsUntil(newest) ? [] : await newestCuts(store);
  const looked = cuts.length === 0 ? first : await withLines(deps, policy, cuts);
  const best = looked.find(({ cut, isQuorum }) => isQuorum || clock.now() >= waitsUntil(cut)) ?? looked[0]!;
  return shown(best.cut, best.lines);
}

async function newestCuts(store: DocumentStore): Promise<CutDocument[]> {
  const query = { sort: { field: 'id', direction: 'desc' }, limit: ANCHORING_LIMITS.quorumLooks } as const;
  return await store.find(CUTS, query);
}

async function withLines(
  { clock, store }: Pick<ShownDeps, 'clock' | 'store'>,
  policy: WitnessPolicy,
  cuts: readonly CutDocument[],
) {
  const found = await cosignaturesOf(store, policy, cuts);
  return cuts.map((cut, at) => {
    const byName = found[at]!;
    // Of a clock that was ahead: no checker counts it until its time has come.
    const counted = [...byName].filter(([, { time }]) => !isAhead(time, clock.now())).map(([name]) => name);
    return {
      cut,
      lines: [...byName.values()].map(({ line }) => line),
      isQuorum: quorumOf(policy, new Set(counted)) !== 'MISSING',
    };
  });
}
