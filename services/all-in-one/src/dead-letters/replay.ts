import { TOPICS, type DeadLetter } from '@sentinel-node/contracts';
import { replayRecordOf, type Parked } from '@sentinel-node/chain-verifier';
import { PortError, type DocumentStore, type EventLog } from '@sentinel-node/platform';
import { readParked, readDeadLetters, type ParkedFile } from './parked-files.ts';

/** Most dead letters, and most bytes of their records, sent before waiting for the verifier. */
const SENT_AT_ONCE = 500;
const SENT_BYTES = 4 * 1_048_576;

/** The store refers to a dead letter that the topic lacks. */
export class DeadLetterMissingError extends PortError {
  constructor(key: string, index: number) {
    super(
      'LETTER_MISSING',
      `dead letter ${index} of ${key} is not in ${TOPICS.deadLetters}: log and store differ; restore both from one backup (deploy/runbook.md, "Back up and restore")`,
    );
  }
}

export interface ReplayDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** Resolves when the verifier has passed an offset of file-events. */
  readonly judged: (partition: number, offset: number) => Promise<void>;
}

export interface ReplayResult {
  readonly key: string;
  readonly replayed: number;
  readonly skipped: number;
  /** Why the file is still parked; absent when it is not parked. */
  readonly stuck?: {
    readonly index: number;
    readonly cause: string;
    /** True when all letters were judged, and a later report parked the file again. */
    readonly isNew?: true;
  };
}

/**
 * Sends the dead letters of a parked file again, in order, until the file is no longer parked or a letter is refused.
 * Records that arrive meanwhile become dead letters and are sent again as well. A second process doing the same changes
 * nothing.
 * @param skip skips the first waiting dead letter
 * @throws DeadLetterMissingError
 */
export async function replayFile(deps: ReplayDeps, file: ParkedFile, skip: boolean): Promise<ReplayResult> {
  const { key } = file;
  const { parking } = file.parked;
  let [at, replayed, skipped] = [file.at, 0, 0];
  // Send only the first letter at first, because it may be refused again.
  let atOnce = 1;
  /** A later report of the file may have parked it anew when all letters of this parking were judged. */
  const ended = (again: Parked | undefined): ReplayResult => ({
    ...{ key, replayed, skipped },
    ...(again !== undefined && { stuck: { index: again.replayed, cause: again.cause, isNew: true } }),
  });
  for (;;) {
    const parked = await readParked(deps.store, key);
    if (parked?.parking !== parking) return ended(parked);
    const isSkip = skip && skipped === 0;
    const { deadLetters, last } = await nextDeadLetters(
      deps.eventLog,
      file,
      at,
      parked.replayed,
      isSkip ? 1 : atOnce,
    );
    const [first] = deadLetters;
    if (first === undefined) throw new DeadLetterMissingError(key, parked.replayed);
    if (!isSkip && first.body === undefined)
      return { key, replayed, skipped, stuck: { index: first.index, cause: tooLong(first) } };
    await send(deps, deadLetters, isSkip);
    const after = await readParked(deps.store, key);
    const next = after?.parking === parking ? after.replayed : deadLetters.at(-1)!.index + 1;
    if (isSkip) skipped += 1;
    else replayed += Math.max(0, next - first.index);
    if (after?.parking === parking && next <= deadLetters.at(-1)!.index)
      return { key, replayed, skipped, stuck: { index: next, cause: after.cause } };
    [at, atOnce] = [last, SENT_AT_ONCE];
  }
}

/**
 * Returns the dead letters of the parking from an index on, reading the topic from an offset on, and `last`, the offset
 * of the last letter.
 */
async function nextDeadLetters(
  eventLog: EventLog,
  { key, parked }: ParkedFile,
  from: number,
  index: number,
  most: number,
): Promise<{ deadLetters: DeadLetter[]; last: number }> {
  const deadLetters: DeadLetter[] = [];
  let [bytes, last] = [0, from];
  for await (const [deadLetter, { offset, body }] of readDeadLetters(eventLog, { key, from })) {
    const isNext = deadLetter.kind !== 'REFUSAL' && deadLetter.index === index + deadLetters.length;
    if (deadLetter.parking !== parked.parking || !isNext) continue;
    bytes += body.length;
    const isAlone = deadLetter.body === undefined;
    if (deadLetters.length > 0 && (bytes > SENT_BYTES || isAlone)) break;
    deadLetters.push(deadLetter);
    last = offset;
    if (deadLetters.length === most || isAlone) break;
  }
  return { deadLetters, last };
}

async function send({ eventLog, judged }: ReplayDeps, deadLetters: readonly DeadLetter[], skip: boolean) {
  const records = deadLetters.map((deadLetter) => replayRecordOf(deadLetter, skip));
  const { partition, offset } = (await eventLog.append(TOPICS.fileEvents, records)).at(-1)!;
  await judged(partition, offset);
}

function tooLong({ length }: DeadLetter): string {
  return `a record of ${length} bytes is too long to be brought back`;
}
