import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../services/platform/dist/src/config/variables.js';
import { CONFIG_VARIABLE_NAMES } from './deploy-names.mjs';
import {
  allManifests,
  composeFile,
  configMap,
  configProblems,
  environmentOf,
  FILES_FOLDER,
  FOLDERS,
  isOperator,
  K8S,
  kustomization,
  OTHER_VARIABLES,
  startOf,
  podOf,
  read,
  root,
  SECRETS,
  secretsOf,
  SERVICES,
  version,
  yamlFiles,
} from './deploy-support.mjs';
import { unknownFields } from './deploy-types.mjs';
import { matchList } from '../../services/test-kit/dist/src/matching/index.js';

const require = createRequire(import.meta.url);
const all = allManifests();
const of = (kind) => all.filter(({ body }) => body.kind === kind).map(({ body }) => body);
const deployments = of('Deployment').filter((body) => !isOperator(body));
const operators = [...of('Deployment').filter(isOperator), ...of('CronJob')];
const workloads = [...deployments, ...of('Job'), ...operators];
/** Kinds of operators; no published schema is available for Node 20. */
const FOREIGN = new Set(['ServiceMonitor', 'PrometheusRule']);

t.test('every manifest fits the published schema of its kind', async (t) => {
  for (const { body, file } of all) {
    if (FOREIGN.has(body.kind)) t.match(body.apiVersion, 'monitoring.coreos.com/v1');
    else t.doesNotThrow(() => modelOf(body).validate(), `${file}: ${body.kind} ${body.metadata.name}`);
  }
  const broken = JSON.parse(JSON.stringify(deployments[0]));
  broken.spec.replicas = 'two';
  t.throws(() => modelOf(broken).validate(), 'a value of the wrong kind is found');
});

t.test('every manifest has only fields that exist', async (t) => {
  const bodies = all.map(({ body }) => body).filter(({ kind }) => !FOREIGN.has(kind));
  t.strictSame(unknownFields(bodies), []);
  const broken = JSON.parse(JSON.stringify(deployments[0]));
  broken.spec.template.spec.containers[0].prots = [];
  matchList(t, unknownFields([broken]), [/"prots"/], 'a slip of the hand is found');
});

t.test('kustomizations name every file, and only files that exist', async (t) => {
  for (const folder of FOLDERS) {
    const { resources, components = [], configMapGenerator = [] } = kustomization(folder);
    const files = yamlFiles(folder).filter((name) => name !== 'kustomization.yaml');
    t.strictSame(resources.filter((name) => name.endsWith('.yaml')).sort(), files.sort(), folder);
    const folders = resources.filter((name) => !name.endsWith('.yaml'));
    for (const other of [...folders, ...components])
      t.ok(existsSync(join(root, folder, other, 'kustomization.yaml')), `${folder}: ${other}`);
    for (const file of configMapGenerator.flatMap(({ files: list = [] }) => list))
      t.ok(existsSync(join(root, folder, file.split('=').at(-1))), file);
  }
});

t.test('kustomize builds base and overlay', async (t) => {
  if (spawnSync('kubectl', ['kustomize', '--help']).status !== 0)
    return t.skip('there is no kubectl on this machine');
  for (const folder of [`${K8S}/base`, `${K8S}/overlays/example`]) {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    t.equal(status, 0, stderr);
    for (const document of parseAllDocuments(stdout)) {
      const body = document.toJS();
      if (!FOREIGN.has(body.kind))
        t.doesNotThrow(() => modelOf(body).validate(), `${body.kind} ${body.metadata.name}`);
      for (const { image } of podOf(body.spec === undefined ? { spec: {} } : body)?.containers ?? [])
        t.match(image, new RegExp(`:${version.replaceAll('.', '\\.')}$`), image);
    }
  }
});

