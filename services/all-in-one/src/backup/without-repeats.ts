import { decodeRecord } from '@sentinel-node/chain-verifier';
import { decodeChainBody, REPORTS_NOT_JUDGED, TOPICS } from '@sentinel-node/contracts';
import type { EventLog, LogRecord, Position } from '@sentinel-node/platform';
import { delegateTo } from '../delegate.ts';

/**
 * Returns the log for a verifier and a projector that start at its beginning: verdicts and dead letters already in the
 * log are not appended again, nor are notices of reports that were not judged, and old changes are not sent to consoles.
 * The id of such a notice follows from the first report of a batch, and these batches are cut in another way, so that a
 * repeat cannot be told by its id. Memory grows with the number of files.
 */
export async function withoutRepeats(eventLog: EventLog): Promise<EventLog> {
  const revisions = new Map<string, number>();
  const deadLetterIds = new Set<string>();
  await each(eventLog, TOPICS.chain, ({ key, body }) => {
    const rev = revOf(body);
    revisions.set(key, Math.max(rev, revisions.get(key) ?? 0));
  });
  await each(eventLog, TOPICS.deadLetters, ({ id }) => void deadLetterIds.add(id));
  const isNew = (topic: string, record: LogRecord): boolean => {
    const { key, id, body } = record;
    if (topic === TOPICS.feed) return false;
    if (topic === TOPICS.deadLetters) return !deadLetterIds.has(id);
    if (topic === TOPICS.fileEvents) return !isOfNotJudged(record);
    if (topic !== TOPICS.chain) return true;
    return revOf(body) > (revisions.get(key) ?? 0);
  };
  const append = async (topic: string, records: readonly LogRecord[]): Promise<Position[]> => {
    const wanted = records.filter((record) => isNew(topic, record));
    // The appending services wait for the append, but do not use the positions.
    if (wanted.length > 0) await eventLog.append(topic, wanted);
    return records.map(() => ({ partition: 0, offset: 0 }));
  };
  return { ...delegateTo(eventLog), append };
}

/** Commands and claims that were not published yet go to the same topic. */
function isOfNotJudged(record: LogRecord): boolean {
  const source = decodeRecord(record);
  return source.kind === 'notice' && source.header.code === REPORTS_NOT_JUDGED;
}

const revOf = (body: Uint8Array): number => decodeChainBody(body).rev;

async function each(eventLog: EventLog, topic: string, take: (record: LogRecord) => void): Promise<void> {
  for (const { partition, start, end } of await eventLog.bounds(topic))
    for await (const { records } of eventLog.read(topic, partition, start, end)) records.forEach(take);
}
