/** Starts the services in this process and makes the organisation by calling them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CONSUMED, TOPICS } from '@sentinel-node/contracts';
import { ConfigError, createLog, readConfig } from '@sentinel-node/platform';
import { isAnchoringBehind } from './anchored.mjs';
import { MovedClock, stepsOf } from './calendar.mjs';
import { addDevices, switchOff } from './devices.mjs';
import { History, lateFrom } from './history.mjs';
import { ADMIN, makeOrganization } from './organization.mjs';
import { Progress } from './progress.mjs';
import { Random } from './random.mjs';

/** Limits that refuse no call of this program. */
const UNLIMITED = '1000000000';
const RATES = [
  'DEVICE_REPORTS',
  'DEVICE_BURST',
  'ORGANIZATION_REPORTS',
  'ORGANIZATION_BURST',
  'USER_CALLS',
  'LOGIN',
  'CONFIRM',
  'INVITATIONS',
];
/** Longest time until all views are up to date, in milliseconds. */
const CATCH_UP_MS = 300_000;
const LOOK_AGAIN_MS = 5;
const ANCHORED_LOOK_MS = 100;
const DAY_MS = 86_400_000;

/** @returns the exit code */
export async function seed(options) {
  const say = (line) => process.stdout.write(`${line}\n`);
  try {
    const config = configuration(process.env);
    refuseLog(config, options);
    say(`seed ${options.seed}: ${words(options)}, into ${placeOf(config)}`);
    const { startSystem } = await import('../../services/all-in-one/dist/src/system.js');
    const end = Date.now();
    const clock = new MovedClock(end - options.days * DAY_MS);
    const log = createLog({ level: 'error', service: 'seed' });
    const system = await startSystem(config, log, options.days === 0 ? {} : { clock });
    try {
      // An entry waits for a batch for at most half of its interval.
      const cutsAfterMs = Math.max(...Object.values(config.categoryIntervalSeconds)) * 500;
      await Promise.race([fill({ ...options, clock, cutsAfterMs, system, end }, say), system.failed]);
    } finally {
      await system.stop();
    }
    say(`\nnpm start shows it; sign in as ${ADMIN.email} (or olu@, mira@, jun@ …).`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

const words = ({ devices, files, alerts, days }) =>
  `${devices.toLocaleString('en-US')} devices, ${files.toLocaleString('en-US')} files, ${alerts.toLocaleString('en-US')} alerts in ${days} ${days === 1 ? 'day' : 'days'}`;

/** Returns the environment's settings on a free port, without a demonstration. @throws ConfigError */
function configuration(env) {
  const config = readConfig({
    ...env,
    SENTINEL_PORT: '0',
    SENTINEL_HOST: '127.0.0.1',
    SENTINEL_DEMO: 'off',
    ...Object.fromEntries(RATES.map((name) => [`SENTINEL_LIMIT_${name}`, UNLIMITED])),
  });
  const problems = ['wallet', 'mail', 'ledger']
    .filter((part) => config[part].kind !== 'dev')
    .map((part) => ({ variable: `SENTINEL_${part.toUpperCase()}`, message: 'must be dev to seed' }));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

const placeOf = (config) => (config.store.kind === 'cluster' ? 'Kafka and MongoDB' : resolve(config.dataDir));

function refuseLog(config, { intoExisting }) {
  if (config.store.kind === 'cluster' || intoExisting) return;
  if (existsSync(join(config.dataDir, 'log.db')))
    throw new Error(
      `${resolve(config.dataDir)} holds a log: choose another SENTINEL_DATA_DIR, or --into-existing --days 0`,
    );
}

async function fill({ system, clock, cutsAfterMs, end, ...options }, say) {
  const { url, stores } = system;
  if (!options.intoExisting && (await hasRecords(stores.eventLog)))
    throw new Error('the log has records: choose an empty one, or --into-existing --days 0');
  const random = new Random(options.seed);
  const progress = new Progress(say);
  const organization = await makeOrganization(url, options.name);
  const at = { url, clock, ...organization, caughtUp: () => caughtUp(stores.eventLog) };
  progress.begin('devices', options.devices);
  const devices = await addDevices(at, options, random, (done) => progress.tell(done));
  progress.begin('first reports', options.files);
  const steps = stepsOf({ ...options, end });
  const history = new History(at, { ...options, devices, steps, random });
  await history.begin((done) => progress.tell(done));
  progress.begin('alerts', options.alerts);
  let raised = 0;
  for (let n = 0; n < steps.length; n += 1) {
    if (n === lateFrom(steps)) await switchOff(at, devices);
    raised += await history.step(n);
    progress.tell(raised);
  }
  clock.letGo();
  await history.end();
  progress.end();
  if (options.days > 0) await anchored(stores, end - cutsAfterMs);
  if (raised < options.alerts)
    throw new Error(
      `only ${raised} of ${options.alerts} alerts were made: that needs more --files or --days`,
    );
}

/** Resolves when all that was accepted before `at` is in a block. */
async function anchored(stores, at) {
  for (const until = performance.now() + CATCH_UP_MS; performance.now() < until;) {
    if (!(await isAnchoringBehind(stores, at))) return;
    await new Promise((next) => setTimeout(next, ANCHORED_LOOK_MS));
  }
  throw new Error('the history was not anchored');
}

async function hasRecords(eventLog) {
  const bounds = await Promise.all(
    [TOPICS.registry, TOPICS.fileEvents].map((topic) => eventLog.bounds(topic)),
  );
  return bounds.flat().some(({ end }) => end > 0);
}

/** Resolves when every group has read its topics to their ends. */
async function caughtUp(eventLog) {
  for (const end = performance.now() + CATCH_UP_MS; performance.now() < end;) {
    if (await isCaughtUp(eventLog)) return;
    await new Promise((next) => setTimeout(next, LOOK_AGAIN_MS));
  }
  throw new Error('the services did not catch up');
}

/** Checks the groups in the order of the data flow, so that records written during the check are seen. */
async function isCaughtUp(eventLog) {
  for (const { group, topic } of CONSUMED) {
    const [bounds, committed] = await Promise.all([eventLog.bounds(topic), eventLog.committed(topic, group)]);
    if (bounds.some(({ partition, start, end }) => end > start && (committed.get(partition) ?? 0) < end))
      return false;
  }
  return true;
}