t.test('every pod has the settings that its service needs, and no other', async (t) => {
  const known = new Set(CONFIG_VARIABLE_NAMES);
  for (const body of workloads) {
    const { name } = body.metadata;
    if (name === 'web') continue;
    const env = environmentOf(podOf(body), configMap());
    for (const variable of Object.keys(env))
      t.ok(known.has(variable) || OTHER_VARIABLES.has(variable), `${name}: ${variable}`);
    // The commands read what ingestion reads.
    t.strictSame(configProblems(env, SERVICES.includes(name) ? name : 'ingestion'), [], name);
  }
  // Only the service that pays on the public ledger gets its key.
  const arc = {
    ...configMap(),
    SENTINEL_LEDGER: 'https://arc.example.com',
    SENTINEL_HEADERS: 'https://headers.example.com',
    SENTINEL_DEV_EXPOSED: 'no',
  };
  for (const body of deployments.filter(({ metadata }) => SERVICES.includes(metadata.name)))
    t.strictSame(configProblems(environmentOf(podOf(body), arc), body.metadata.name), [], body.metadata.name);
});

t.test('secrets come by reference, and none is committed', async (t) => {
  t.strictSame(of('Secret'), []);
  for (const folder of FOLDERS) t.notOk('secretGenerator' in kustomization(folder), folder);
  for (const { name, secret } of Object.values(VARIABLES))
    t.notOk(secret && name in configMap(), `${name} is not in the config map`);
  for (const body of workloads) {
    const { env = [] } = podOf(body).containers[0];
    const given = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.name === 'sentinel-node');
    for (const one of env)
      t.ok(
        given.includes(one) ||
          one.name === 'POD_NAME' ||
          one.valueFrom.configMapKeyRef?.name === 'sentinel-node',
        `${body.metadata.name}: ${one.name}`,
      );
    if (body.metadata.name === 'web') continue;
    const names = new Set(given.map(({ name }) => name));
    for (const name of secretsOf(body.metadata.name)) t.ok(names.has(name), `${body.metadata.name}: ${name}`);
  }
});

