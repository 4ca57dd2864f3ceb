// Reads files of the repository as data, for the tests of containers and manifests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../services/platform/dist/src/config/variables.js';
import { PROBE_PATHS } from '../../services/platform/dist/src/http/probes.js';
import { readConfig } from '../../services/platform/dist/src/index.js';
import { EXIT_DEADLINE_MS } from '../../services/platform/dist/src/process/run-service.js';
import { root } from '../lib/prepare.mjs';

export { EXIT_DEADLINE_MS, PROBE_PATHS, root };

export const SERVICES = ['ingestion', 'chain-verifier', 'anchoring', 'query'];

export const read = (...path) => readFileSync(join(root, ...path), 'utf8');
export const version = JSON.parse(read('package.json')).version;

/** Sample values for the secrets of a deployment. */
export const SECRETS = {
  secret: 'a secret that is made for this test only, and long enough',
  'mongodb-url': 'mongodb://user:password@mongodb.example:27017/sentinel?replicaSet=rs0',
  'operator-mongodb-url':
    'mongodb://operator:password@mongodb.example:27017/sentinel?replicaSet=rs0&authSource=admin',
  'kafka-password': 'a password with $ and #',
  'mail-url': 'smtps://user:password@mail.example.com:465',
  'wallet-public-key': `02${'7'.repeat(64)}`,
  'ledger-key': 'key',
  'headers-key': 'token',
  'funding-key': 'f'.repeat(64),
};

/** The broker of the example asks for no password: the Secret has none for it. */
const HELD = Object.keys(SECRETS).filter((key) => key !== 'kafka-password');

/** Settings that do not begin with `SENTINEL_`: those of Node.js, and of the shell of a command. */
export const OTHER_VARIABLES = new Set(['NODE_EXTRA_CA_CERTS', 'POD_NAME']);
/** The folder of files that are secret or differ between installations; in a container always the same. */
export const FILES_FOLDER = '/etc/sentinel/files';

/** The secret settings that a process reads: a service reads its own; an operator's command reads those of all services. */
export function secretsOf(process) {
  return Object.values(VARIABLES)
    .filter(({ secret }) => secret)
    .filter(({ services }) =>
      SERVICES.includes(process) ? services.includes(process) : services.length === SERVICES.length,
    )
    .map(({ name }) => name)
    .sort();
}

/** docker-compose.yml as written, or with the variables of an `.env` inserted. */
export function composeFile(env) {
  const file = parse(read('docker-compose.yml'), { merge: true });
  return env === undefined ? file : interpolated(file, env);
}

/** Compose's own rules, value by value: `${NAME}`, `${NAME:-default}`, `${NAME:+instead}` and `${NAME:?message}`. */
function interpolated(value, env) {
  if (Array.isArray(value)) return value.map((one) => interpolated(one, env));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, interpolated(one, env)]));
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Z_]+)(?:(:-|:\+|:\?)([^}]*))?\}/g, (_, name, kind, rest = '') => {
    const given = env[name] ?? '';
    if (given !== '') return kind === ':+' ? rest : given;
    if (kind === ':?') throw new Error(`required variable ${name} is missing a value: ${rest}`);
    return kind === ':-' ? rest : '';
  });
}

/** The variables of a file like .env. */
export function dotEnv(text) {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Every YAML document of the manifests in `folder`, with its file; kustomizations are left out. */
export function manifests(folder) {
  return yamlFiles(folder)
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) =>
      parseAllDocuments(read(folder, name)).map((document) => ({ file: name, body: document.toJS() })),
    );
}

export const yamlFiles = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.yaml'));
export const kustomization = (folder) => parse(read(folder, 'kustomization.yaml'));

export const K8S = 'deploy/kubernetes';
export const FOLDERS = ['base', 'components/monitoring', 'components/operator', 'overlays/example'].map(
  (name) => `${K8S}/${name}`,
);
export const allManifests = () =>
  FOLDERS.flatMap((folder) => manifests(folder).map((one) => ({ ...one, folder })));

/** The pod of a Deployment, Job or CronJob. */
export const podOf = ({ spec }) => (spec.jobTemplate?.spec ?? spec).template?.spec;
/** Whether a manifest is of the pod in which the operator's commands run, which has no callers. */
export const isOperator = ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'operator';

/**
 * The environment of a pod's only container: the values of the config maps, and sample values for the Secret.
 * @throws Error for a key that `SECRETS` does not have, and for a required key that the Secret does not have
 */
export function environmentOf(pod, configMap, held = HELD) {
  const [{ env = [], envFrom = [] }] = pod.containers;
  const fromMap = envFrom.length > 0 ? configMap : {};
  const own = env.flatMap(({ name, value, valueFrom }) => {
    const { key, optional } = valueFrom?.secretKeyRef ?? {};
    if (key !== undefined && !(key in SECRETS)) throw new Error(`the secret has no key ${key}`);
    if (key === undefined || held.includes(key)) return [[name, value ?? SECRETS[key]]];
    if (optional !== true) throw new Error(`the pod waits for the key ${key}`);
    return [];
  });
  return { ...fromMap, ...Object.fromEntries(own) };
}

/** Literals of the config map `sentinel-node`, base and overlay merged. */
export function configMap() {
  const literals = [`${K8S}/base`, `${K8S}/overlays/example`].flatMap((folder) =>
    kustomization(folder).configMapGenerator.flatMap(({ literals: list }) => list),
  );
  return Object.fromEntries(
    literals.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}

/** The problems for which a service would refuse to start. */
export function configProblems(env, service) {
  try {
    readConfig(env, [service]);
    return [];
  } catch (error) {
    if (error.code !== 'CONFIG') throw error;
    return error.problems.map(({ variable, message }) => `${variable}: ${message}`);
  }
}

const { scripts } = JSON.parse(read('package.json'));

/** The arguments of node that start a service: in a container the same as by `npm run start:…`. */
export const startOf = (service) => scripts[`start:${service}`].split(' ').slice(1);

/** The program of a service, as the image has it below /app. */
export const mainOf = (service) => `services/all-in-one/dist/bundle/${service}.js`;

/** Instructions of the Dockerfile by stage: [{ from, as, instructions: [[word, rest]] }]. */
export function dockerStages() {
  const lines = read('deploy/docker/Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const args = {};
  const stages = [];
  for (const line of lines) {
    const [word] = line.split(' ', 1);
    const rest = line.slice(word.length).trim();
    if (word === 'ARG') args[rest.split('=')[0]] = rest.slice(rest.indexOf('=') + 1);
    else if (word === 'FROM') {
      const [image, , as] = rest.split(' ');
      stages.push({ from: image.replace(/\$\{(\w+)\}/, (_, name) => args[name]), as, instructions: [] });
    } else stages.at(-1).instructions.push([word, rest]);
  }
  return stages;
}
export const stage = (name) => dockerStages().find(({ as }) => as === name);
/** The arguments of the stage's instructions with this word. */
export const said = (name, word) =>
  stage(name)
    .instructions.filter(([w]) => w === word)
    .map(([, rest]) => rest);
