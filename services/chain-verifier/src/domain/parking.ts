import type { ChainRecord, Parking, ParkingRecord } from '@sentinel-node/contracts';
import type { Conclusion } from './apply.ts';
import type { Head, Parked } from './head.ts';

/** The head after a record, and its record for the chain topic. */
export interface Step {
  readonly head: Head;
  readonly record: ChainRecord | ParkingRecord;
  readonly parking: Parking;
}

/** The record at `offset` becomes the next dead letter; `cause` when it is the one that parks the key. */
export function parkedBy(head: Head, offset: number, cause?: string): Step {
  const before = head.parked ?? { parking: offset, letters: 0, replayed: 0, cause: cause ?? '' };
  const after = { ...before, letters: before.letters + 1 };
  const why = cause === undefined ? {} : { cause };
  return without(head, offset, after, { index: before.letters, outcome: 'PARKED', ...why });
}

/** The next dead letter was tried and cannot be judged: the key stays parked. */
export function refused(head: Head, parked: Parked, offset: number, cause: string): Step {
  return without(head, offset, { ...parked, cause }, { index: parked.replayed, outcome: 'REFUSED', cause });
}

export function skipped(head: Head, parked: Parked, offset: number): Step {
  const after = { ...parked, replayed: parked.replayed + 1 };
  return without(head, offset, after, { index: parked.replayed, outcome: 'SKIPPED' });
}

/** The next dead letter was judged; `concluded` is undefined when nothing followed from it. */
export function replayed(
  head: Head,
  parked: Parked,
  offset: number,
  concluded: Conclusion | undefined,
): Step {
  const after = { ...parked, replayed: parked.replayed + 1 };
  const change = { index: parked.replayed, outcome: 'REPLAYED' } as const;
  if (concluded === undefined) return without(head, offset, after, change);
  const parking = parkingOf(after, offset, change);
  return {
    head: withParked(concluded.head, after),
    record: { ...concluded.record, parking },
    parking,
  };
}

type ParkingChange = Pick<Parking, 'index' | 'outcome' | 'cause'>;

/** Nothing was judged; only the state of the parking changes. */
function without(head: Head, offset: number, after: Parked, change: ParkingChange): Step {
  const parking = parkingOf(after, offset, change);
  const next = withParked({ ...head, rev: head.rev + 1, offset }, after);
  const record: ParkingRecord = { v: 1, kind: 'parking', rev: next.rev, timestamp: head.time, parking };
  return { head: next, record, parking };
}

function parkingOf({ parking, letters, replayed }: Parked, offset: number, change: ParkingChange): Parking {
  return { parking, offset, ...change, letters, replayed };
}

function withParked(head: Head, parked: Parked): Head {
  if (parked.replayed < parked.letters) return { ...head, parked };
  const { parked: _ended, ...free } = head;
  return free;
}
