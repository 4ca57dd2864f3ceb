import { isDeepStrictEqual } from 'node:util';
import { TOPICS, type RegistryRecord } from '@sentinel-node/contracts';
import {
  commitId,
  registryRecordOf,
  STREAMS_COLLECTION,
  type Clock,
  type DocumentStore,
  type EventLog,
  type StoredRecord,
  type StreamCommit,
} from '@sentinel-node/platform';
import { asStored, differingFields } from './differing-fields.ts';
import type { Findings } from './finding.ts';
import { formFault, type Members } from './form-fault.ts';
import { mayFollow } from './may-follow.ts';
import { readRegistry } from './read-body.ts';
import type { Patience } from './wait-past.ts';

/** Commits compared at once, by number and by the bytes of their records, which may be compressed. */
const CHUNK = { commits: 100, bytes: 1_048_576 } as const;

const MEMBERS: Members<StreamCommit> = {
  ...{ id: true, rev: true, unpublished: true, stream: true, version: true, orgId: true },
  ...{ entity: true, events: true, policies: true, at: true, by: true },
};

interface RegistryObserver {
  registered(record: RegistryRecord): void;
}

interface Deps {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly findings: Findings;
  readonly clock: Clock;
  readonly patience: Pick<Patience, 'isLive'>;
  /** Told of each record of the registry. */
  readonly observers: readonly RegistryObserver[];
}

/** Versions of one stream that the log has: all up to `upTo`, and those `beyond`, which stand before an earlier one. */
interface Logged {
  upTo: number;
  readonly beyond: Set<number>;
}

/**
 * Compares the commits of the streams with the records of the registry: commands decide from the stored commits, views
 * and agents' configurations follow the records. A commit that a running system is about to publish is not compared: its record
 * comes.
 * The policies of a commit are not in its record, so they are not compared either.
 * @returns the number of compared records
 */
export async function checkStreams(deps: Deps): Promise<number> {
  const { clock, findings, patience, store } = deps;
  await store.ensure([STREAMS_COLLECTION]);
  const compared = new LoggedCommits(deps);
  await compared.extend();
  const now = clock.now();
  const unknown: { readonly stream: string; readonly version: number }[] = [];
  for await (const page of store.scan(STREAMS_COLLECTION.name))
    for (const commit of page) {
      const { id, stream, version } = commit;
      const fault = formFault(commit, MEMBERS);
      if (fault !== undefined) findings.add('streams', `${id}: ${fault}`);
      if (id !== commitId(stream, version))
        findings.add('streams', `${id}: it says that it is version ${version} of ${stream}`);
      else if (!compared.has(stream, version) && !mayFollow(commit, patience, now))
        unknown.push({ stream, version });
    }
  // On a live system these may have been published since; a commit is marked as published after its record is durable.
  if (unknown.length > 0) await compared.extend();
  for (const { stream, version } of unknown)
    if (!compared.has(stream, version))
      findings.add('streams', `${commitId(stream, version)}: no record of the log gives it`);
  return compared.count;
}

class LoggedCommits {
  readonly #deps: Deps;
  /** @boundedBy the number of streams */
  readonly #streams = new Map<string, Logged>();
  /** Offset after the last record that was read, by partition. */
  readonly #next = new Map<number, number>();
  count = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  has(stream: string, version: number): boolean {
    const { upTo, beyond } = this.#streams.get(stream) ?? { upTo: 0, beyond: new Set() };
    return (Number.isInteger(version) && version >= 1 && version <= upTo) || beyond.has(version);
  }

  /** Reads the registry on to its current end and compares each record with its stored commit. */
  async extend(): Promise<void> {
    const { eventLog } = this.#deps;
    for (const { partition, end } of await eventLog.bounds(TOPICS.registry)) {
      const from = this.#next.get(partition) ?? 0;
      if (from >= end) continue;
      let chunk: RegistryRecord[] = [];
      let bytes = 0;
      for await (const { records } of eventLog.read(TOPICS.registry, partition, from, end))
        for (const record of records) {
          const read = this.#read(record);
          if (read !== undefined) chunk.push(read);
          bytes += record.body.length;
          if (chunk.length < CHUNK.commits && bytes < CHUNK.bytes) continue;
          await this.#compare(chunk);
          [chunk, bytes] = [[], 0];
        }
      await this.#compare(chunk);
      this.#next.set(partition, end);
    }
  }

  #read(record: StoredRecord): RegistryRecord | undefined {
    const { id, key, offset, partition } = record;
    const read = readRegistry(record);
    const say = (what: string) =>
      this.#deps.findings.add('streams', `${key}: the record at ${partition}/${offset} ${what}`);
    if (read === undefined) say('cannot be read');
    else if (key !== read.orgId || id !== commitId(read.stream, read.version))
      say(`is of ${commitId(read.stream, read.version)}`);
    return read;
  }

  async #compare(records: readonly RegistryRecord[]): Promise<void> {
    const { findings, observers, store } = this.#deps;
    const idOf = ({ stream, version }: RegistryRecord): string => commitId(stream, version);
    const found = await store.getMany(STREAMS_COLLECTION.name, [...new Set(records.map(idOf))]);
    const stored = new Map(found.map((commit) => [commit.id, commit]));
    for (const record of records) {
      this.count += 1;
      this.#add(record);
      for (const observer of observers) observer.registered(record);
      const commit = stored.get(idOf(record));
      const own = commit && asStored(registryRecordOf(commit));
      if (own === undefined) findings.add('streams', `${idOf(record)}: missing, the log has it`);
      else if (!isDeepStrictEqual(own, record))
        findings.add(
          'streams',
          `${idOf(record)}: ${differingFields(own, record)} differ from what the log has`,
        );
    }
  }

  /** Whoever publishes a commit publishes those before it in its stream first; only second deliveries come later. */
  #add({ stream, version }: RegistryRecord): void {
    const logged = this.#streams.get(stream) ?? { upTo: 0, beyond: new Set() };
    this.#streams.set(stream, logged);
    if (version > logged.upTo) {
      if (version > logged.upTo + 1)
        this.#deps.findings.add(
          'streams',
          `${commitId(stream, version)}: stands before version ${logged.upTo + 1}`,
        );
      logged.beyond.add(version);
    }
    while (logged.beyond.delete(logged.upTo + 1)) logged.upTo += 1;
  }
}
