import { PARKING_OUTCOMES } from '@sentinel-node/contracts';
import type { Log, Metrics } from '@sentinel-node/platform';
import type { ParkingNews } from './judge-batch.ts';

/** Keys whose parking is counted at once; beyond, the gauge stays at this. */
const MAX_KEYS = 100_000;

/** Makes a parked file heard: an alarm in the log for what cannot be judged, a gauge while it lasts. */
export class ParkingObserver {
  readonly #log: Log;
  readonly #parked = new Set<string>();
  readonly #count: ((labels: { readonly outcome: string }) => void) | undefined;

  constructor(log: Log, metrics: Metrics | undefined) {
    this.#log = log;
    this.#count = metrics?.counter<'outcome'>({
      name: 'verifier_parked_records_total',
      help: 'Records of parked files: PARKED became dead letters, the others follow from replays',
      labels: { outcome: PARKING_OUTCOMES },
    });
    metrics?.observedGauge(
      { name: 'verifier_parked_files', help: 'Parked files that this process has had a record of' },
      () => this.#parked.size,
    );
  }

  tell(news: ParkingNews): void {
    const { cause, index, letters, outcome, parking, replayed } = news.parking;
    const { key, offset, partition } = news.source;
    this.#count?.({ outcome });
    const isOver = replayed === letters;
    if (isOver) this.#parked.delete(key);
    else if (this.#parked.size < MAX_KEYS) this.#parked.add(key);
    const said = { fileId: key, partition, offset, parking, index, letters, replayed };
    if (cause !== undefined) {
      const code = outcome === 'PARKED' ? 'FILE_PARKED' : 'REPLAY_REFUSED';
      const err = news.error === undefined ? {} : { err: news.error };
      this.#log.error({ alarm: true, code, cause, ...said, ...err }, 'a record cannot be judged');
    }
    if (outcome === 'SKIPPED') this.#log.warn(said, 'a dead letter was passed over');
    if (isOver) this.#log.info(said, 'the file is parked no longer');
  }
}
