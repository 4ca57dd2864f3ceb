import { systemClock, systemRandom } from '../ambient/system.ts';
import { systemTimers, type Timers } from '../ambient/timers.ts';
import type { Config } from '../config/config.ts';
import { createHttp, type HttpShell } from '../http/create-http.ts';
import type { Log } from '../logging/log.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import type { Clock, Random } from '../ports/ambient.ts';
import { limitHeapGrowth } from '../process/heap-growth.ts';
import type { RunningService } from '../process/run-service.ts';
import { confirmStores } from '../stores/confirm-stores.ts';
import { KeptWatch } from '../stores/kept-watch.ts';
import { logKeyOf, type LogKey } from '../secrets/log-key.ts';
import type { Service } from '../service.ts';
import { openStores, type Stores, type StoresOptions } from './stores.ts';

/** The dependencies that every service receives. */
export interface Shared extends Pick<Stores, 'eventLog' | 'store'> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly secrets: { readonly masterSecret: string };
  readonly logKey: LogKey;
}

export interface RunningServices extends RunningService {
  /** URL under which this machine reaches the process, with the real port. */
  readonly url: string;
  readonly stores: Stores;
}

export interface StartOptions extends StoresOptions {
  readonly name: string;
  readonly config: Config;
  readonly log: Log;
  /** The clock of the services. Default: the system's. */
  readonly clock?: Clock;
  /** Creates the services; `http` serves everything that is not a route (pages, ends of streams). */
  readonly create: (
    shared: Shared,
    http: HttpShell,
  ) => readonly (Service & { readonly failed?: Promise<never> })[];
}

/**
 * Opens the stores, starts the services, then listens. The stop goes in the reverse order, so that running requests
 * still find their services. Every process of the system is composed here.
 * @boundedBy the services of the process
 */
export async function startServices(options: StartOptions): Promise<RunningServices> {
  limitHeapGrowth();
  const { clock = systemClock, config, create, log, name } = options;
  const opened: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const metrics = createMetrics(name, { processMetrics: true });
    const stores = await openStores(config, log, metrics, options);
    opened.push(() => stores.close());
    const { eventLog, store, masterSecret } = stores;
    const logKey = logKeyOf(masterSecret);
    await confirmStores(store, eventLog, logKey);
    const kept = new KeptWatch({ store, eventLog, timers: systemTimers, log });
    kept.start();
    opened.push(() => kept.stop());
    let services: ReturnType<typeof create> = [];
    let started = false;
    const notReady = () => [
      ...(started ? [] : ['starting']),
      ...stores.notReady(),
      ...kept.notReady(),
      ...services.flatMap((service) => [...service.notReady()]),
    ];
    const help = '1: the service can do its work, as /readyz says; 0: it waits for something';
    metrics.observedGauge({ name: 'ready', help }, () => (notReady().length === 0 ? 1 : 0));
    const http = await createHttp({ config, log, metrics, notReady });
    const ambient = { clock, random: systemRandom, timers: systemTimers };
    services = create(
      { config, log, metrics, ...ambient, eventLog, store, secrets: { masterSecret }, logKey },
      http,
    );
    for (const service of services) await service.routes?.(http.app);
    for (const service of services) {
      await service.start();
      opened.push(() => service.stop());
    }
    opened.push(() => http.stop());
    const url = await listen(http, config);
    started = true;
    return { url, stores, stop, failed: firstFailure(services) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Listens and returns the URL; a process that listens on all addresses is reached by loopback. */
async function listen(http: HttpShell, config: Config): Promise<string> {
  const url = new URL(await http.listen());
  if (config.host === '0.0.0.0' || config.host === '::') url.hostname = '127.0.0.1';
  return url.origin;
}

function firstFailure(services: readonly { readonly failed?: Promise<never> }[]): Promise<never> {
  return Promise.race(services.flatMap(({ failed }) => (failed === undefined ? [] : [failed])));
}
