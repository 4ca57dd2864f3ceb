/** Completes a commit of the registry: publishes its records, writes the views, ends sessions. */
import { Type } from 'typebox';
import {
  PolicyRecordSchema,
  RegistryRecordSchema,
  TOPICS,
  type FeedKind,
  type FeedRecord,
} from '@sentinel-node/contracts';
import {
  commitId,
  compileChecker,
  earlierCommitIds,
  encodeRegistryRecord,
  isTransient,
  Outbox,
  registryRecordOf,
  schemaFault,
  STREAMS_COLLECTION,
  type DocumentStore,
  type EventLog,
  type Log,
  type LogRecord,
  type Metrics,
  type StreamCommit,
} from '@sentinel-node/platform';
import { applyOps, registryFeed, registryOps, type ViewWriter } from '../views/index.ts';

export interface Settling {
  /** Publishes and makes the commit readable. The sweeper repeats what a port refuses now. */
  readonly settle: (commit: StreamCommit) => Promise<void>;
  /** The outbox for the sweeper. */
  readonly outbox: Outbox<StreamCommit>;
}

export function createSettling(options: {
  readonly store: DocumentStore;
  /** Writes the views into the store. Default: the store itself. */
  readonly views?: ViewWriter;
  readonly eventLog: EventLog;
  /** Tells other processes that count from these views about the commit, before its command is answered. */
  readonly notifiesProcesses?: boolean;
  /** Further work of a commit; repeated until it succeeds, as the records are. */
  readonly onPublish: (commit: StreamCommit) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}): Settling {
  const { store, views = store, eventLog, onPublish, log, metrics } = options;
  const { notifiesProcesses = false } = options;
  const countCommit = metrics.counter<'entity'>({
    name: 'registry_commits_total',
    help: 'Commits that commands made',
    labels: {
      entity: [
        'ORGANIZATION',
        'DEVICE',
        'ENROLMENT',
        'SERVICE_TOKEN',
        'WEBHOOK',
        'NOTIFICATION_RULE',
        'MAINTENANCE',
        'EXPECTED',
        'ALERT',
      ],
    },
  });
  const countDelayed = metrics.counter({
    name: 'registry_commits_delayed_total',
    help: 'Attempts to publish a commit that the log could not take',
  });
  const outbox = new Outbox<StreamCommit>({
    store,
    collection: STREAMS_COLLECTION.name,
    faultOf: commitFault,
    publish: async (commit) => {
      await Promise.all([publishRecords(eventLog, commit), onPublish(commit)]);
    },
    // The verifier ignores a policy below the one in force: an overtaken switch would leave no entry in the chain.
    earlierIds: earlierCommitIds,
    onDelayed: ({ stream, version }, error) => {
      countDelayed({});
      log.warn({ err: error, stream, version }, 'a commit is published later');
    },
  });
  return {
    outbox,
    settle: async (commit) => {
      countCommit({ entity: commit.entity.kind });
      const write = async (): Promise<void> => {
        await applyOps(views, registryOps(registryRecordOf(commit)));
        if (notifiesProcesses) await putOnFeed(eventLog, commit);
      };
      await Promise.all([outbox.publish(commit), write()]);
    },
  };
}

const registryChecker = compileChecker(RegistryRecordSchema);
const policiesChecker = compileChecker(Type.Array(PolicyRecordSchema));

function commitFault(commit: StreamCommit): string | undefined {
  const { id, policies, stream, version } = commit;
  if (id !== commitId(stream, version)) return `it says that it is version ${version} of ${stream}`;
  return schemaFault(registryChecker, registryRecordOf(commit)) ?? schemaFault(policiesChecker, policies);
}

/** Kinds of objects that other processes count from. */
const FEED_KINDS: ReadonlySet<FeedKind> = new Set(['device', 'file', 'maintenance', 'expected']);

/** Puts the commit on the feed early. The projector repeats it with the events, so a failed append loses nothing. */
async function putOnFeed(eventLog: EventLog, commit: StreamCommit): Promise<void> {
  const items = registryFeed(registryRecordOf(commit)).filter(({ kind }) => FEED_KINDS.has(kind));
  if (items.length === 0) return;
  const { orgId } = commit;
  const record: FeedRecord = { v: 1, orgId, items };
  const id = `${commitId(commit.stream, commit.version)}/told`;
  try {
    await eventLog.append(TOPICS.feed, [{ key: orgId, id, body: json(record) }]);
  } catch (error) {
    if (!isTransient(error)) throw error;
  }
}

async function publishRecords(eventLog: EventLog, commit: StreamCommit): Promise<void> {
  const id = commitId(commit.stream, commit.version);
  const body = await encodeRegistryRecord(registryRecordOf(commit));
  const policies = commit.policies.map((policy): LogRecord => ({
    key: policy.fileId,
    id: `${id}:${policy.fileId}`,
    body: json(policy),
  }));
  const appends = [eventLog.append(TOPICS.registry, [{ key: commit.orgId, id, body }])];
  if (policies.length > 0) appends.push(eventLog.append(TOPICS.fileEvents, policies));
  await Promise.all(appends);
}

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