t.test('the runbook makes one secret, and gives no secret value as an argument', async (t) => {
  const runbook = read('deploy/runbook.md');
  t.notMatch(runbook, /--from-literal|--patch[ =]|mongosh "?(?:\$|mongodb:)/);
  t.equal(runbook.match(/openssl rand/g).length, 1, 'it is made once');
  const [made] = /^umask[^]*?openssl rand .*$/m.exec(runbook);
  const [asked] = /^for name in [^]*?^done$/m.exec(runbook);
  t.match(runbook, /create secret generic sentinel-node --from-file=secrets /);
  const cwd = t.testdir();
  const input = `${Object.keys(SECRETS)
    .map((_, n) => `value ${n}`)
    .join('\n')}\n`;
  const { status, stderr } = spawnSync('sh', ['-e', '-c', `${made}\n${asked}`], {
    cwd,
    input,
    encoding: 'utf8',
  });
  t.equal(status, 0, stderr);
  const files = readdirSync(join(cwd, 'secrets'));
  t.strictSame(files.sort(), Object.keys(SECRETS).sort(), 'the keys that the pods refer to');
  for (const file of files) {
    const path = join(cwd, 'secrets', file);
    t.match(readFileSync(path, 'utf8'), file === 'secret' ? /^[\w+/]{43}=$/ : /^value \d$/, file);
    t.equal(statSync(path).mode & 0o077, 0, `${file} is the owner's alone`);
  }
});

t.test('a broker with a password, and an authority of one’s own, are a matter of an overlay', async (t) => {
  const asked = kustomizationText().match(/^ +# - (?:SENTINEL_KAFKA|NODE_EXTRA)_.*$/gm);
  const literals = asked.map((line) => line.replace(/^ +# - /, '').split('='));
  const map = { ...configMap(), ...Object.fromEntries(literals) };
  for (const body of workloads.filter(({ metadata }) => metadata.name !== 'web')) {
    const { name } = body.metadata;
    const pod = podOf(body);
    const env = environmentOf(pod, map, Object.keys(SECRETS));
    t.strictSame(configProblems(env, SERVICES.includes(name) ? name : 'ingestion'), [], name);
    t.equal(env.SENTINEL_KAFKA_PASSWORD, SECRETS['kafka-password']);
    matchList(t, configProblems(environmentOf(pod, map), 'ingestion'), [
      /^SENTINEL_KAFKA_PASSWORD: is needed/,
    ]);
    const mount = pod.containers[0].volumeMounts.find(({ mountPath }) => mountPath === FILES_FOLDER);
    t.match(mount, { readOnly: true }, `${name}: files`);
    t.match(
      pod.volumes.find((volume) => volume.name === mount.name).secret,
      { secretName: 'sentinel-node-files', optional: true, defaultMode: 0o440 },
      `${name}: for its group only, and no pod waits for it`,
    );
    t.equal(dirname(env.NODE_EXTRA_CA_CERTS), FILES_FOLDER);
  }
  t.ok(read('deploy/runbook.md').includes('secret generic sentinel-node-files --from-file='));
});

t.test('a public ledger, with a policy of witnesses, is a matter of an overlay', async (t) => {
  const asked =
    kustomizationText().match(/^ +# - SENTINEL_(?:LEDGER|NETWORK|HEADERS|WITNESS)\w*=.*$/gm) ?? [];
  const literals = Object.fromEntries(asked.map((line) => line.replace(/^ +# - /, '').split('=')));
  t.match(literals, {
    SENTINEL_LEDGER: /^https:/,
    SENTINEL_HEADERS: String,
    SENTINEL_HEADERS_CHECKPOINT: /^\d+:/,
  });
  t.equal(dirname(literals.SENTINEL_WITNESS_POLICY ?? ''), FILES_FOLDER);
  const held = Object.keys(SECRETS).filter((name) => name !== 'kafka-password');
  const map = { ...configMap(), ...literals, SENTINEL_DEV_EXPOSED: 'no' };
  for (const headers of [literals.SENTINEL_HEADERS, `${FILES_FOLDER}/headers.bin`])
    for (const body of workloads.filter(({ metadata }) =>
      ['anchoring', 'operator'].includes(metadata.name),
    )) {
      const pod = podOf(body);
      const env = environmentOf(pod, { ...map, SENTINEL_HEADERS: headers }, held);
      // The commands read what ingestion reads.
      const service = body.metadata.name === 'anchoring' ? 'anchoring' : 'ingestion';
      t.strictSame(configProblems(env, service), [], body.metadata.name);
      t.equal(env.SENTINEL_WITNESS_POLICY, literals.SENTINEL_WITNESS_POLICY);
      const mount = pod.containers[0].volumeMounts.find(({ mountPath }) => mountPath === FILES_FOLDER);
      t.match(mount, { readOnly: true }, `${body.metadata.name}: files`);
    }
  t.ok(read('deploy/runbook.md').includes('--from-file=witness-policy'));
});

t.test('commands, images and ports are those of the images', async (t) => {
  const compose = composeFile().services;
  const repository = (image) => image.split(':')[0];
  const names = new Set([repository(compose.web.image), repository(compose.ingestion.image)]);
  for (const body of workloads) {
    const [container] = podOf(body).containers;
    t.ok(names.has(container.image), `${container.image} without a tag: the kustomization names it`);
    if (body.metadata.name === 'web') t.equal(container.args, undefined);
    else if (body.metadata.name !== 'operator')
      t.ok(
        container.args.some((word) => existsSync(join(root, word))),
        container.args.join(' '),
      );
    if (SERVICES.includes(body.metadata.name)) t.strictSame(container.args, startOf(body.metadata.name));
    if (deployments.includes(body)) t.strictSame(container.ports, [{ name: 'http', containerPort: 8080 }]);
  }
  for (const folder of [`${K8S}/base`, `${K8S}/overlays/example`])
    for (const { name, newTag } of kustomization(folder).images) {
      t.ok(names.has(name), name);
      t.equal(newTag, version);
    }
  t.equal(configMap().SENTINEL_PORT, '8080');
  t.equal(configMap().SENTINEL_HOST, '0.0.0.0');
  const factor = podOf(of('Job')[0]).containers[0].args.slice(1);
  t.strictSame(factor, ['topics', '--replication-factor', '3'], 'three replicas, two of them needed');
});

const kustomizationText = () => read(K8S, 'overlays/example/kustomization.yaml');

/** The body as an object of the package's class for its kind. */
function modelOf(body) {
  const { [body.kind]: Model } = require(`kubernetes-models/${body.apiVersion}`);
  return new Model(body);
}
