/**
 * Follows the log and delivers notices by the rules. It is a consumer group of its own, so that a rebuild of
 * views causes no notices.
 */
import {
  GROUPS,
  isParkingRecord,
  TOPICS,
  type ChainAlert,
  type ChainRecord,
  type OperationRecord,
} from '@sentinel-node/contracts';
import {
  CHECKPOINTS_COLLECTION,
  checkpointBatch,
  HeldWork,
  ignoreTransient,
  Lifecycle,
  retryTransient,
  UnreadableRecordError,
  type EventLog,
  type Metrics,
  type RecordBatch,
  type StoredRecord,
  type Timers,
} from '@sentinel-node/platform';
import {
  ContactViews,
  readChainTopic,
  readOperationRecord,
  readRegistryRecord,
  RegistryViews,
  VIEWS,
  type RegistryWait,
} from '../views/index.ts';
import { chainNotices, mayHaveNotices, hasNotices } from './chain-notices.ts';
import { deliver, type DeliveryContext } from './deliver.ts';
import { readKnownNames } from './known.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { reportStates } from './looks.ts';
import { sendDue, sendOfClockAhead, type SenderContext } from './mail-sender.ts';
import type { LogPlace } from './mailbox.ts';
import { forgetGoingOn, keepGoingOn, partitionName, readStart, toldGoingOn, unfinished } from './markers.ts';
import { operationNotice } from './operation-notices.ts';
import { registryNotices } from './registry-notices.ts';
import { setAsideOf } from './set-aside.ts';

const SOURCES = [TOPICS.registry, TOPICS.chain, TOPICS.operations] as const;

export interface NotifierDeps extends DeliveryContext, Omit<SenderContext, 'views'> {
  readonly eventLog: EventLog;
  readonly timers: Timers;
  readonly metrics?: Pick<Metrics, 'observedGauge'>;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly now?: () => number;
}

