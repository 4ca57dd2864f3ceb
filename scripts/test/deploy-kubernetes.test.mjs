import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { CLUSTER_TOPICS, CONFIG_VARIABLE_NAMES } from './deploy-names.mjs';
import {
  allManifests,
  composeFile,
  configMap,
  configProblems,
  environmentOf,
  EXIT_DEADLINE_MS,
  FOLDERS,
  K8S,
  kustomization,
  mainOf,
  podOf,
  PROBE_PATHS,
  read,
  root,
  SECRETS,
  SERVICES,
  version,
  yamlFiles,
} from './deploy-support.mjs';

const require = createRequire(import.meta.url);
const all = allManifests();
const of = (kind) => all.filter(({ body }) => body.kind === kind).map(({ body }) => body);
const deployments = of('Deployment');
const workloads = [...deployments, ...of('Job')];
const labelsOf = ({ spec }) => spec.template.metadata.labels;
const fits = (selector, labels) =>
  Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value) &&
  (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key]));

/** Of operators: no published schema is at hand for Node 20. */
const FOREIGN = new Set(['ServiceMonitor', 'PrometheusRule']);

t.test('every manifest fits the published schema of its kind', async (t) => {
  for (const { body, file } of all) {
    if (FOREIGN.has(body.kind)) t.match(body.apiVersion, 'monitoring.coreos.com/v1');
    else t.doesNotThrow(() => modelOf(body).validate(), `${file}: ${body.kind} ${body.metadata.name}`);
  }
  const broken = structuredClone(deployments[0]);
  broken.spec.template.spec.containers[0].prots = [];
  broken.spec.replicas = 'two';
  t.throws(() => modelOf(broken).validate(), 'a slip of the hand is found');
});

t.test('kustomizations name every file, and only files that exist', async (t) => {
  for (const folder of FOLDERS) {
    const { resources, components = [], configMapGenerator } = kustomization(folder);
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
    for (const variable of Object.keys(env)) t.ok(known.has(variable), `${name}: ${variable}`);
    t.strictSame(configProblems(env, name === 'topics' ? 'ingestion' : name), [], name);
  }
  // The public ledger asks only the one who pays for its key.
  const arc = { ...configMap(), SENTINEL_LEDGER: 'https://arc.example.com', SENTINEL_DEV_EXPOSED: 'no' };
  for (const body of deployments.filter(({ metadata }) => SERVICES.includes(metadata.name)))
    t.strictSame(configProblems(environmentOf(podOf(body), arc), body.metadata.name), [], body.metadata.name);
});

t.test('secrets come by reference, and none is committed', async (t) => {
  t.strictSame(of('Secret'), []);
  for (const folder of FOLDERS) t.notOk('secretGenerator' in kustomization(folder), folder);
  const secret = [
    'SENTINEL_SECRET',
    'SENTINEL_MONGODB_URL',
    'SENTINEL_MAIL',
    'SENTINEL_LEDGER_KEY',
    'SENTINEL_FUNDING_KEY',
  ];
  for (const name of secret) t.notOk(name in configMap(), `${name} is not in the config map`);
  for (const body of workloads)
    for (const { name, value, valueFrom } of podOf(body).containers[0].env ?? [])
      t.ok(
        value === undefined && valueFrom.secretKeyRef.name === 'sentinel-node',
        `${body.metadata.name}: ${name}`,
      );
  const runbook = read('deploy/runbook.md');
  for (const key of Object.keys(SECRETS))
    t.ok(runbook.includes(`--from-literal=${key}=`), `${key} is in the runbook`);
});

