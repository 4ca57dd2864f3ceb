import { TOPICS, type DeadLetter } from '@sentinel-node/contracts';
import { replayRecordOf } from '@sentinel-node/chain-verifier';
import { PortError, type DocumentStore, type EventLog } from '@sentinel-node/platform';
import { parkedNow, readLetters, type ParkedFile } from './letters.ts';

/** Letters that are sent before the verifier is waited for; bodies in bytes. */
const SENT_AT_ONCE = 500;
const SENT_BYTES = 4 * 1_048_576;

/** The store says that there are letters which the topic does not have. */
export class LetterMissingError extends PortError {
  constructor(key: string, index: number) {
    super('LETTER_MISSING', `dead letter ${index} of ${key} is not in ${TOPICS.deadLetters}`);
  }
}

export interface ReplayDeps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  /** Resolves when the verifier is past an offset of file-events. */
  readonly judged: (partition: number, offset: number) => Promise<void>;
}

export interface ReplayResult {
  readonly key: string;
  readonly replayed: number;
  readonly skipped: number;
  /** Why the file is parked still; absent: it is not. */
  readonly stuck?: { readonly index: number; readonly cause: string };
}

/**
 * Brings the letters of a parked file back in order until it is parked no longer, or one is refused. What arrives
 * meanwhile becomes a letter too and is brought back as well. A second one who does the same changes nothing.
 * @param skip passes over the first that waits
 * @throws LetterMissingError
 */
export async function replayFile(deps: ReplayDeps, file: ParkedFile, skip: boolean): Promise<ReplayResult> {
  const { key } = file;
  const { parking } = file.parked;
  let [at, replayed, skipped] = [file.at, 0, 0];
  // The first alone: it is the one that may be refused again.
  let atOnce = 1;
  for (;;) {
    const parked = await parkedNow(deps.store, key);
    if (parked?.parking !== parking) return { key, replayed, skipped };
    const isSkip = skip && skipped === 0;
    const { letters, last } = await nextLetters(
      deps.eventLog,
      file,
      at,
      parked.replayed,
      isSkip ? 1 : atOnce,
    );
    const [first] = letters;
    if (first === undefined) throw new LetterMissingError(key, parked.replayed);
    if (!isSkip && first.body === undefined)
      return { key, replayed, skipped, stuck: { index: first.index, cause: tooLong(first) } };
    await send(deps, letters, isSkip);
    const after = await parkedNow(deps.store, key);
    const next = after?.parking === parking ? after.replayed : letters.at(-1)!.index + 1;
    if (isSkip) skipped += 1;
    else replayed += Math.max(0, next - first.index);
    if (after?.parking === parking && next <= letters.at(-1)!.index)
      return { key, replayed, skipped, stuck: { index: next, cause: after.cause } };
    [at, atOnce] = [last, SENT_AT_ONCE];
  }
}

/** Letters of the parking from an index on, as they stand from a place in the topic on; `last`: where the last stands. */
async function nextLetters(
  eventLog: EventLog,
  { key, parked }: ParkedFile,
  from: number,
  index: number,
  most: number,
): Promise<{ letters: DeadLetter[]; last: number }> {
  const letters: DeadLetter[] = [];
  let [bytes, last] = [0, from];
  for await (const [letter, { offset, body }] of readLetters(eventLog, { key, from })) {
    const isNext = letter.kind !== 'REFUSAL' && letter.index === index + letters.length;
    if (letter.parking !== parked.parking || !isNext) continue;
    bytes += body.length;
    const isAlone = letter.body === undefined;
    if (letters.length > 0 && (bytes > SENT_BYTES || isAlone)) break;
    letters.push(letter);
    last = offset;
    if (letters.length === most || isAlone) break;
  }
  return { letters, last };
}

async function send({ eventLog, judged }: ReplayDeps, letters: readonly DeadLetter[], skip: boolean) {
  const records = letters.map((letter) => replayRecordOf(letter, skip));
  const { partition, offset } = (await eventLog.append(TOPICS.fileEvents, records)).at(-1)!;
  await judged(partition, offset);
}

function tooLong({ length }: DeadLetter): string {
  return `a record of ${length} bytes is too long to be brought back`;
}
