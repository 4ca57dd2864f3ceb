/** The real services, all together or single ones, on the embedded stores or on Kafka and MongoDB. */
import { mkdirSync } from 'node:fs';
import { openDataFolder, openEmbeddedDocumentStore, silentLog, startServices } from '@sentinel-node/platform';
import { configurationOf } from './configuration.mjs';
import { seedFleet } from './fleet.mjs';
import { seedRules } from './notify-seed.mjs';

/** Opens every service in one process, as `npm start` runs them. */
export async function openSystem({ folder, secret, fleet, told }) {
  const { startSystem } = await import('../../services/all-in-one/dist/src/system.js');
  if (fleet !== undefined)
    await seed(folder, fleet, told && ((store) => seedRules(store, fleet, told, secret)));
  const system = await startSystem(configurationOf({ folder, secret }), silentLog());
  return { url: system.url, close: () => system.stop() };
}

/** Opens ingestion alone, on its own log and store, or on Kafka and MongoDB. */
export async function openIngestion({ folder, secret, fleet, cluster }) {
  const { createIngestion } = await import('@sentinel-node/ingestion');
  const config = configurationOf({ folder, secret, cluster });
  if (cluster === undefined) await seed(folder, fleet);
  else await seedCluster(cluster, fleet);
  const create = (shared) => [createIngestion(shared)];
  const running = await startServices({ name: 'ingestion', config, log: silentLog(), create });
  return { url: running.url, close: () => running.stop() };
}

/** Opens the verifier alone, on Kafka and MongoDB. */
export async function openVerifier({ folder, secret, cluster }) {
  const { ALONE } = await import('@sentinel-node/chain-verifier');
  const config = configurationOf({ folder, secret, cluster });
  const running = await startServices({ name: 'chain-verifier', config, log: silentLog(), ...ALONE });
  return { url: running.url, close: () => running.stop() };
}

/** Opens the query service alone, on the data of a folder. */
export async function openQuery({ folder, secret }) {
  const { createQuery } = await import('@sentinel-node/query');
  const config = configurationOf({ folder, secret });
  const create = (shared) => [createQuery(shared)];
  const running = await startServices({ name: 'query', config, log: silentLog(), create });
  return { url: running.url, close: () => running.stop() };
}

async function seedCluster({ mongodbUrl }, fleet) {
  const { openMongoDocumentStore } = await import('@sentinel-node/platform/mongodb');
  const store = await openMongoDocumentStore({ url: mongodbUrl, log: silentLog() });
  await seedFleet(store, fleet);
  await store.close();
}

async function seed(folder, fleet, more = async () => {}) {
  mkdirSync(folder, { recursive: true });
  const data = openDataFolder(folder);
  const store = await openEmbeddedDocumentStore({ folder: data });
  await seedFleet(store, fleet);
  await more(store);
  await store.close();
  await data.release();
}
