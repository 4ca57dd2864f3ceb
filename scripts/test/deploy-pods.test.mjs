import { join } from 'node:path';
import t from 'tap';
import { MONGO_STORE_LIMITS } from '../../services/platform/dist/src/mongodb/index.js';
import { CLUSTER_TOPICS, MEMBERS_ALONE } from './deploy-names.mjs';
import {
  allManifests,
  configMap,
  EXIT_DEADLINE_MS,
  isOperator,
  K8S,
  kustomization,
  podOf,
  PROBE_PATHS,
  read,
  SERVICES,
} from './deploy-support.mjs';
import { matchWhole } from '../../services/test-kit/dist/src/matching/index.js';

const of = (kind) => allManifests().flatMap(({ body }) => (body.kind === kind ? [body] : []));
const deployments = of('Deployment').filter((body) => !isOperator(body));
const workloads = [...of('Deployment'), ...of('Job'), ...of('CronJob')];
/** The time for an index over a filled collection: a start waits for the index as long as the store does. */
const INDEX_PATIENCE_MS = MONGO_STORE_LIMITS.indexBuildMs;
const fits = (selector, labels) =>
  Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value) &&
  (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key]));

t.test('probes ask what the services answer, and the end has time', async (t) => {
  for (const body of deployments) {
    const pod = podOf(body);
    const [{ livenessProbe, readinessProbe, startupProbe, lifecycle }] = pod.containers;
    const isWeb = body.metadata.name === 'web';
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    t.strictSame(paths, ['/healthz', '/healthz', isWeb ? '/healthz' : '/readyz'], body.metadata.name);
    if (!isWeb) for (const path of paths) t.ok(PROBE_PATHS.has(path));
    const patienceMs = startupProbe.periodSeconds * startupProbe.failureThreshold * 1_000;
    if (!isWeb)
      t.ok(patienceMs >= INDEX_PATIENCE_MS, `${body.metadata.name}: a start that makes an index ends`);
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
      pod.volumes.every((one) => one.emptyDir?.sizeLimit ?? one.persistentVolumeClaim ?? one.secret),
      `${name}: bounded scratch space`,
    );
  }
  const [namespace] = of('Namespace');
  t.equal(namespace.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
});