export interface Notifier {
  /** Rejects when the notifier stopped for good at a record that it cannot read. */
  readonly failed: Promise<never>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface BatchParts extends NotifierDeps {
  readonly views: RegistryWait;
}

export function notifierOf(given: NotifierDeps): Notifier {
  const { store, eventLog, timers, clock, log } = given;
  const deps = { ...given, views: new RegistryViews(given) };
  const behindMs = 2 * NOTIFICATION_LIMITS.lookMs;
  const ofLooks = {
    ...deps,
    views: deps.views.waiting(behindMs),
    contacts: new ContactViews({ ...given, behindMs }),
  };
  const held = new HeldWork(given.now);
  given.metrics?.observedGauge(
    {
      name: 'notifier_held_seconds',
      help: 'Since the oldest batch of records in hand was begun; 0: none is',
    },
    () => held.heldSeconds,
  );
  const lifecycle = new Lifecycle((error) => log.fatal({ err: error }, 'nobody is notified any more'));
  return {
    failed: lifecycle.failed,
    start: async () => {
      await store.ensure([CHECKPOINTS_COLLECTION]);
      const { ends, at: toldSince } = await readStart(deps, SOURCES);
      const listeningSince = clock.now();
      const handle = (batch: RecordBatch): Promise<void> => {
        const ofBatch = { ...deps, views: deps.views.waiting() };
        return held.hold((failed) =>
          retryTransient(
            timers,
            () => lifecycle.state === 'stopped',
            () => handleBatch(ofBatch, batch, ends),
            (err) => {
              if (failed())
                log.warn({ err, topic: batch.topic }, 'notices cannot be given out; trying again');
            },
          ),
        );
      };
      lifecycle.run(
        await eventLog.consume(SOURCES, GROUPS.notifier, handle, {
          concurrentPartitions: NOTIFICATION_LIMITS.concurrentPartitions,
        }),
        timers.every(
          NOTIFICATION_LIMITS.lookMs,
          ignoreTransient(
            () => sendOfClockAhead(deps),
            (err) => log.warn({ err }, 'mails of a clock that was ahead cannot be made; trying again'),
          ),
        ),
        timers.every(
          NOTIFICATION_LIMITS.pollMs,
          ignoreTransient(
            () => sendDue(deps),
            (err) => log.warn({ err }, 'mails of notices cannot be made; trying again'),
          ),
        ),
        timers.every(
          NOTIFICATION_LIMITS.pollMs,
          ignoreTransient(
            () => reportStates({ ...ofLooks, toldSince, listeningSince }),
            (err) => log.warn({ err }, 'lost devices and files cannot be looked for; trying again'),
          ),
        ),
      );
    },
    stop: () => lifecycle.stop(),
  };
}

/**
 * Delivers notices, then writes the checkpoint. A crash in between repeats notices that mailboxes recognise. Before notices, the
 * views must have what the registry had at the first attempt: rules, recipients and windows that they lack would be lost on the
 * notices.
 * @throws NotCaughtUpError
 */
async function handleBatch(
  deps: BatchParts,
  batch: RecordBatch,
  ends: Readonly<Record<string, number>>,
): Promise<void> {
  const { topic } = batch;
  const fresh = await unfinished(deps.store, GROUPS.notifier, batch, ends);
  if (topic === TOPICS.operations) await deliverOperations(deps, fresh);
  else if (topic === TOPICS.chain) await deliverChain(deps, fresh);
  else await deliverRegistry(deps, fresh);
  await deps.store.writeBatches([checkpointBatch(GROUPS.notifier, batch)]);
}

/**
 * Delivers operation records to every organisation, a page of organisations at a time. One that nobody can read is passed over
 * with an alarm: it tells of the operator's services alone, and the notices of all organisations must not wait for it.
 */
async function deliverOperations(deps: BatchParts, records: readonly StoredRecord[]): Promise<void> {
  if (records.length > 0) await deps.views.confirm();
  for (const stored of records) {
    const record = operationOf(deps, stored);
    if (record === undefined) continue;
    const place = after(TOPICS.operations, stored);
    for await (const organizations of deps.store.scan(VIEWS.organizations)) {
      const notices = organizations.flatMap(({ id }) => operationNotice(record, id) ?? []);
      await deliver(
        deps,
        notices.map((notice) => ({ notice, place })),
      );
    }
  }
}

function operationOf({ log }: BatchParts, stored: StoredRecord): OperationRecord | undefined {
  try {
    return readOperationRecord(stored);
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    const { offset, partition } = stored;
    // Without the error: a parser's message quotes the record, and logs never hold bodies.
    log.error(
      { topic: TOPICS.operations, partition, offset },
      'a record of the operations cannot be read and is passed over',
    );
    return undefined;
  }
}

async function deliverRegistry(deps: BatchParts, records: readonly StoredRecord[]): Promise<void> {
  const notices = records.flatMap((stored) =>
    registryNotices(readRegistryRecord(stored)).map((notice) => ({
      notice,
      place: after(TOPICS.registry, stored),
    })),
  );
  if (notices.length === 0) return;
  await deps.views.confirm(notices.map(({ notice }) => notice.orgId));
  await deliver(deps, notices);
}

async function deliverChain(deps: BatchParts, records: readonly StoredRecord[]): Promise<void> {
  const { store, views } = deps;
  const telling = records.flatMap((stored) => {
    const record = mayHaveNotices(stored.body) ? chainRecordOf(stored) : undefined;
    return record !== undefined && hasNotices(record) ? [{ stored, record }] : [];
  });
  if (telling.length === 0) return;
  const all = telling.map(({ record }) => record);
  await views.confirm(all.map(({ orgId }) => orgId));
  const [known, standing] = await Promise.all([readKnownNames(store, all), setAsideOf(store, all)]);
  const goOn = await untold(store, standing.goOn);
  const notices = telling.flatMap(({ stored, record }) =>
    chainNotices(record, known, { ...standing, goOn }).map((notice) => ({
      notice,
      place: after(TOPICS.chain, stored),
    })),
  );
  await deliver(deps, notices);
  await keepGoingOn(
    store,
    [...goOn].map(({ id, lastTimestamp }) => ({ id, at: lastTimestamp })),
  );
  const handled = all.flatMap(({ alerts }) => alerts.filter(({ status }) => status !== 'ACTIVE'));
  await forgetGoingOn(
    store,
    handled.map(({ id }) => id),
  );
}

/** Returns the first of each alert's states that nobody was told of. */
async function untold(
  store: NotifierDeps['store'],
  goOn: ReadonlySet<ChainAlert>,
): Promise<ReadonlySet<ChainAlert>> {
  const told = await toldGoingOn(store, [...new Set([...goOn].map(({ id }) => id))]);
  const first = new Map<string, ChainAlert>();
  for (const alert of goOn) if (!told.has(alert.id) && !first.has(alert.id)) first.set(alert.id, alert);
  return new Set(first.values());
}

function chainRecordOf(stored: StoredRecord): ChainRecord | undefined {
  const read = readChainTopic(stored);
  return isParkingRecord(read) ? undefined : read;
}

const after = (topic: string, { partition, offset }: StoredRecord): LogPlace => ({
  partition: partitionName(topic, partition),
  next: offset + 1,
});
