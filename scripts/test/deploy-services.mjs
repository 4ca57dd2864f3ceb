// The routes and headers of the services themselves, without starting them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnchoring } from '../../services/anchoring/dist/src/index.js';
import { createIngestion } from '../../services/ingestion/dist/src/index.js';
import {
  createHttp,
  createMetrics,
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  readConfig,
  silentLog,
  systemClock,
  systemRandom,
  systemTimers,
} from '../../services/platform/dist/src/index.js';
import { createDevLedger } from '../../services/platform/dist/src/ledger/index.js';
import { securityHeaders } from '../../services/query/dist/src/http/security-headers.js';
import { configurationForMembers } from '../../services/query/dist/src/devices/configuration.js';
import { createQuery } from '../../services/query/dist/src/index.js';

const MASTER_SECRET = 'a secret of the tests, long enough for it';
/** Paths of every service: orchestrators ask them directly, not through the web server. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** Every route that a service registers when it runs alone: [{ service, method, path }]. */
export async function routesOf() {
  const path = mkdtempSync(join(tmpdir(), 'sentinel-routes-'));
  const folder = openDataFolder(path);
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const store = await openEmbeddedDocumentStore({ folder });
  const routes = [];
  try {
    for (const [service, create] of Object.entries(creators({ eventLog, store }))) {
      const { app, shared } = await shell(service);
      app.addHook('onRoute', ({ method, url }) => {
        for (const one of [method].flat())
          if (!PROBES.has(url)) routes.push({ service, method: one, path: url });
      });
      for (const one of create(shared)) await one.routes(app);
      await app.ready();
      await app.close();
    }
  } finally {
    await eventLog.close();
    await store.close();
    folder.release();
    rmSync(path, { recursive: true, force: true });
  }
  return routes.filter(({ method }) => method !== 'OPTIONS');
}

function creators(stores) {
  const of = (shared) => ({ ...shared, ...stores, secrets: { masterSecret: MASTER_SECRET } });
  return {
    ingestion: (shared) => [createIngestion({ ...of(shared), logKey: logKeyOf(MASTER_SECRET) })],
    // Composes the service as its main.ts does.
    query: (shared) => {
      const query = createQuery(of(shared));
      return [query, configurationForMembers(of(shared), query.memberAuth)];
    },
    anchoring: (shared) => [
      createAnchoring({
        ...of(shared),
        logKey: logKeyOf(MASTER_SECRET),
        origin: 'test',
        ledger: createDevLedger(of(shared)),
        anchoringKey: '1'.repeat(64),
        callbackToken: 'token',
        categoryIntervalSeconds: shared.config.categoryIntervalSeconds,
      }),
    ],
  };
}

/** The security headers that query sends with its own pages, by lower-case name. */
export async function consoleHeaders(publicUrl) {
  const { app } = await shell('headers', { SENTINEL_PUBLIC_URL: publicUrl });
  const secure = await securityHeaders(app, { publicUrl });
  app.get('/page', async (_, reply) => {
    await secure(reply);
    return reply.send('');
  });
  const { headers } = await app.inject({ url: '/page', headers: { host: new URL(publicUrl).host } });
  await app.close();
  for (const name of ['content-length', 'content-type', 'date', 'connection']) delete headers[name];
  return headers;
}

async function shell(service, env = {}) {
  const config = readConfig(env);
  const log = silentLog();
  const metrics = createMetrics(service, { processMetrics: false });
  const { app } = await createHttp({ config, log, metrics });
  const ambient = { clock: systemClock, random: systemRandom, timers: systemTimers };
  return { app, shared: { config, log, metrics, ...ambient } };
}
