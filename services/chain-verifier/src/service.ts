import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  CHECKPOINTS_COLLECTION,
  HeldWork,
  ignoreTransient,
  Lifecycle,
  systemTimers,
  type DocumentStore,
  type EventLog,
  type Log,
  type Metrics,
  type RecordBatch,
  type Service,
  type Timers,
} from '@sentinel-node/platform';
import { BatchVerifier, type BatchVerifierOptions } from './consume.ts';
import { HeadCache, type HeadCacheLimits } from './head-cache.ts';
import { HEADS_COLLECTION } from './head-store.ts';
import type { JudgedBatch } from './judge-batch.ts';
import { UnjudgeableRecordError } from './judge-record.ts';
import { ParkedFiles } from './parked-files.ts';
import { ParkingObserver } from './parking-observer.ts';
import { Persistence } from './persistence.ts';

export interface ChainVerifierOptions {
  readonly log: Log;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** 32 bytes: the log that entries are linked under (the page on evidence of the specification, "Batches"). */
  readonly logId: Uint8Array;
  readonly metrics?: Metrics;
  readonly timers?: Timers;
  /** Default: `HEAD_CACHE_LIMITS`. */
  readonly headCache?: Partial<HeadCacheLimits>;
  /** Most records of a batch, which are judged and published together. Default: the event log's. */
  readonly batchRecords?: number;
  /**
   * Members of the group in this process. Default: 1. Where an event log does not fetch while its records are handled,
   * a second member has records to judge meanwhile.
   */
  readonly members?: number;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly now?: () => number;
}

export interface ChainVerifier extends Service {
  /** Rejects when a record needs a newer version, or a port failed for good: the service has then stopped judging. */
  readonly failed: Promise<never>;
}

/**
 * Judges `file-events` into `chain`; any number of verifiers of one group share the partitions. A record that cannot be
 * judged parks its file, with an alarm; the other files go on.
 */
export function createChainVerifier(options: ChainVerifierOptions): ChainVerifier {
  return new VerifierService(options);
}

const NAME = 'chain-verifier';
/** Time between two looks for files that other verifiers parked or freed. */
const PARKED_LOOK_MS = 60_000;

class VerifierService implements ChainVerifier {
  readonly name = NAME;
  readonly #options: ChainVerifierOptions;
  readonly #log: Log;
  readonly #verifier: BatchVerifier;
  readonly #parked: ParkedFiles;
  readonly #persistence: Persistence;
  readonly #lifecycle: Lifecycle;
  readonly #held: HeldWork;

  constructor(options: ChainVerifierOptions) {
    const { eventLog, headCache, logId, store } = options;
    this.#options = options;
    this.#log = options.log.child({ part: NAME });
    this.#persistence = new Persistence(options.timers ?? systemTimers, this.#log);
    this.#held = new HeldWork(options.now);
    this.#lifecycle = new Lifecycle((error) => this.#onFailure(error));
    this.#parked = new ParkedFiles(eventLog, store);
    const cache = new HeadCache(headCache);
    const persist = (write: () => Promise<unknown>) => this.#persistence.run(write);
    const onJudged = this.#observe(cache);
    const isStopping = () => this.#persistence.stopping;
    const onStray: BatchVerifierOptions['onStray'] = (topic, { offset, partition }, cause) =>
      this.#log.error(
        { code: 'STRAY_RECORD', topic, partition, offset, cause },
        'a record that no program of this system put there is passed over; find out who did',
      );
    const ports = { eventLog, store, cache, logId, persist };
    this.#verifier = new BatchVerifier({ ...ports, isStopping, onJudged, onStray });
  }

  get failed(): Promise<never> {
    return this.#lifecycle.failed;
  }

  async start(): Promise<void> {
    const { batchRecords, eventLog, members = 1, store } = this.#options;
    await store.ensure([HEADS_COLLECTION, CHECKPOINTS_COLLECTION]);
    await this.#watchParkedFiles();
    const handle = (batch: RecordBatch) => this.#held.hold(() => this.#verifier.handle(batch));
    const size = batchRecords === undefined ? {} : { maxRecords: batchRecords };
    const joining = Array.from({ length: members }, () =>
      eventLog.consume([TOPICS.fileEvents], GROUPS.verifier, handle, size),
    );
    this.#lifecycle.run(...(await Promise.all(joining)));
  }

  /** Without metrics nobody asks for their number. */
  async #watchParkedFiles(): Promise<void> {
    const { metrics, timers = systemTimers } = this.#options;
    if (metrics === undefined) return;
    const look = ignoreTransient(() => this.#parked.look());
    await look();
    this.#lifecycle.run(timers.every(PARKED_LOOK_MS, look));
  }

  async stop(): Promise<void> {
    this.#persistence.stop();
    await this.#lifecycle.stop();
    await this.#saveAll();
  }

  /** Saves the heads, so that the next start has nothing to judge again. A store that does not take them is no failure. */
  async #saveAll(): Promise<void> {
    try {
      await this.#verifier.saveAll();
    } catch (error) {
      this.#log.warn(
        { err: error },
        'the heads could not be saved; the next start judges their records again',
      );
    }
  }

  notReady(): readonly string[] {
    return this.#lifecycle.isRunning && !this.#persistence.waiting ? [] : [NAME];
  }

  #onFailure(error: unknown): void {
    const where = error instanceof UnjudgeableRecordError ? placeOf(error) : {};
    this.#log.fatal({ err: error, ...where }, 'the chain verifier has stopped');
  }

  #observe(cache: HeadCache): (batch: RecordBatch, judged: JudgedBatch) => void {
    const { metrics } = this.#options;
    const count = metrics?.counter({ name: 'verifier_records_total', help: 'Records of file-events judged' });
    const raised = metrics?.counter({ name: 'verifier_alerts_total', help: 'Alerts raised' });
    metrics?.observedGauge({ name: 'verifier_cached_heads', help: 'Heads in memory' }, () => cache.size);
    metrics?.observedGauge(
      { name: 'verifier_unsaved_heads', help: 'Heads that the store does not have yet' },
      () => this.#verifier.unsavedHeads,
    );
    metrics?.observedGauge(
      {
        name: 'verifier_held_seconds',
        help: 'Since the oldest batch of records in hand was begun; 0: none is',
      },
      () => this.#held.heldSeconds,
    );
    const dropped = metrics?.counter({
      name: 'verifier_reports_not_judged_total',
      help: 'Reports that were accepted while their file was being deleted',
    });
    const parking = new ParkingObserver(this.#log, metrics, this.#parked);
    return ({ partition, records }, { alertsRaised, notJudged, parkings }) => {
      count?.({}, records.length);
      if (notJudged.length > 0) dropped?.({}, notJudged.length);
      for (const { orgId, deviceId, fileId, sequence } of notJudged)
        this.#log.warn(
          { orgId, deviceId, fileId, sequence },
          'a report of a deleted file was accepted and not judged',
        );
      for (const event of parkings) parking.record(event);
      if (alertsRaised === 0) return;
      raised?.({}, alertsRaised);
      this.#log.info({ partition, alerts: alertsRaised }, 'alerts raised');
    };
  }
}

function placeOf({ code, key, offset, partition, topic }: UnjudgeableRecordError) {
  return { code, topic, partition, offset, fileId: key };
}
