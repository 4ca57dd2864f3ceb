import type { Cut } from '@sentinel-node/contracts';
import type { Consolidation } from './collections.ts';
import type { Contradiction } from './comparison/start-comparison.ts';
import type { LedgerUnavailableError, Log, Metrics } from '@sentinel-node/platform';
import { ANCHORING_LIMITS } from './limits.ts';

const REASONS = [
  'rejected',
  'contradicted',
  'no_funds',
  'low_funds',
  'unavailable',
  'consolidation',
  'reorganised',
] as const;

/** A transaction that the ledger refused. */
interface Refused {
  readonly batch: number;
  readonly txid: string;
  /** Whether a later batch has a transaction. */
  readonly isFollowed: boolean;
}

/** Blocks that another chain replaced. */
export interface Reorganised {
  /** Blocks that were replaced, at most. */
  readonly depth: number;
  /** Height of the highest known block of both chains. */
  readonly shared: number;
  /** Height of the newest block. */
  readonly height: number;
  readonly isDeep: boolean;
}

/** Reports events that an operator must know, in the log and as metrics. */
export interface Alarms {
  /**
   * Reports a refused anchor. When it is the newest, nothing more is sent until a person has checked, because the next
   * anchor has no seal to spend; one that others follow is asked about on.
   */
  rejected(refused: Refused, detail: string | undefined): void;
  /** Shows whether the newest anchor is refused. */
  refusedNewest(isRefused: boolean): void;
  /** Shows how many batches the ledger refuses although others follow. */
  refusedEarlier(count: number): void;
  /** Reports recorded data that differ from the anchored data: no more cuts or anchors follow. */
  contradicted(contradiction: Contradiction): void;
  /**
   * Reports a contradiction that an earlier start, or another process, found: no cuts or anchors follow until its batch was
   * compared again and fits.
   */
  held(contradiction: Contradiction): void;
  /** Reports that no recorded contradiction is left: each was compared again, and fits. */
  released(): void;
  /** Reports that another chain of blocks replaced newest blocks: an alarm when anchors could be in them that are polled no more. */
  reorganised(moved: Reorganised): void;
  /** Reports that anchors are in no block any more. @param taken `closed`: how many of them had been final */
  takenBack(taken: { readonly count: number; readonly closed: number; readonly first: number }): void;
  outOfFunds(batch: number, publicKeyHash: string, retryMs: number): void;
  unavailable(error: LedgerUnavailableError, retryMs: number): void;
  /** Reports that the ledger refuses an anchor no longer, without a word of a person. */
  taken(anchor: Refused): void;
  /** Reports that a refused anchor, or another anchor for its batch, is sent again. */
  resumed(refused: Refused): void;
  /** @param days days that the funds last; undefined while unknown */
  funds(satoshis: number, fee: number, days: number | undefined): void;
  /** Reports that the ledger refuses to join outputs of the key, perhaps because somebody else has spent one. */
  consolidationRefused(txid: string, detail: string | undefined): void;
  /** Reports a consolidation of small outputs of the key. */
  consolidated(made: Consolidation): void;
  cut(cut: Cut): void;
}

