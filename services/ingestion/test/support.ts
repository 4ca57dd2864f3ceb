import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIngestion, type IngestionDeps } from '@sentinel-node/ingestion';
import {
  decodeFileEvent,
  deviceStream,
  FileEventHeaderSchema,
  TOPICS,
  type DeviceEntity,
  type FileEntity,
  type FileEventHeader,
} from '@sentinel-node/contracts';
import {
  commit,
  compileChecker,
  createHttp,
  createMetrics,
  deviceApiKey,
  EMBEDDED_TOPICS,
  encodeRegistryRecord,
  loadStream,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  PURPOSES,
  purposeKey,
  readConfig,
  registryRecordOf,
  silentLog,
  STREAMS_COLLECTION,
  systemRandom,
  type App,
  type DocumentStore,
  type EmbeddedEventLog,
  type EventLog,
  type HttpOptions,
  type LogRecord,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { deviceEntity, NOW } from './entities.ts';

export * from './entities.ts';

const SECRET = 'a master secret of the tests, long enough';
export const LOG_KEY = logKeyOf(SECRET);

export interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string | string[] | number | undefined>;
  readonly payload: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- read member by member in assertions
  json(): any;
}

interface SendOptions {
  readonly key?: string;
  readonly type?: string;
  readonly encoding?: string;
  readonly prefer?: string;
}

interface SaveOptions {
  readonly published?: boolean;
  readonly lost?: boolean;
}

interface Teardown {
  teardown(fn: () => Promise<void>): void;
}

const headers = compileChecker(FileEventHeaderSchema);

/** A running ingestion on the embedded adapters, with a device that tests change as a command would. */
export class World {
  readonly clock: ManualClock;
  readonly app: App;
  readonly store: DocumentStore;
  /** `limitBytes` is of the embedded log alone. */
  readonly eventLog: EventLog & Partial<Pick<EmbeddedEventLog, 'limitBytes'>>;
  device: DeviceEntity;
  /** Runs each repeated task of ingestion once. */
  readonly tick: () => Promise<void>;

  constructor(
    app: App,
    store: DocumentStore,
    eventLog: EventLog,
    clock: ManualClock,
    tick: () => Promise<void>,
  ) {
    this.tick = tick;
    this.app = app;
    this.store = store;
    this.eventLog = eventLog;
    this.clock = clock;
    this.device = deviceEntity();
  }

  get file(): FileEntity {
    return this.device.files[0]!;
  }

  key(device: DeviceEntity = this.device, version: number = device.keyVersion): string {
    return deviceApiKey(purposeKey(SECRET, PURPOSES.deviceApiKeys), device.orgId, device.id, version);
  }

  /**
   * Appends the entity to its stream. `published` also appends to the registry topic and marks the commit, as the
   * writer does. `lost` only marks the commit.
   */
  async save(device: DeviceEntity, { published = true, lost = false }: SaveOptions = {}): Promise<void> {
    this.device = device;
    const stream = deviceStream(device.id);
    const version = (await loadStream(this.store, stream))?.version ?? 0;
    const change = { orgId: device.orgId, entity: device, events: [], policies: [], at: NOW, by: null };
    const stored = await commit(this.store, stream, version, change);
    if (!published) return;
    const body = await encodeRegistryRecord(registryRecordOf(stored));
    if (!lost) await this.eventLog.append(TOPICS.registry, [{ key: device.orgId, id: stored.id, body }]);
    const { unpublished: _, ...marked } = stored;
    await this.store.update(STREAMS_COLLECTION.name, { ...marked, rev: 2 }, 1);
  }

  async change(changes: Partial<DeviceEntity>, options: SaveOptions = {}): Promise<void> {
    const next = { ...this.device, ...changes, configVersion: this.device.configVersion + 1 };
    await this.save(next, options);
  }

  path(fileId: string = this.file.id): string {
    return `/api/v1/files/${this.device.orgId}/${this.device.id}/${fileId}`;
  }

  send(body: unknown, options: SendOptions & { fileId?: string } = {}) {
    return this.post(this.path(options.fileId), body, options);
  }

  bulk(body: string | Buffer, options: SendOptions = {}) {
    const url = `/api/v1/files/bulk/${this.device.orgId}/${this.device.id}`;
    return this.post(url, body, { type: 'application/x-ndjson', ...options });
  }

  health(body: unknown, options: { key?: string } = {}) {
    return this.post(`/api/v1/devices/health/${this.device.orgId}/${this.device.id}`, body, options);
  }

