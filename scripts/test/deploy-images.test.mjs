import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { runDownload } from '../../services/test-kit/dist/src/test-servers/run-command.js';
import {
  dockerStages,
  mainOf,
  PROBE_PATHS,
  read,
  root,
  said,
  SERVICES,
  stage,
  version,
} from './deploy-support.mjs';

const packages = [
  'contracts',
  ...readdirSync(join(root, 'services')).map((name) => `services/${name}`),
  'web',
];
/** Only ends an installation that hangs, in ms: with an empty cache npm downloads all packages. */
const INSTALL_MS = 900_000;
/** The code in the image of the services. */
const BUNDLE = 'services/all-in-one/dist/bundle';

t.test(
  'base images are pinned by version, and nothing is fetched but the packages of the lock',
  async (t) => {
    const names = new Set(dockerStages().map(({ as }) => as));
    for (const { from, as, instructions } of dockerStages()) {
      t.ok(
        names.has(from) || /^[a-z]+:\d+\.\d+\.\d+-[a-z-]+(@sha256:[0-9a-f]{64})?$/.test(from),
        `${as} from ${from}`,
      );
      for (const [word, rest] of instructions) {
        t.not(word, 'ADD');
        if (word !== 'RUN') continue;
        t.notMatch(rest, /curl|wget|apt|apk|npx? (i|install|exec)\b|date/, rest);
        if (rest.includes('npm ci')) t.match(rest, /npm ci --ignore-scripts/);
      }
    }
    const [, major] = /^node:(\d+)\./.exec(stage('services').from);
    t.equal(Number(major) % 2, 0, 'a line with long-term support');
    t.equal(stage('manifests').from, stage('services').from, 'built for the version that runs it');
  },
);

t.test('every package has its manifest in the image, and the bundle is the only code', async (t) => {
  const manifestsCopied = said('manifests', 'COPY').map((line) => line.split(' ')[0]);
  for (const name of packages) t.ok(manifestsCopied.includes(`${name}/package.json`), `${name}/package.json`);
  const copied = said('services', 'COPY').map((line) => line.split(' ').at(-1));
  t.strictSame(
    copied.filter((path) => path.includes('/dist')),
    [BUNDLE],
  );
});

t.test('the images run as somebody who may nothing, and say when they are well', async (t) => {
  for (const name of ['services', 'web']) {
    t.equal(said(name, 'USER').length, 1, name);
    t.match(said(name, 'USER')[0], /^[1-9]\d*:[1-9]\d*$/, name);
    t.strictSame(said(name, 'EXPOSE'), ['8080']);
    t.strictSame(said(name, 'VOLUME'), []);
  }
  const [, path] = /"(\/\w+)"\]$/.exec(said('services', 'HEALTHCHECK')[0]);
  t.ok(PROBE_PATHS.has(path), path);
  const environment = said('services', 'ENV').join(' ');
  t.match(environment, /SENTINEL_PORT=8080/);
  t.match(environment, /SENTINEL_DATA_DIR=\/tmp\//);
  t.notMatch(
    environment,
    /SECRET|KEY|NODE_ENV/,
    'no secret, and no production that the development parts refuse',
  );
  t.match(read('deploy/docker/Dockerfile'), new RegExp(`services:${version.replaceAll('.', '\\.')} `));
});

