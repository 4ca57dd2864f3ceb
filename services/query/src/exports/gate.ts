import {
  ApiError,
  FairPool,
  OverloadedError,
  type Holding,
  type Metrics,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import { DrainWatch } from './drain-watch.ts';

/** Exports under way; each holds about a page of the store and what its connection has not sent yet. */
export const EXPORT_LIMITS = {
  /** An organisation begins no more once it has as many as are free (`FairPool`). */
  atOnce: 32,
  perUser: 4,
  /** Told to a client for whom there is no place. */
  retryAfterSeconds: 10,
  /** A client that takes less than so many bytes a second, over so much time in which data waited for it, is cut off. */
  leastBytesPerSecond: 8_192,
  windowMs: 20_000,
  /** Between two looks for clients that take nothing at all. */
  lookMs: 2_000,
} as const;

/**
 * Keeps clients that take their export slowly from adding up.
 * @pool exports
 */
export class ExportGate {
  readonly #places = new FairPool({
    unit: 'exports',
    whole: EXPORT_LIMITS.atOnce,
    perMember: EXPORT_LIMITS.perUser,
  });
  readonly #watches = new Set<DrainWatch>();
  readonly #countCutOff: () => void;

  constructor(metrics: Metrics) {
    metrics.observedGauge({ name: 'query_exports_open', help: 'Exports under way' }, () => this.#places.used);
    const cutOff = metrics.counter({
      name: 'query_exports_cut_off_total',
      help: 'Exports that were ended because their client took too little',
    });
    this.#countCutOff = () => cutOff({});
  }

  /**
   * Counted at once; the caller gives it back when the export has ended.
   * @throws ApiError OVERLOADED: come again when one has ended
   */
  enter(orgId: string, userId: string): Holding {
    const place = this.#places.hold(orgId, userId);
    try {
      place.take(1);
    } catch (error) {
      place.release();
      if (!(error instanceof OverloadedError)) throw error;
      const { retryAfterSeconds } = EXPORT_LIMITS;
      throw new ApiError('OVERLOADED', 'Too many exports are under way.', undefined, retryAfterSeconds);
    }
    return place;
  }

  /** @param cutOff called once when the client takes too little */
  watch(cutOff: () => void): DrainWatch {
    const watch = new DrainWatch(EXPORT_LIMITS, () => {
      this.#countCutOff();
      cutOff();
    });
    this.#watches.add(watch);
    return watch;
  }

  forget(watch: DrainWatch): void {
    this.#watches.delete(watch);
  }

  start(timers: Pick<Timers, 'every'>): Repeating {
    return timers.every(EXPORT_LIMITS.lookMs, async () => {
      for (const watch of this.#watches) watch.look(performance.now());
    });
  }
}
