import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

/** Milliseconds; only ends a test that hangs. */
const PATIENCE_MS = 900_000;
t.setTimeout(PATIENCE_MS);
/** Some cases of the contract: platform runs the whole contract on the same server, which takes half a minute of processor time. */
const SOME_CASES = { TAP_GREP: 'MongoDB document store\nas it went|a replacement|a closed store' };

function tryBackends(args, env = {}) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(root, 'scripts', 'try-backends.mjs'), ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...said })));
}

t.test('without a cluster one line says what to set', async (t) => {
  const none = await tryBackends([]);
  t.equal(none.status, 2);
  t.equal(
    none.stderr,
    'try-backends: set SENTINEL_TEST_KAFKA_BROKERS and SENTINEL_TEST_MONGODB_URL; --help tells more\n',
  );
  const half = await tryBackends([], { SENTINEL_TEST_KAFKA_BROKERS: 'localhost:1' });
  t.equal(half.stderr, 'try-backends: set SENTINEL_TEST_MONGODB_URL; --help tells more\n');
  const help = await tryBackends(['--help']);
  t.equal(help.status, 0);
  t.match(help.stdout, /^usage: npm run try-backends/);
});

t.test('on servers of this machine', async (t) => {
  const kit = join(root, 'services/test-kit/dist/src/test-servers/index.js');
  const { startKafka, startMongo } = await import(pathToFileURL(kit).href);
  const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);
  if (kafka === undefined || mongo === undefined) return;
  const env = {
    SENTINEL_TEST_KAFKA_BROKERS: kafka.brokers,
    SENTINEL_TEST_MONGODB_URL: mongo.url,
  };

  await t.test('what is there, what differs, and a suite that passes', async (t) => {
    const { status, stdout, stderr } = await tryBackends(['--only', 'mongodb-contract'], {
      ...env,
      ...SOME_CASES,
    });
    t.equal(status, 0, stdout + stderr);
    t.match(
      stdout,
      /^Kafka: 1 broker \(1 at 127\.0\.0\.1:\d+\), cluster \S+, plain connections, no sign-in$/m,
    );
    t.match(stdout, /^Kafka: answers Produce up to version \d+, Fetch up to version \d+, /m);
    t.match(stdout, /^MongoDB: version \S+, /m);
    t.match(stdout, /^differs: Kafka: 1 broker; wanted 3/m);
    t.match(stdout, /^differs: Kafka: offsets\.topic\.replication\.factor is 1; wanted 3/m);
    t.match(stdout, /^mongodb-contract: [1-9]\d* passed, 0 failed, \d+ s$/m);
    t.match(stdout, /\n[1-9]\d* passed, 0 failed, [1-9]\d* skipped\n$/);
    t.match(stdout, /^removed \d+ topics, groups and databases of this run$/m);
    const client = await MongoClient.connect(mongo.url);
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    await client.close();
    t.same(
      databases.map(({ name }) => name).filter((name) => name.startsWith('sentinel-try-')),
      [],
      'nothing stays behind',
    );
  });

  await t.test('a cluster that does not answer is a failure', async (t) => {
    const { status, stdout } = await tryBackends(['--only', 'mongodb-contract'], {
      ...env,
      SENTINEL_TEST_KAFKA_BROKERS: '127.0.0.1:1',
    });
    t.equal(status, 1);
    t.match(stdout, /^could not be tried: /m);
    t.match(stdout, /\n0 passed, [12] failed\n$/);
  });
});
