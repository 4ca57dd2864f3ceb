/** Runs commands that only read documents, also beside a running server. */
import {
  BLOCK_HEADERS_COLLECTION,
  compareLogKey,
  confirmNotRestoring,
  createLog,
  DEV_LEDGER_COLLECTIONS,
  knownMasterSecret,
  logKeyOf,
  openDocumentReader,
  PortError,
  readConfig,
  recordedLogKey,
  type CollectionName,
  type Config,
  type DocumentReader,
  type Stored,
} from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { fromHex } from '@sentinel-node/contracts';

/** What to say of a store that has anchors and no recorded key. */
export const LOG_KEY_LOST = 'the store has anchors, and not the key of their log: run sentinel audit';

export interface Reading {
  readonly config: Config;
  readonly documents: DocumentReader;
  /**
   * Public key that the first start recorded; each start compares it with the master secret. Undefined before the first
   * start.
   */
  readonly publicKey: Uint8Array | undefined;
  /** Undefined when none is at hand, so that the recorded key was compared with nothing. */
  readonly masterSecret: string | undefined;
  /** Writes a line to standard error. */
  readonly writeLine: (line: string) => void;
}

const COLLECTIONS = [OWN_COLLECTIONS.transactions, OWN_COLLECTIONS.cuts, BLOCK_HEADERS_COLLECTION];

/**
 * Opens the configured documents, compares the recorded key of the log with the master secret where that is at hand, runs `work`, then
 * closes them; for use in `runCommand`. @throws LogKeyChangedError, RestoreUnfinishedError
 */
export async function withDocuments(
  { command, dataDir }: { readonly command: string; readonly dataDir: string | undefined },
  work: (reading: Reading) => Promise<number>,
): Promise<number> {
  const env = dataDir === undefined ? process.env : { ...process.env, SENTINEL_DATA_DIR: dataDir };
  const config = readConfig(env, ['ingestion']);
  const log = createLog({ level: 'warn', service: command, destination: process.stderr });
  const ledger = config.ledger.kind === 'dev' ? [DEV_LEDGER_COLLECTIONS.blocks] : [];
  const documents = await openDocumentReader(config, log, [...COLLECTIONS, ...ledger]);
  try {
    await confirmNotRestoring(documents);
    const recorded = await recordedLogKey(documents);
    const publicKey = recorded === undefined ? undefined : fromHex(recorded);
    // Whoever may write the database can put another key there, and services that run do not look at it again.
    const masterSecret =
      config.store.kind === 'embedded'
        ? await knownMasterSecret(config.secret, config.dataDir)
        : config.secret;
    if (recorded !== undefined && masterSecret !== undefined) compareLogKey(recorded, logKeyOf(masterSecret));
    const writeLine = (line: string) => void process.stderr.write(`sentinel ${command}: ${line}\n`);
    return await work({ config, documents, publicKey, masterSecret, writeLine });
  } finally {
    await documents.close();
  }
}

/** Returns the number after that of the newest document, in a collection whose ids are numbers with leading zeros. @throws PortError */
export async function endOf(
  documents: Pick<DocumentReader, 'newest'>,
  collection: CollectionName<Stored>,
): Promise<number> {
  const newest = await documents.newest(collection);
  if (newest === undefined) return 0;
  const end = Number(newest.id) + 1;
  if (Number.isSafeInteger(end)) return end;
  throw new PortError(
    'STRAY_DOCUMENT',
    `the collection ${String(collection)} holds the document ${newest.id}, which nobody writes: run sentinel audit`,
  );
}
