import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createAnchoring, ledgerParts } from '@sentinel-node/anchoring';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import { createIngestion } from '@sentinel-node/ingestion';
import {
  startServices,
  systemClock,
  systemTimers,
  type Config,
  type HttpShell,
  type Log,
  type RunningServices,
  type Service,
  type Shared,
  type StartOptions,
} from '@sentinel-node/platform';
import { createQuery } from '@sentinel-node/query';
import { hasDemo, markDemo, startDemo, type Demo } from './demo/demo.ts';
import { withRealPort } from './real-port.ts';

/** Folder of the built console. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

export interface RunningSystem extends RunningServices {
  readonly demo: Demo | undefined;
}

/**
 * Starts every service in one process.
 * @param ambient a clock instead of the system's
 * @throws DataFolderInUseError, DataFolderUnusableError, LogKeyChangedError, PartitionCountChangedError; Error of
 * node:net
 */
export async function startSystem(
  given: Config,
  log: Log,
  ambient: Pick<StartOptions, 'clock'> = {},
): Promise<RunningSystem> {
  const config = await withRealPort(given);
  const running = await startServices({
    ...ambient,
    name: 'all-in-one',
    config,
    log,
    create: createServices,
  });
  try {
    const demo = await demoOf(config, log, running);
    return { ...running, demo, stop: () => stopBoth(demo, running) };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

function createServices(shared: Shared, http: HttpShell): readonly Service[] {
  const consoleFolder = existsSync(CONSOLE_FOLDER) ? { consoleFolder: CONSOLE_FOLDER } : {};
  const query = createQuery({ ...shared, ...consoleFolder });
  http.setFallback(query.fallback);
  http.onStopping(query.endStreams);
  return [
    createAnchoring({ ...shared, ...ledgerParts(shared) }),
    createChainVerifier({ ...shared, logId: shared.logKey.logId }),
    query,
    createIngestion({ ...shared, memberAuth: query.memberAuth }),
  ];
}

async function demoOf(config: Config, log: Log, { stores, url }: RunningServices): Promise<Demo | undefined> {
  const { dataFolder } = stores;
  if (!config.demo || dataFolder === undefined) return undefined;
  if (dataFolder.isFresh) await markDemo(dataFolder.path);
  if (!hasDemo(dataFolder.path)) return undefined;
  return startDemo({
    dataDir: dataFolder.path,
    url,
    log,
    timers: systemTimers,
    now: () => systemClock.now(),
  });
}

async function stopBoth(demo: Demo | undefined, running: RunningServices): Promise<void> {
  await demo?.stop();
  await running.stop();
}
