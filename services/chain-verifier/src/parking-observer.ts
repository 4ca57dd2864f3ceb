import { PARKING_OUTCOMES } from '@sentinel-node/contracts';
import type { Log, Metrics } from '@sentinel-node/platform';
import type { ParkingEvent } from './judge-batch.ts';
import type { ParkedFiles } from './parked-files.ts';

/** Reports parked files: an alarm in the log for a record that cannot be judged, a gauge of the files parked now. */
export class ParkingObserver {
  readonly #log: Log;
  readonly #parked: ParkedFiles;
  readonly #count: ((labels: { readonly outcome: string }) => void) | undefined;

  constructor(log: Log, metrics: Metrics | undefined, parked: ParkedFiles) {
    this.#log = log;
    this.#parked = parked;
    this.#count = metrics?.counter<'outcome'>({
      name: 'verifier_parked_records_total',
      help: 'Records of parked files: PARKED became dead letters, the others follow from replays',
      labels: { outcome: PARKING_OUTCOMES },
    });
    metrics?.observedGauge(
      { name: 'verifier_parked_files', help: 'Files that are parked now, of all partitions' },
      () => this.#parked.size,
    );
  }

  record(event: ParkingEvent): void {
    const { cause, index, letters, outcome, parking, replayed } = event.parking;
    const { key, offset, partition } = event.source;
    this.#count?.({ outcome });
    const isOver = replayed === letters;
    if (isOver) this.#parked.remove(key);
    else this.#parked.add(key);
    const fields = { fileId: key, partition, offset, parking, index, letters, replayed };
    if (cause !== undefined) {
      const code = outcome === 'PARKED' ? 'FILE_PARKED' : 'REPLAY_REFUSED';
      const err = event.error === undefined ? {} : { err: event.error };
      this.#log.error({ code, cause, ...fields, ...err }, 'a record cannot be judged');
    }
    if (outcome === 'SKIPPED') this.#log.warn(fields, 'a dead letter was passed over');
    if (isOver) this.#log.info(fields, 'the file is parked no longer');
  }
}