t.test('what the build is sent is whole', async (t) => {
  const sent = sentFiles();
  for (const source of dockerStages().flatMap(copiedFromContext))
    t.ok(
      [...sent].some((file) => file === source || file.startsWith(`${source}/`)),
      `${source} is sent`,
    );
  for (const file of sent) {
    t.notMatch(file, /(^|\/)(test|node_modules|dist|bench)\//);
    if (!/\.tsx?$/.test(file)) continue;
    for (const target of relativeImports(file))
      if (!sent.has(target)) t.fail(`${file} imports ${target}, which is not sent`);
  }
  t.ok(sent.size > 300, `${sent.size} files`);
});

t.test('the probe tells a ready service from one that is not', async (t) => {
  let status = 200;
  const server = createServer((_, answer) => answer.writeHead(status).end('because')).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const port = String(server.address().port);
  const probe = () =>
    run(process.execPath, ['deploy/docker/probe.mjs', '/readyz'], root, {
      SENTINEL_PORT: port,
    });
  t.match(await probe(), { code: 0 });
  status = 503;
  t.match(await probe(), { code: 1, stderr: /503 because/ });
  server.close();
  server.closeAllConnections();
  t.match(await probe(), { code: 1 });
});

t.test('what is installed without development packages suffices', { timeout: INSTALL_MS }, async (t) => {
  const app = mkdtempSync(join(tmpdir(), 'sentinel-image-'));
  t.teardown(() => rmSync(app, { recursive: true, force: true }));
  for (const file of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    ...packages.map((name) => `${name}/package.json`),
  ])
    copy(app, file);
  const [install] = said('production', 'RUN');
  // Installs like the image, but from npm's cache where the cache has the package.
  await runDownload('sh', ['-c', `${install} --prefer-offline --no-audit --no-fund`], app);
  copy(app, BUNDLE);
  copy(app, 'services/agent/bin');

  for (const absent of ['typescript', 'tap', 'testcontainers', 'eslint', 'react', 'vite'])
    t.notOk(existsSync(join(app, 'node_modules', absent)), `${absent} is not installed`);
  for (const name of SERVICES) {
    // The service loads all its imports before it finds that the address of Kafka is missing.
    const { code, stderr: said } = await run(process.execPath, [mainOf(name)], app, {});
    t.match(
      { code, said },
      { code: 1, said: new RegExp(`^${name}: SENTINEL_KAFKA_BROKERS: is needed`) },
      name,
    );
  }
  for (const library of ['mongodb', 'kafka'])
    t.match(
      await run(process.execPath, ['-e', `import('./${library}.js').then(() => {})`], join(app, BUNDLE), {}),
      { code: 0, stderr: '' },
      library,
    );
  const outside = ['@fastify/swagger-ui', 'kafkajs', 'libsql', 'lz4-napi', 'pino'];
  t.match(
    await run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `await Promise.all(${JSON.stringify(outside)}.map((name) => import(name)))`,
      ],
      join(app, BUNDLE),
      {},
    ),
    { code: 0, stderr: '' },
    'libraries outside the bundle',
  );
  const help = await run(process.execPath, ['services/agent/bin/sentinel.mjs', '--help'], app, {});
  for (const command of ['topics', 'audit'])
    t.match(help.stdout, new RegExp(`^\\s+(sentinel )?${command}\\b`, 'm'), command);
});

const copy = (app, file) => {
  mkdirSync(dirname(join(app, file)), { recursive: true });
  cpSync(join(root, file), join(app, file), { recursive: true });
};

/** Sources of COPY that come from the context, not from another stage. */
function copiedFromContext({ instructions }) {
  return instructions
    .filter(([word, rest]) => word === 'COPY' && !rest.startsWith('--from='))
    .flatMap(([, rest]) => rest.split(/\s+/).slice(0, -1));
}

/** Files of the repository that .dockerignore lets through: the last matching pattern decides. */
function sentFiles() {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  // Git refuses a folder of another user, and then names no file.
  if (status !== 0) throw new Error(`git cannot list the files: ${stderr}`);
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ lets: line.startsWith('!'), expression: expressionOf(line.replace(/^!/, '')) }));
  const isSent = (file) => patterns.findLast(({ expression }) => expression.test(file))?.lets ?? true;
  return new Set(
    stdout.split('\n').filter((file) => file !== '' && existsSync(join(root, file)) && isSent(file)),
  );
}

/** A pattern matches the path that it names and everything below. */
function expressionOf(pattern) {
  const steps = pattern
    .split('**/')
    .map((part) => part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'));
  const escaped = steps.join('(?:.*/)?');
  return new RegExp(`^${escaped}(/.*)?$`);
}

function relativeImports(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import) '(\.{1,2}\/[^']+\.tsx?)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path)),
  );
}

async function run(command, args, cwd, env) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (bytes) => (output[name] += bytes));
  const [code] = await once(child, 'close');
  return { code, ...output };
}
