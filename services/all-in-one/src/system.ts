import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultLogOrigin, toHex } from '@sentinel-node/contracts';
import { createAnchoring } from '@sentinel-node/anchoring';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import { createIngestion } from '@sentinel-node/ingestion';
import {
  confirmLogKey,
  createDevLedger,
  createHttp,
  createMetrics,
  EMBEDDED_TOPICS,
  loadMasterSecret,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  PURPOSES,
  purposeKey,
  systemClock,
  systemRandom,
  systemTimers,
  type Config,
  type DataFolder,
  type HttpShell,
  type Log,
  type RunningService,
  type Service,
} from '@sentinel-node/platform';
import { createQuery } from '@sentinel-node/query';
import { hasDemo, markDemo, startDemo, type Demo } from './demo/demo.ts';
import { withRealPort } from './free-port.ts';

/** The built console beside this package. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

export interface RunningSystem extends RunningService {
  /** Where it listens, with the real port. */
  readonly url: string;
  readonly demo: Demo | undefined;
}

/**
 * Every service in one process on the embedded store.
 * @throws DataFolderInUseError, DataFolderUnusableError, LogKeyChangedError, PartitionCountChangedError; Error of node:net
 */
export async function startSystem(config: Config, log: Log): Promise<RunningSystem> {
  const folder = openDataFolder(config.dataDir);
  const opened: (() => Promise<void> | void)[] = [() => folder.release()];
  const release = async () => {
    for (const close of opened.reverse()) await close();
  };
  try {
    return await compose(await withRealPort(config), log, folder, opened, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function compose(
  config: Config,
  log: Log,
  folder: DataFolder,
  opened: (() => Promise<void> | void)[],
  release: () => Promise<void>,
): Promise<RunningSystem> {
  if (config.demo && !existsSync(folder.file('log.db'))) await markDemo(folder.path);
  const withDemo = config.demo && hasDemo(folder.path);
  const masterSecret = await loadMasterSecret(config.secret, folder.path);
  const eventLog = await openEmbeddedEventLog({
    folder,
    topics: EMBEDDED_TOPICS,
    ...(config.logMaxBytes === undefined ? {} : { maxBytes: config.logMaxBytes }),
  });
  opened.push(() => eventLog.close());
  const store = await openEmbeddedDocumentStore({ folder });
  opened.push(() => store.close());
  const logKey = logKeyOf(masterSecret);
  await confirmLogKey(store, logKey);

  const metrics = createMetrics('all-in-one', { processMetrics: true });
  const shared = {
    config,
    log,
    metrics,
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    eventLog,
    store,
  };
  const secrets = { masterSecret };
  const query = createQuery({
    ...shared,
    secrets,
    ...(existsSync(CONSOLE_FOLDER) ? { consoleFolder: CONSOLE_FOLDER } : {}),
  });
  const verifier = createChainVerifier({ ...shared, logId: logKey.logId });
  const anchoring = createAnchoring({
    ...shared,
    logKey,
    origin: config.logOrigin ?? defaultLogOrigin(logKey.logId),
    ledger: createDevLedger({ ...shared }),
    anchoringKey: toHex(purposeKey(masterSecret, PURPOSES.devLedger)),
    categoryIntervalSeconds: config.categoryIntervalSeconds,
  });
  const ingestion = createIngestion({ ...shared, secrets, memberAuth: query.memberAuth });
  const services: readonly Service[] = [anchoring, verifier, query, ingestion];

  const http = await createHttp({
    config,
    log,
    metrics,
    notReady: () => services.flatMap((service) => [...service.notReady()]),
  });
  http.setFallback(query.fallback);
  for (const service of services) await service.routes?.(http.app as never);
  const url = await listen(http, config);
  opened.push(() => http.stop());
  for (const service of services) {
    await service.start();
    opened.push(() => service.stop());
  }
  const demo = withDemo
    ? await startDemo({ dataDir: folder.path, url, log, timers: systemTimers, now: () => systemClock.now() })
    : undefined;
  if (demo !== undefined) opened.push(() => demo.stop());
  return { url, demo, stop: release, failed: firstFailure(services) };
}

/** The address by which this machine reaches the server; listening on all addresses includes loopback. */
async function listen(http: HttpShell, config: Config): Promise<string> {
  const url = new URL(await http.listen());
  if (config.host === '0.0.0.0' || config.host === '::') url.hostname = '127.0.0.1';
  return url.origin;
}

function firstFailure(services: readonly Service[]): Promise<never> {
  const failures = services.flatMap((service) =>
    'failed' in service ? [service.failed as Promise<never>] : [],
  );
  return Promise.race(failures);
}
