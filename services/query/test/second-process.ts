import {
  createHttp,
  createMetrics,
  readConfig,
  silentLog,
  systemRandom,
  systemTimers,
} from '@sentinel-node/platform';
import type { Test } from 'tap';
import { createQuery, type QueryDeps } from '../src/index.ts';
import { callOf, MASTER_SECRET, type World } from './world.ts';

/** Returns the answers of another process of the query service, over the same log and store. */
export async function secondProcess(
  t: Test,
  world: World,
  env: Readonly<Record<string, string>>,
  more: Partial<QueryDeps> = {},
): Promise<World['call']> {
  const { clock, eventLog, store } = world;
  const config = readConfig(env);
  const log = silentLog();
  const metrics = createMetrics('query', { processMetrics: false });
  const deps = { config, log, metrics, clock, eventLog, store, random: systemRandom, timers: systemTimers };
  const query = createQuery({ ...deps, secrets: { masterSecret: MASTER_SECRET }, ...more });
  const http = await createHttp({ config, log, metrics });
  await query.routes?.(http.app);
  await query.start();
  t.teardown(async () => {
    await http.stop();
    await query.stop();
  });
  return callOf(http.app);
}
