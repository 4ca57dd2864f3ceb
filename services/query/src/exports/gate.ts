import {
  ApiError,
  FairPool,
  ignoreTransient,
  inLanes,
  OverloadedError,
  type Holding,
  type Metrics,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import { DrainWatch } from './drain-watch.ts';

/** Limits of running exports. Each export holds about one page of the store and the unsent text of its connection. */
export const EXPORT_LIMITS = {
  /** The most exports at once; an organisation may hold as many as are still free (`FairPool`). */
  atOnce: 32,
  perUser: 4,
  /** `Retry-After` of a refused export. */
  retryAfterSeconds: 10,
  /** A client is cut off when it reads fewer bytes a second, over this much time in which data waited for it. */
  leastBytesPerSecond: 8_192,
  windowMs: 20_000,
  /** Time between two checks for clients that read nothing at all. */
  lookMs: 2_000,
  /** Time between two checks that the callers still have the access that their exports began with. */
  accessMs: 2_000,
  /** Callers that are checked at once. */
  checksAtOnce: 4,
} as const;

/** Checks the access of the caller of one export. */
export interface AccessWatch {
  readonly isStillAdmitted: () => Promise<boolean>;
  /** Ends the export. */
  readonly end: () => void;
}

/**
 * Limits the running exports, so that slow clients do not add up.
 * @pool exports
 */
export class ExportGate {
  readonly #places = new FairPool({
    unit: 'exports',
    whole: EXPORT_LIMITS.atOnce,
    perMember: EXPORT_LIMITS.perUser,
  });
  readonly #watches = new Set<DrainWatch>();
  readonly #callers = new Set<AccessWatch>();
  #checking: Promise<void> | undefined;
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
   * Takes a place at once; the caller releases it when the export ends.
   * @throws ApiError OVERLOADED (try again when an export has ended)
   */
  enter(orgId: string, userId: string): Holding {
    const place = this.#places.hold(orgId, userId);
    try {
      place.take(1);
    } catch (error) {
      place.release();
      if (!(error instanceof OverloadedError)) throw error;
      const { retryAfterSeconds } = EXPORT_LIMITS;
      throw new ApiError('OVERLOADED', { detail: 'Too many exports are under way.', retryAfterSeconds });
    }
    return place;
  }

  /** @param cutOff called once when the client reads too slowly */
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

  /** Ends the export when its caller loses the access. @returns call when the export has ended */
  watchAccess(caller: AccessWatch): () => void {
    this.#callers.add(caller);
    return () => void this.#callers.delete(caller);
  }

  start(timers: Pick<Timers, 'every'>): Repeating[] {
    const { lookMs, accessMs } = EXPORT_LIMITS;
    return [
      timers.every(lookMs, async () => {
        for (const watch of this.#watches) watch.look(performance.now());
      }),
      timers.every(
        accessMs,
        ignoreTransient(() => this.#checkAccess()),
      ),
    ];
  }

  /** Checks the access of all callers now; after a failure the next check repeats it. */
  checkAccessSoon(): void {
    void this.#checkAccess().catch(() => undefined);
  }

  /** Checks all callers, at most once at a time: a check of a limited token may read all devices of an organisation. */
  #checkAccess(): Promise<void> {
    this.#checking ??= inLanes(EXPORT_LIMITS.checksAtOnce, [...this.#callers], async (caller) => {
      if (!(await caller.isStillAdmitted())) caller.end();
    }).finally(() => (this.#checking = undefined));
    return this.#checking;
  }
}