export function createAlarms(log: Log, metrics: Metrics | undefined): Alarms {
  const alarm = metrics?.counter({
    name: 'anchoring_alarms_total',
    help: 'Anchors that the ledger refused or contradicts, that no funds were there for, or that it did not answer; funds that end soon, or cannot be joined; final blocks that were replaced.',
    labels: { reason: REASONS },
  });
  // A gauge, because this is a state: every start detects it again before an event could be counted.
  const refused = metrics?.gauge({
    name: 'anchoring_refused',
    help: '1: the ledger refused the newest anchor, or has another that spends the same, and no further one is sent',
  });
  refused?.({}, 0);
  const refusedEarlier = metrics?.gauge({
    name: 'anchoring_refused_earlier',
    help: 'Batches that the ledger refuses although later ones follow them: it is asked about them on.',
  });
  refusedEarlier?.({}, 0);
  const contradicted = metrics?.gauge({
    name: 'anchoring_contradicted_batch',
    help: 'First batch that contradicts its transaction, so that nothing is anchored on top; -1: none was found, or each was compared again and fits.',
  });
  contradicted?.({}, -1);
  const funds = metrics?.gauge({ name: 'anchoring_funds_satoshis', help: 'Funds of the newest anchor.' });
  const fees = metrics?.gauge({ name: 'anchoring_fee_satoshis', help: 'Fee of the newest anchor.' });
  const fundsDays = metrics?.gauge({
    name: 'anchoring_funds_days',
    help: 'Days that the funds last at the present rate, with outputs that were brought; -1: not known yet.',
  });
  fundsDays?.({}, -1);
  let isLow = false;
  const joined = metrics?.counter({
    name: 'anchoring_joined_outputs_total',
    help: 'Small outputs of the anchoring key that consolidations joined.',
  });
  const batches = metrics?.counter({ name: 'anchoring_batches_total', help: 'Cuts recorded.' });
  const leaves = metrics?.counter({ name: 'anchoring_leaves_total', help: 'Entries in recorded cuts.' });
  return {
    rejected: ({ batch, txid, isFollowed }, detail) => {
      alarm?.({ reason: 'rejected' });
      if (!isFollowed) refused?.({}, 1);
      const then = isFollowed
        ? 'later ones follow it, and it is asked about on'
        : 'no further anchor is sent';
      log.error({ batch, txid, detail }, `the ledger refused the anchor; ${then}`);
    },
    refusedNewest: (isRefused) => refused?.({}, isRefused ? 1 : 0),
    refusedEarlier: (count) => refusedEarlier?.({}, count),
    contradicted: ({ batch, what }) => {
      alarm?.({ reason: 'contradicted' });
      contradicted?.({}, batch);
      log.error({ batch, what }, 'a batch contradicts its transaction; nothing is cut or anchored any more');
    },
    held: ({ batch, what }) => {
      contradicted?.({}, batch);
      log.error(
        { batch, what },
        'a batch was found to contradict its transaction; nothing is cut or anchored before it was compared again',
      );
    },
    released: () => {
      contradicted?.({}, -1);
      log.info({}, 'the batches that contradicted were compared again and fit; anchoring goes on');
    },
    reorganised: ({ isDeep, ...moved }) => {
      if (!isDeep) {
        log.info(moved, 'newest blocks were replaced');
        return;
      }
      alarm?.({ reason: 'reorganised' });
      log.error(moved, 'blocks were replaced that were taken for final; the anchors in them are taken back');
    },
    takenBack: ({ count, closed, first }) => {
      const line = 'anchors are in no block any more; the ledger is asked what became of them';
      if (closed > 0) log.error({ anchors: count, final: closed, batch: first }, line);
      else log.info({ anchors: count, batch: first }, line);
    },
    outOfFunds: (batch, publicKeyHash, retryMs) => {
      alarm?.({ reason: 'no_funds' });
      fundsDays?.({}, 0);
      log.error({ batch, publicKeyHash, retryMs }, 'no funds for the anchor; pay to the key of this hash');
    },
    unavailable: (error, retryMs) => {
      alarm?.({ reason: 'unavailable' });
      log.warn({ err: error, retryMs }, 'the ledger does not answer');
    },
    taken: ({ batch, txid, isFollowed }) => {
      if (!isFollowed) refused?.({}, 0);
      log.info({ batch, txid }, 'the ledger no longer refuses the anchor');
    },
    resumed: ({ batch, txid, isFollowed }) => {
      if (!isFollowed) refused?.({}, 0);
      log.info({ batch, txid }, 'the anchor is sent again');
    },
    funds: (satoshis, fee, days) => {
      funds?.({}, satoshis);
      fees?.({}, fee);
      fundsDays?.({}, days ?? -1);
      const wasLow = isLow;
      isLow = days !== undefined && days < ANCHORING_LIMITS.lowFundsDays;
      if (!isLow || wasLow) return;
      alarm?.({ reason: 'low_funds' });
      log.warn({ satoshis, fee, days }, 'the funds end soon; pay to the anchoring key (sentinel funds)');
    },
    consolidationRefused: (txid, detail) => {
      alarm?.({ reason: 'consolidation' });
      log.error({ txid, detail }, 'the ledger refused to join funds; the key may be used elsewhere');
    },
    consolidated: ({ txid, inputs, funds, fee }) => {
      joined?.({}, inputs.length);
      log.info({ txid, outputs: inputs.length, satoshis: funds, fee }, 'small outputs were joined');
    },
    cut: ({ batch, leafCount }) => {
      batches?.({});
      leaves?.({}, leafCount);
      log.info({ batch, leaves: leafCount }, 'cut recorded');
    },
  };
}