t.test('selectors find what they are meant for', async (t) => {
  for (const body of deployments) {
    const { name } = body.metadata;
    const labels = body.spec.template.metadata.labels;
    t.ok(fits(body.spec.selector, labels), name);
    const [service] = of('Service').filter(({ spec }) => fits({ matchLabels: spec.selector }, labels));
    matchWhole(t, service, { metadata: { name }, spec: { ports: [{ name: 'http', targetPort: 'http' }] } });
    const budgets = of('PodDisruptionBudget').filter(({ spec }) => fits(spec.selector, labels));
    t.equal(budgets.length, 1, `${name}: one disruption budget`);
    const { minAvailable, maxUnavailable } = budgets[0].spec;
    const scaler = of('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === name);
    const least = body.spec.replicas ?? scaler?.spec.minReplicas;
    t.ok(maxUnavailable === 1 || least > minAvailable, `${name}: a node can be drained`);
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
  for (const [name, metric] of scaled) {
    const { spec } = deployments.find(({ metadata }) => metadata.name === name);
    if (metric === 'Resource') t.notOk('replicas' in spec, `${name}: an apply does not undo the autoscaler`);
  }
  const [patch] = kustomization(join(K8S, 'components/monitoring')).patches;
  t.match(patch, { target: { kind: 'Deployment', name: 'chain-verifier' } });
  t.strictSame(JSON.parse(patch.patch), [{ op: 'remove', path: '/spec/replicas' }]);
  const verifier = of('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === 'chain-verifier');
  const { partitions } = CLUSTER_TOPICS.find(({ name }) => name.includes('file-events'));
  t.equal(verifier.spec.maxReplicas * MEMBERS_ALONE, partitions, 'as many members as partitions');
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
  for (const caller of [...SERVICES, 'web'])
    t.notOk(allows(policies, 'ingress', 'chain-verifier', caller), `${caller} does not call the verifier`);
  const stores = policies.find(({ metadata }) => metadata.name === 'services-to-stores');
  for (const name of [...SERVICES, 'topics'])
    t.ok(fits(stores.spec.podSelector, { 'app.kubernetes.io/name': name }), name);
  t.notOk(
    fits(stores.spec.podSelector, { 'app.kubernetes.io/name': 'web' }),
    'the web server reaches no store',
  );
  const names = policies.find(({ metadata }) => metadata.name === 'names');
  t.match(names.spec.egress[0].to[1], { ipBlock: { cidr: '169.254.20.10/32' } }, 'NodeLocal DNSCache');
  const challenges = policies.find(({ metadata }) => metadata.name === 'certificate-challenges');
  t.ok(fits(challenges.spec.podSelector, { 'acme.cert-manager.io/http01-solver': 'true' }));
  t.strictSame(
    challenges.spec.ingress[0].from,
    policies.find(({ metadata }) => metadata.name === 'web').spec.ingress[0].from,
    'challenges come the way that people come',
  );
  const outside = (name) =>
    policies
      .filter(({ spec }) => fits(spec.podSelector, { 'app.kubernetes.io/name': name }))
      .flatMap(({ spec }) => spec.egress ?? [])
      .filter(({ to }) => to?.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'))
      .flatMap(({ ports }) => ports.map(({ port }) => port))
      .sort();
  t.strictSame(outside('query'), [443, 465, 587], 'webhooks, mail');
  t.strictSame(outside('anchoring'), [443], 'the ledger');
  for (const name of ['web', 'ingestion', 'chain-verifier', 'topics'])
    t.strictSame(outside(name), [], `${name} calls nobody outside`);
  const operators = policies.find(({ metadata }) => metadata.name === 'operator-to-stores');
  t.strictSame(operators.spec.egress, stores.spec.egress, 'the operator reaches what the services reach');
  for (const { spec } of of('CronJob'))
    t.ok(fits(operators.spec.podSelector, spec.jobTemplate.spec.template.metadata.labels));
  const brokerPorts = configMap()
    .SENTINEL_KAFKA_BROKERS.split(',')
    .map((one) => Number(one.split(':')[1]));
  t.strictSame([...new Set(brokerPorts)], [stores.spec.egress[0].ports[0].port]);
});

t.test('the operator has a place of its own, with room for a backup', async (t) => {
  const [operator] = of('Deployment').filter(isOperator);
  t.equal(operator.spec.replicas, 0, 'nothing runs until somebody needs it');
  const claims = of('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
  const commands = of('CronJob').map((body) => ({ pod: podOf(body), spec: body.spec }));
  const ran = commands.map(({ pod }) => pod.containers[0].args[1]);
  t.strictSame(ran.sort(), ['audit', 'backup']);
  for (const pod of [podOf(operator), commands.find(({ pod }) => pod.containers[0].name === 'backup').pod]) {
    const { volumeMounts, args } = pod.containers[0];
    const { name } = volumeMounts.find(({ mountPath }) => mountPath === '/backups');
    const { persistentVolumeClaim } = pod.volumes.find((volume) => volume.name === name);
    t.ok(claims.includes(persistentVolumeClaim.claimName));
    if (args[1] === 'backup') t.match(args[2], /^\/backups\/\$\(POD_NAME\)$/, 'a new folder each time');
  }
  for (const { pod, spec } of commands) {
    t.match(spec, { concurrencyPolicy: 'Forbid' });
    t.equal(pod.restartPolicy, 'Never', 'a second try is another pod');
  }
});

t.test('the ingress lets streams live and bulk bodies through', async (t) => {
  const [{ metadata, spec }] = of('Ingress');
  const annotation = (name) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
  t.equal(annotation('proxy-buffering'), 'off');
  t.ok(Number(annotation('proxy-read-timeout')) >= 3_600);
  t.ok(Number.parseInt(annotation('proxy-body-size'), 10) >= 16);
  const { host } = new URL(configMap().SENTINEL_PUBLIC_URL);
  t.strictSame(
    spec.tls.flatMap(({ hosts }) => hosts),
    [host],
    'TLS for the address in links',
  );
  t.strictSame(spec.rules, [
    {
      host,
      http: {
        paths: [
          { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } },
        ],
      },
    },
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