  configuration(more: Record<string, string> = { 'x-api-key': this.key() }): Promise<Answer> {
    const url = `/api/v1/devices/config/${this.device.orgId}/${this.device.id}`;
    return this.app.inject({ method: 'GET', url, headers: more });
  }

  async post(
    url: string,
    body: unknown,
    { key = this.key(), type = 'application/json', encoding, prefer }: SendOptions,
  ): Promise<Answer> {
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const more = {
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      ...(prefer === undefined ? {} : { prefer }),
    };
    const headers = { 'x-api-key': key, 'content-type': type, ...more };
    return await this.app.inject({ method: 'POST', url, payload, headers });
  }

  /** Returns all records of file-events with checked headers; the order holds within a key. */
  async records(): Promise<{ key: string; id: string; header: FileEventHeader; report: string }[]> {
    const found = await this.raw(TOPICS.fileEvents);
    return found.map(({ key, id, body }) => {
      const { header, report } = decodeFileEvent(body);
      if (!headers.check(header)) throw new Error(JSON.stringify(headers.errors(header)));
      return { key, id, header, report: Buffer.from(report).toString('utf8') };
    });
  }

  async raw(topic: string): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    for (const { partition } of await this.eventLog.bounds(topic)) {
      for await (const batch of this.eventLog.read(topic, partition, 0)) found.push(...batch.records);
    }
    return found;
  }
}

export interface BackEnd {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly close: () => Promise<void>;
}

export interface WorldOptions {
  /** Default: the embedded adapters. */
  readonly backEnd?: () => Promise<BackEnd>;
  readonly deps?: Partial<IngestionDeps>;
  readonly env?: Record<string, string>;
  /** Wraps the log, for faults. */
  readonly wrapLog?: (log: EventLog) => EventLog;
  /** Wraps the store, for faults. */
  readonly wrapStore?: (store: DocumentStore) => DocumentStore;
  /** Called with the store before the service starts. */
  readonly beforeStart?: (store: DocumentStore) => Promise<void>;
  readonly device?: Partial<DeviceEntity>;
  /** Times of the HTTP server. */
  readonly times?: NonNullable<HttpOptions['times']>;
}

export async function startWorld(t: Teardown, options: WorldOptions = {}): Promise<World> {
  const { store, eventLog, close } = await (options.backEnd ?? embeddedBackEnd)();
  const world = await startProcess(t, { store, eventLog }, options);
  await world.save(deviceEntity(options.device));
  t.teardown(close);
  return world;
}

async function embeddedBackEnd(): Promise<BackEnd> {
  const dir = await mkdtemp(join(tmpdir(), 'ingestion-'));
  const folder = openDataFolder(dir);
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const store = await openEmbeddedDocumentStore({ folder });
  const close = async () => {
    await Promise.all([eventLog.close(), store.close()]);
    folder.release();
    await rm(dir, { recursive: true, force: true });
  };
  return { store, eventLog, close };
}

/** Starts another ingestion over the store and the log of the world, with its own clock. */
export async function startBeside(t: Teardown, world: World, options: WorldOptions = {}): Promise<World> {
  const beside = await startProcess(t, world, options);
  beside.device = world.device;
  return beside;
}

async function startProcess(
  t: Teardown,
  { store, eventLog }: Pick<World, 'store' | 'eventLog'>,
  options: WorldOptions,
): Promise<World> {
  const config = readConfig({ SENTINEL_LOG_LEVEL: 'silent', ...options.env });
  const clock = new ManualClock(NOW);
  const log = silentLog();
  const metrics = createMetrics('ingestion', { processMetrics: false });
  const repeated: (() => Promise<void>)[] = [];
  const tick = async () => void (await Promise.all(repeated.map((task) => task())));
  const service = createIngestion({
    config,
    log,
    metrics,
    clock,
    random: systemRandom,
    timers: {
      every: (_, task) => {
        repeated.push(task);
        return { stop: () => Promise.resolve(), failed: new Promise(() => undefined) };
      },
      delay: () => Promise.resolve(),
    },
    eventLog: options.wrapLog?.(eventLog) ?? eventLog,
    store: options.wrapStore?.(store) ?? store,
    secrets: { masterSecret: SECRET },
    logKey: LOG_KEY,
    ...options.deps,
  });
  const { times = {} } = options;
  const http = await createHttp({ config, log, metrics, times, notReady: () => service.notReady() });
  await service.routes!(http.app);
  await options.beforeStart?.(store);
  await service.start();
  t.teardown(async () => {
    await http.stop();
    await service.stop();
  });
  return new World(http.app, store, eventLog, clock, tick);
}

/** Waits for a condition, at most 60 s, with pauses for what it waits for. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
