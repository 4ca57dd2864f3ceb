/**
 * Refuses a backup of which somebody took a file out together with its name in the manifest, as far as the rest of it shows that
 * the file must have been there. Every version that makes backups wrote what is asked for here.
 */
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { decodeRecord, PoisonRecordError, UnknownRulesError } from '@sentinel-node/chain-verifier';
import { TOPICS, type AnchorRecord } from '@sentinel-node/contracts';
import { CLAIMS_COLLECTION, STREAMS_COLLECTION, type LogRecord } from '@sentinel-node/platform';
import { RESERVATIONS_COLLECTION } from '@sentinel-node/query';
import { KEPT_TOPICS } from './dump-log.ts';
import { BackupError } from './errors.ts';
import type { Manifest as Written } from './manifest.ts';

type Manifest = Omit<Written, 'format'>;

/** Topics that came after the first version that made backups. */
const LATER_TOPICS: ReadonlySet<string> = new Set([TOPICS.notices, TOPICS.operations]);

const { cuts, transactions } = OWN_COLLECTIONS;
/** Collections that have a document as soon as the topic has a record; of neither is anything ever removed. */
const WITH_EVERY_RECORD = [
  { topic: TOPICS.registry, collection: STREAMS_COLLECTION.name },
  // The first commit is that of an organization, whose name was reserved before.
  { topic: TOPICS.registry, collection: RESERVATIONS_COLLECTION.name },
  { topic: TOPICS.anchors, collection: cuts.name },
] as const;
/** Collections that have a document as soon as the topic has a record of this kind. */
const WITH_SOME_RECORDS: readonly WithSomeRecords[] = [
  { topic: TOPICS.anchors, collection: transactions.name, isOf: namesTransaction },
  { topic: TOPICS.fileEvents, collection: CLAIMS_COLLECTION.name, isOf: isClaim },
];

interface WithSomeRecords {
  readonly topic: string;
  readonly collection: string;
  readonly isOf: (record: LogRecord) => boolean;
}

/** Checks what the manifest says against itself. @throws BackupError */
export function assertWhole(manifest: Manifest): void {
  if (Number.isNaN(Date.parse(manifest.madeAt)))
    throw new BackupError(`the manifest does not say when the backup was made: ${manifest.madeAt}`);
  assertEnds(manifest);
  if (manifest.partitions.length > 0) assertPartitions(manifest);
  for (const { topic, collection } of WITH_EVERY_RECORD)
    if (endOf(manifest, topic) > 0 && !isIn(manifest, collection)) throw lacking(collection, topic);
}

/**
 * Checks collections that follow from some records only; reads the log if such a collection is not there.
 * @param recordsOf the records of a topic, up to the ends of the manifest @throws BackupError
 */
export async function assertDecided(
  manifest: Manifest,
  recordsOf: (topic: string) => AsyncIterable<LogRecord>,
): Promise<void> {
  for (const { topic, collection, isOf } of WITH_SOME_RECORDS) {
    if (isIn(manifest, collection)) continue;
    for await (const record of recordsOf(topic)) if (isOf(record)) throw lacking(collection, topic);
  }
}

/** Checks that every topic is there, once, and kept as this version keeps it. @throws BackupError */
function assertEnds({ ends }: Manifest): void {
  for (const { name, retention } of KEPT_TOPICS) {
    const [found, again] = ends.filter(({ topic }) => topic === name);
    if (found === undefined ? !LATER_TOPICS.has(name) : again !== undefined)
      throw new BackupError(`the manifest names ${name} ${found === undefined ? 'nowhere' : 'twice'}`);
    if (found !== undefined && found.retention !== retention)
      throw new BackupError(`the manifest says that ${name} is kept ${found.retention}: it is ${retention}`);
  }
}

/** Checks that each partition with records has one file, of as many records where all are kept. @throws BackupError */
function assertPartitions({ ends, partitions }: Manifest): void {
  for (const { topic, retention, ends: ofPartitions } of ends)
    for (const [partition, end] of ofPartitions.entries()) {
      const files = partitions.filter((one) => one.topic === topic && one.partition === partition);
      if (files.length !== (end === 0 ? 0 : 1))
        throw new BackupError(
          `${topic} partition ${partition} ended at offset ${end}, and the backup has ${files.length} files of it`,
        );
      const lines = files[0]?.lines ?? 0;
      if (retention === 'forever' && lines !== end)
        throw new BackupError(`${topic} partition ${partition}: the backup has ${lines} of ${end} records`);
    }
  const stray = partitions.find(
    ({ topic, partition }) => ends.find((one) => one.topic === topic)?.ends[partition] === undefined,
  );
  if (stray !== undefined)
    throw new BackupError(
      `the manifest has a file of ${stray.topic} partition ${stray.partition}, and no end`,
    );
}

const endOf = ({ ends }: Manifest, topic: string): number =>
  ends
    .filter((one) => one.topic === topic)
    .reduce((sum, one) => sum + one.ends.reduce((a, b) => a + b, 0), 0);

const isIn = ({ collections }: Manifest, collection: string): boolean =>
  collections.some(({ name, lines }) => name === collection && lines > 0);

const lacking = (collection: string, topic: string): BackupError =>
  new BackupError(
    `the backup has nothing of ${collection}, though its log has records of ${topic} that follow from there: something was taken out of it, which every version wrote`,
  );

const decoder = new TextDecoder();

function namesTransaction({ body }: LogRecord): boolean {
  const { transaction }: AnchorRecord = JSON.parse(decoder.decode(body));
  return transaction !== null;
}

/** A record that cannot be judged is no claim that handled an alert. */
function isClaim(record: LogRecord): boolean {
  try {
    return decodeRecord(record).kind === 'claim';
  } catch (error) {
    if (error instanceof PoisonRecordError || error instanceof UnknownRulesError) return false;
    throw error;
  }
}
