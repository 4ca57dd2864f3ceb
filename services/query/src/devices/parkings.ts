import type { File } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import {
  type FileParkingView,
  iso,
  parkingCauseId,
  type ParkingCauseView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';

export interface FileParking {
  /** Rises with every change. */
  readonly rev: number;
  /** undefined when the file was parked earlier but is not now. */
  readonly parked: File['parked'];
}

/** Returns the parkings of the files that are or were parked. */
export async function parkingsOf(
  store: DocumentStore,
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, FileParking>> {
  const views = await viewsOf<FileParkingView>(store, VIEWS.fileParkings, fileIds);
  const parked = [...views.values()].filter(({ waiting }) => waiting > 0);
  const causes = await viewsOf<ParkingCauseView>(
    store,
    VIEWS.parkingCauses,
    parked.map(({ id, parking }) => parkingCauseId(id, parking)),
  );
  return new Map(
    [...views.values()].map((view) => {
      const cause = causes.get(parkingCauseId(view.id, view.parking))?.cause ?? null;
      return [view.id, { rev: view.rev, parked: shownParking(view, cause) }];
    }),
  );
}

function shownParking({ waiting, judgedUntil }: FileParkingView, cause: string | null): File['parked'] {
  return waiting === 0 ? undefined : { since: judgedUntil === 0 ? null : iso(judgedUntil), cause, waiting };
}
