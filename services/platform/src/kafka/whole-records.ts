import { LogHoleError } from '../ports/errors.ts';
import type { FetchedMessage } from './fetched-messages.ts';

interface Wanted {
  readonly topic: string;
  readonly partition: number;
  /** Whoever needs the records, for the error. */
  readonly reader: string;
  readonly from: number;
  /** Offset before which the records are needed. Default: all that were fetched. */
  readonly to?: number;
}

/**
 * Checks that no record is missing of those that were fetched. On a topic that is kept for ever each offset has its record:
 * only compaction, which somebody switched on, leaves some out. @throws LogHoleError
 */
export function assertWhole(
  messages: readonly Pick<FetchedMessage, 'isRemoved' | 'offset'>[],
  { from, partition, reader, to = Infinity, topic }: Wanted,
): void {
  let next = from;
  for (const { isRemoved, offset } of messages) {
    const at = Number(offset);
    if (at < next) continue;
    if (next >= to) return;
    const found = isRemoved === true ? at + 1 : at;
    if (found > next) throw new LogHoleError({ topic, partition, found }, reader, next);
    next = at + 1;
  }
}
