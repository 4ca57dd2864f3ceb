#!/usr/bin/env node
// npm run try-backends [-- --only NAME,…]: the first command that an operator runs against their own Kafka and MongoDB.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { prepare, root } from './lib/prepare.mjs';
import { runFiles } from './lib/run-files.mjs';

const FOLDER = 'services/all-in-one/dist/test/try';
/** The suites run in this order, one after the other. */
const SUITES = {
  'kafka-contract': 'what the event log promises: order, groups, reads to their end, appends that are kept',
  'mongodb-contract':
    'what the document store promises: revisions, insert-once, indexes, queries, replacements',
  'main-job': 'wallet, organisation, device, reports, chains, alerts, anchored links, over HTTP',
  'service-ends': 'services killed and ended under load; then an audit',
};
const WIDTH = 18;
const ID_BYTES = 4;

const HELP = `usage: npm run try-backends [-- --only NAME,…]

Tries a Kafka and a MongoDB that you name: says what is there and what differs from what is wanted, then runs:
${Object.entries(SUITES)
  .map(([name, words]) => `  ${name.padEnd(WIDTH)}${words}`)
  .join('\n')}

  SENTINEL_TEST_KAFKA_BROKERS   host:port,…
  SENTINEL_TEST_MONGODB_URL     mongodb://user:password@host:port,…/?replicaSet=…
  SENTINEL_KAFKA_…              sign-in and TLS for Kafka, as the services read them (README, settings)
  NODE_EXTRA_CA_CERTS           a file with authorities of your own, for both

Topics, consumer groups and databases of a run begin with sentinel-try-XXXXXXXX- and are removed at its end; no other ones
are touched, and no quota or other setting of the cluster is changed. The user needs the right to make and delete topics
and groups with that prefix, and to make, read, write and drop databases with it.

  --only NAME,…   these only
  --help          this text

The last line is "N passed, N failed". Exit code 0: nothing failed; 1: something did; 2: wrong usage.
`;

function usage(message) {
  process.stderr.write(`try-backends: ${message}\n`);
  process.exit(2);
}

let values;
try {
  ({ values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } } }));
} catch (error) {
  usage(error.message);
}
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const missing = ['SENTINEL_TEST_KAFKA_BROKERS', 'SENTINEL_TEST_MONGODB_URL'].filter(
  (name) => !process.env[name],
);
if (missing.length > 0) usage(`set ${missing.join(' and ')}; --help tells more`);
const names = values.only?.split(',') ?? Object.keys(SUITES);
const unknown = names.find((name) => !(name in SUITES));
if (unknown !== undefined)
  usage(`there is no suite ${unknown}; suites are ${Object.keys(SUITES).join(', ')}`);

await prepare({ web: false });
process.env.SENTINEL_TEST_PREFIX = `sentinel-try-${randomBytes(ID_BYTES).toString('hex')}-`;
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
const load = (name) => import(pathToFileURL(join(root, FOLDER, `${name}.js`)).href);
const { lookAtKafka, lookAtMongo } = await load('look');
const { removeAll } = await load('clean');

let [passed, failed, skipped] = [0, 0, 0];
try {
  const found = [await lookAtKafka(), await lookAtMongo()];
  for (const { lines } of found) for (const line of lines) say(line);
  const differs = found.flatMap((one) => one.differs);
  for (const line of differs) say(`differs: ${line}`);
  if (differs.length === 0) say('no setting differs from what is wanted');
  const titles = new Map(names.map((name) => [`${FOLDER}/${name}.js`, name]));
  await runFiles([...titles.keys()], 1, { onEnd: (result) => addResult(titles.get(result.file), result) });
} catch (error) {
  failed += 1;
  say(`could not be tried: ${error.message}`);
} finally {
  await clean();
}
say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function say(line) {
  process.stdout.write(`${line}\n`);
}

function addResult(name, result) {
  passed += result.passed;
  failed += result.failed;
  skipped += result.skipped;
  say(`${name}: ${result.passed} passed, ${result.failed} failed, ${result.seconds.toFixed(0)} s`);
  if (!result.ok)
    for (const line of result.text.split('\n')) if (/^\s*(not ok|#)/.test(line)) say(`  ${line}`);
}

/** Names the topics, groups and databases that could not be removed, so that a person can remove them. */
async function clean() {
  try {
    const removed = await removeAll();
    if (removed.length > 0) say(`removed ${removed.length} topics, groups and databases of this run`);
  } catch (error) {
    failed += 1;
    say(`what begins with ${process.env.SENTINEL_TEST_PREFIX} was not removed: ${error.message}`);
  }
}
