/** Event-sourced streams on the document store: one document a commit, appended with the expected version. */
import { COLLECTIONS, type PolicyRecord, type RegistryRecord } from '@sentinel-node/contracts';
import { collectionOf, type CollectionSpec, type DocumentStore } from '../ports/document-store.ts';
import { OUTBOX_INDEX, type OutboxEntry } from './outbox.ts';

export type StreamEntity = RegistryRecord['entity'];

/** Data that a command appends. */
export interface NewCommit<E extends StreamEntity = StreamEntity> {
  readonly orgId: string;
  /** The whole entity after the change. */
  readonly entity: E;
  readonly events: RegistryRecord['events'];
  /** Policy records of changed files, for the file-events topic. */
  readonly policies: readonly PolicyRecord[];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly by: RegistryRecord['by'];
}

/** A stored commit. */
export interface StreamCommit<E extends StreamEntity = StreamEntity> extends NewCommit<E>, OutboxEntry {
  readonly stream: string;
  /** Counts from 1 without a gap. */
  readonly version: number;
}

export interface StreamState<E extends StreamEntity = StreamEntity> {
  readonly version: number;
  readonly entity: E;
}

export const STREAMS_COLLECTION: CollectionSpec<StreamCommit> = {
  name: collectionOf<StreamCommit>(COLLECTIONS.streams),
  indexes: [{ fields: ['stream', 'version'] }, OUTBOX_INDEX],
};

const VERSION_DIGITS = 12;

export function commitId(stream: string, version: number): string {
  return `${stream}:${String(version).padStart(VERSION_DIGITS, '0')}`;
}

/** Returns the ids of the commits of the stream before this one, newest first. */
export function* earlierCommitIds({
  stream,
  version,
}: Pick<StreamCommit, 'stream' | 'version'>): Generator<string> {
  for (let earlier = version - 1; earlier > 0; earlier--) yield commitId(stream, earlier);
}

/** Returns the newest commit, or undefined when the stream has none. */
export async function loadStream<E extends StreamEntity>(
  store: DocumentStore,
  stream: string,
): Promise<StreamCommit<E> | undefined> {
  const [newest] = await store.find(STREAMS_COLLECTION.name, {
    where: { stream },
    sort: { field: 'version', direction: 'desc' },
    limit: 1,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream is of one kind of entity
  return newest as StreamCommit<E> | undefined;
}

/**
 * Appends after `expectedVersion` (0: a new stream). The commit must still be published.
 * @throws ConflictError when another commit took the version
 */
export async function commit<E extends StreamEntity>(
  store: DocumentStore,
  stream: string,
  expectedVersion: number,
  change: NewCommit<E>,
): Promise<StreamCommit<E>> {
  const version = expectedVersion + 1;
  const document: StreamCommit<E> = {
    ...change,
    id: commitId(stream, version),
    rev: 1,
    stream,
    version,
    unpublished: 1,
  };
  await store.insertUnique(STREAMS_COLLECTION.name, document);
  return document;
}

/** Returns the record of a commit for the registry topic. */
export function registryRecordOf(stored: StreamCommit): RegistryRecord {
  const { stream, version, orgId, at, by, entity, events } = stored;
  return { v: 1, stream, version, orgId, at, by, entity, events };
}