t.test('commands, images and ports are those of the images', async (t) => {
  const compose = composeFile().services;
  const repository = (image) => image.split(':')[0];
  const names = new Set([repository(compose.web.image), repository(compose.ingestion.image)]);
  for (const body of workloads) {
    const [container] = podOf(body).containers;
    t.ok(names.has(container.image), `${container.image} without a tag: the kustomization names it`);
    if (body.metadata.name === 'web') t.equal(container.args, undefined);
    else t.ok(existsSync(join(root, container.args[0])), container.args[0]);
    if (SERVICES.includes(body.metadata.name)) t.strictSame(container.args, [mainOf(body.metadata.name)]);
    if (body.kind === 'Deployment') t.strictSame(container.ports, [{ name: 'http', containerPort: 8080 }]);
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

t.test('probes ask what the services answer, and the end has time', async (t) => {
  for (const body of deployments) {
    const pod = podOf(body);
    const [{ livenessProbe, readinessProbe, startupProbe, lifecycle }] = pod.containers;
    const isWeb = body.metadata.name === 'web';
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    t.strictSame(paths, ['/healthz', '/healthz', isWeb ? '/healthz' : '/readyz'], body.metadata.name);
    if (!isWeb) for (const path of paths) t.ok(PROBE_PATHS.has(path));
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) t.equal(httpGet.port, 'http');
    const pauseMs = Number(/(\d+)\D*$/.exec(lifecycle.preStop.exec.command.at(-1))[1]) * (isWeb ? 1_000 : 1);
    t.equal(pauseMs, 5_000);
    t.ok(
      pod.terminationGracePeriodSeconds * 1_000 > pauseMs + EXIT_DEADLINE_MS + 1_000,
      `${body.metadata.name}: grace`,
    );
  }
  t.ok(read('deploy/web/nginx.conf').includes('location = /healthz'));
});

t.test('pods fit the restricted standard', async (t) => {
  const accounts = of('ServiceAccount');
  for (const body of workloads) {
    const { name } = body.metadata;
    const pod = podOf(body);
    t.match(pod, {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    t.ok(
      accounts.some(
        (account) =>
          account.metadata.name === pod.serviceAccountName && !account.automountServiceAccountToken,
      ),
    );
    for (const container of pod.containers) {
      t.strictSame(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      t.match(
        container.resources,
        { requests: { cpu: String, memory: String }, limits: { memory: String } },
        name,
      );
    }
    t.ok(
      pod.volumes.every(({ emptyDir }) => emptyDir?.sizeLimit),
      `${name}: bounded scratch space`,
    );
  }
  const [namespace] = of('Namespace');
  t.equal(namespace.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
});

t.test('selectors find what they are meant for', async (t) => {
  for (const body of deployments) {
    const { name } = body.metadata;
    const labels = labelsOf(body);
    t.ok(fits(body.spec.selector, labels), name);
    const [service] = of('Service').filter(({ spec }) => fits({ matchLabels: spec.selector }, labels));
    t.match(service, { metadata: { name }, spec: { ports: [{ name: 'http', targetPort: 'http' }] } });
    const budgets = of('PodDisruptionBudget').filter(({ spec }) => fits(spec.selector, labels));
    t.equal(budgets.length, 1, `${name}: one disruption budget`);
    const { minAvailable, maxUnavailable } = budgets[0].spec;
    t.ok(maxUnavailable === 1 || body.spec.replicas > minAvailable, `${name}: a node can be drained`);
  }
  for (const { spec, metadata } of of('HorizontalPodAutoscaler')) {
    const target = deployments.find((body) => body.metadata.name === spec.scaleTargetRef.name);
    t.ok(target, metadata.name);
    const [metric] = spec.metrics;
    if (metric.type === 'Resource')
      t.ok(target.spec.template.spec.containers[0].resources.requests.cpu, 'utilisation of a request');
  }
  const scaled = of('HorizontalPodAutoscaler').map(({ spec }) => [
    spec.scaleTargetRef.name,
    spec.metrics[0].type,
  ]);
  t.match(Object.fromEntries(scaled), {
    ingestion: 'Resource',
    query: 'Resource',
    'chain-verifier': 'External',
  });
  const verifier = of('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === 'chain-verifier');
  const { partitions } = CLUSTER_TOPICS.find(({ name }) => name.includes('file-events'));
  t.equal(verifier.spec.maxReplicas, partitions, 'as many verifiers as partitions');
});

t.test('the network is closed but for what is needed', async (t) => {
  const policies = of('NetworkPolicy');
  const denied = policies.find(({ spec }) => spec.ingress === undefined && spec.egress === undefined);
  t.strictSame(denied.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  const upstreams = [...read('deploy/web/upstreams.conf').matchAll(/server ([a-z-]+):(\d+)/g)].map(
    ([, host, port]) => ({ host, port }),
  );
  for (const { host, port } of upstreams) {
    const service = of('Service').find(({ metadata }) => metadata.name === host);
    t.equal(String(service?.spec.ports[0].port), port, `web finds ${host}`);
    t.ok(
      allows(policies, 'egress', 'web', host) && allows(policies, 'ingress', host, 'web'),
      `web may call ${host}`,
    );
  }
  t.notOk(allows(policies, 'ingress', 'chain-verifier', 'web'), 'nobody calls the verifier');
  const stores = policies.find(({ metadata }) => metadata.name === 'services-to-stores');
  for (const name of [...SERVICES, 'topics'])
    t.ok(fits(stores.spec.podSelector, { 'app.kubernetes.io/name': name }), name);
  t.notOk(
    fits(stores.spec.podSelector, { 'app.kubernetes.io/name': 'web' }),
    'the web server reaches no store',
  );
  const brokerPorts = configMap()
    .SENTINEL_KAFKA_BROKERS.split(',')
    .map((one) => Number(one.split(':')[1]));
  t.strictSame([...new Set(brokerPorts)], [stores.spec.egress[0].ports[0].port]);
});

t.test('the ingress lets streams live and bulk bodies through', async (t) => {
  const [{ metadata, spec }] = of('Ingress');
  const of_ = (name) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
  t.equal(of_('proxy-buffering'), 'off');
  t.ok(Number(of_('proxy-read-timeout')) >= 3_600);
  t.ok(Number.parseInt(of_('proxy-body-size'), 10) >= 16);
  const { host } = new URL(configMap().SENTINEL_PUBLIC_URL);
  t.strictSame(
    spec.tls.flatMap(({ hosts }) => hosts),
    [host],
    'TLS for the address in links',
  );
  t.match(spec.rules, [
    { host, http: { paths: [{ path: '/', backend: { service: { name: 'web', port: { name: 'http' } } } }] } },
  ]);
});

/** Whether a policy for `pod` has a rule of this direction with `peer` in it. */
function allows(policies, direction, pod, peer) {
  const labels = (name) => ({ 'app.kubernetes.io/name': name });
  return policies
    .filter(({ spec }) => fits(spec.podSelector, labels(pod)))
    .flatMap(({ spec }) => spec[direction] ?? [])
    .flatMap((rule) => rule.to ?? rule.from ?? [])
    .some(({ podSelector }) => podSelector !== undefined && fits(podSelector, labels(peer)));
}

/** The body as an object of the package's class for its kind. */
function modelOf(body) {
  const { [body.kind]: Model } = require(`kubernetes-models/${body.apiVersion}`);
  return new Model(body);
}
