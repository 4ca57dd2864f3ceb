import { messageOf } from '@sentinel-node/contracts/thrown';
import { PortError } from '../../ports/errors.ts';

interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** Bytes of the log are none that this program writes: somebody wrote to the file, or it is damaged, or a later version wrote it. */
export class RowUnreadableError extends PortError {
  constructor(place: string, cause: unknown) {
    super(
      'ROW_UNREADABLE',
      `the log cannot be read: ${place}: ${messageOf(cause)}; restore a backup (sentinel restore) if nobody can put the bytes back`,
      { cause },
    );
  }

  /** @param first offset of the row, or from which on it is missing */
  static of({ topic, partition }: Place, first: number, cause: unknown): RowUnreadableError {
    return new RowUnreadableError(`${topic} partition ${partition}, from offset ${first} on`, cause);
  }
}
