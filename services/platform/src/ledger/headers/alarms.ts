import type { Log } from '../../logging/log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../ports/ambient.ts';
import type { OfferProblem } from './best-chain.ts';
import type { StoredProblem } from './collection.ts';

const REASONS = ['refused', 'unavailable', 'stored'] as const;

/** Reports problems of block headers to operators, in the log and as metrics. */
export interface HeaderAlarms {
  /**
   * Reports headers that are not a chain of this network with more work. @param height of the first refused header
   */
  refused(what: OfferProblem | (string & {}), height?: number): void;
  unavailable(error: Error): void;
  stored(problem: StoredProblem): void;
  /** Exposes height and age of the newest header from now on. */
  show(tip: () => { readonly height: number; readonly time: number } | undefined, clock: Clock): void;
}

export function createHeaderAlarms(log: Log, metrics: Metrics | undefined, source: string): HeaderAlarms {
  const alarm = metrics?.counter({
    name: 'block_headers_alarms_total',
    help: 'Looks for block headers that were refused, or got no answer; stored headers that do not hold.',
    labels: { reason: REASONS },
  });
  return {
    refused: (what, height) => {
      alarm?.({ reason: 'refused' });
      log.error({ source, what, height }, 'block headers are refused; what was known stays');
    },
    unavailable: (err) => {
      alarm?.({ reason: 'unavailable' });
      log.warn({ source, err }, 'block headers cannot be had now; asked again later');
    },
    stored: ({ height, problem }) => {
      alarm?.({ reason: 'stored' });
      log.error({ height, problem }, 'stored block headers do not hold from here on; they are fetched again');
    },
    show: (tip, clock) => {
      metrics?.observedGauge(
        { name: 'block_headers_height', help: 'Height of the newest block header; -1: none is known.' },
        () => tip()?.height ?? -1,
      );
      metrics?.observedGauge(
        { name: 'block_headers_age_seconds', help: 'Age of the newest block header; -1: none is known.' },
        () => ageOf(tip()?.time, clock),
      );
    },
  };
}

const ageOf = (time: number | undefined, clock: Clock): number =>
  time === undefined ? -1 : Math.max(0, Math.floor(clock.now() / 1_000) - time);
