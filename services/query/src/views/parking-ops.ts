import type { Parking } from '@sentinel-node/contracts';
import { VIEWS } from './collections.ts';
import type { FileParkingView, ParkingCauseView } from './documents.ts';
import type { ViewOp } from './view-op.ts';

export const parkingCauseId = (fileId: string, parking: number): string => `${fileId}:${parking}`;

/** Returns whether the file is parked by the record, or parked no longer. */
export const beginsOrEnds = ({ outcome, index, letters, replayed }: Parking): boolean =>
  (outcome === 'PARKED' && index === 0) || letters === replayed;

/** Returns the view writes for a parked file, or for the progress of its replay. */
export function parkingOps(
  fileId: string,
  { rev, timestamp }: { readonly rev: number; readonly timestamp: number },
  { parking, cause, letters, replayed }: Parking,
): ViewOp[] {
  const waiting = letters - replayed;
  const view: FileParkingView = { id: fileId, rev, parking, judgedUntil: timestamp, waiting };
  const ops: ViewOp[] = [{ collection: VIEWS.fileParkings, mode: 'upsert', documents: [view] }];
  if (cause === undefined) return ops;
  const first: ParkingCauseView = { id: parkingCauseId(fileId, parking), cause };
  return [...ops, { collection: VIEWS.parkingCauses, mode: 'insertMissing', documents: [first] }];
}
