import t from 'tap';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { metricNames } from './deploy-names.mjs';
import { firing } from './deploy-promql.mjs';
import { allManifests, K8S, manifests, podOf, PROBE_PATHS, read } from './deploy-support.mjs';

const MONITORING = `${K8S}/components/monitoring`;
const [rules] = manifests(MONITORING).filter(({ body }) => body.kind === 'PrometheusRule');
const alerts = rules.body.spec.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read(MONITORING, 'dashboard.json'));
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = [
  ...alerts.map(({ alert, expr }) => ({ from: alert, expr })),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ from: title, expr: withoutVariables(expr) })),
  ),
];
/** Metrics of others: the kubelet's, kube-state-metrics' and cert-manager's, from their documentation, and Prometheus' own. */
const FOREIGN = new Set([
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'kube_job_failed',
  'kube_pod_container_status_restarts_total',
  'kube_cronjob_created',
  'kube_deployment_status_replicas_available',
  'kube_cronjob_status_last_successful_time',
  'certmanager_certificate_expiration_timestamp_seconds',
  'up',
]);
const LABELS_OF_FOREIGN = ['persistentvolumeclaim', 'condition', 'job_name', 'cronjob', 'deployment', 'name'];
/** Labels that Prometheus, its adapters for Kubernetes, or the registry of every service add. */
const LABELS_OF_ALL = new Set([
  ...['service', 'job', 'instance', 'namespace', 'exported_namespace', 'pod', 'le'],
  ...LABELS_OF_FOREIGN,
]);

t.test('every query is one, and asks for metrics that exist', async (t) => {
  const { names, labels } = await metricNames();
  for (const { from, expr } of queries) {
    const found = partsOf(expr);
    t.strictSame(found.errors, [], `${from}: ${expr}`);
    t.ok(found.metrics.length > 0, `${from} asks for something`);
    for (const metric of found.metrics) t.ok(names.has(metric) || FOREIGN.has(metric), `${from}: ${metric}`);
    const known = new Set(found.metrics.flatMap((metric) => labels.get(metric) ?? []));
    for (const label of found.labels)
      t.ok(LABELS_OF_ALL.has(label) || known.has(label), `${from}: label ${label}`);
  }
  t.ok(partsOf('sum(rate(a[5m])').errors.length > 0, 'a slip of the hand is found');
});

t.test('values of labels are ones that the code gives', async (t) => {
  const { sources } = await metricNames();
  for (const { from, expr } of queries)
    for (const [, label, value] of expr.matchAll(/(group|code|reason|status|service)!?="([^"$|]+)"/g))
      t.ok(new RegExp(`'${value}'`).test(sources), `${from}: ${label}="${value}"`);
});

t.test('every alert says what it is, and the runbook what to do', async (t) => {
  const runbook = read('deploy/runbook.md');
  for (const { alert, labels, annotations } of alerts) {
    t.match(labels.severity, /^(critical|warning)$/, alert);
    t.match(annotations.summary, /^['{A-Z].*[.?]$/, alert);
    t.match(runbook, new RegExp(`^\\| \`${alert}\` \\|`, 'm'), `${alert} has a row in the runbook`);
  }
  for (const [, alert] of runbook.matchAll(/`(Sentinel[A-Z]\w+)`/g))
    t.ok(
      alerts.some((one) => one.alert === alert),
      `${alert} of the runbook exists`,
    );
  const { names } = await metricNames();
  for (const [, metric] of runbook.matchAll(/`(sentinel_[a-z_]+)/g))
    t.ok(names.has(metric) || names.has(`${metric}_count`), metric);
});

t.test('what an operator must hear of has an alert', async (t) => {
  const asked = new Set(alerts.flatMap(({ expr }) => partsOf(expr).metrics));
  const needed = [
    'sentinel_ready',
    'sentinel_consumer_lag_records',
    'sentinel_verifier_held_seconds',
    'sentinel_projector_held_seconds',
    'sentinel_notifier_held_seconds',
    'sentinel_consumer_unfetched_seconds',
    'sentinel_topics_unsafe',
    'sentinel_anchoring_waiting_leaves',
    'sentinel_anchoring_unread_seconds',
    'sentinel_anchoring_unanchored_seconds',
    'sentinel_anchoring_unmined_seconds',
    'sentinel_anchoring_contradicted_batch',
    'sentinel_anchoring_alarms_total',
    'sentinel_anchoring_refused',
    'sentinel_anchoring_refused_earlier',
    'process_start_time_seconds',
    'up',
    'sentinel_registry_commits_delayed_total',
    'sentinel_http_request_duration_seconds_count',
    'sentinel_ingestion_reports_total',
    'kubelet_volume_stats_available_bytes',
    'sentinel_tls_certificate_expires_seconds',
  ];
  for (const metric of needed) t.ok(asked.has(metric), metric);
});

t.test('a certificate is heard of two weeks before it expires, that of the ingress too', async (t) => {
  const { expr } = alerts.find(({ alert }) => alert === 'SentinelCertificateExpires');
  const sides = expr.split(' or ');
  for (const side of sides) t.match(side, /\) - time\(\) < 14 \* 86400$/);
  const [{ body: ingress }] = manifests(`${K8S}/overlays/example`).filter(
    ({ body }) => body.kind === 'Ingress',
  );
  t.ok('cert-manager.io/cluster-issuer' in ingress.metadata.annotations, 'cert-manager makes it');
  // The Certificate that cert-manager makes for an ingress is named like the secret.
  const names = sides.flatMap((side) => /certmanager_\w+\{name="([^"]+)"\}/.exec(side)?.[1] ?? []);
  t.strictSame(
    names,
    ingress.spec.tls.map(({ secretName }) => secretName),
  );
});

t.test('the rules ask for the job that the monitor gives', (t) => {
  const jobs = queries.flatMap(({ expr }) => [...expr.matchAll(/\bjob="([^"]+)"/g)].map(([, job]) => job));
  const { jobLabel } = manifests(MONITORING).find(({ body }) => body.kind === 'ServiceMonitor').body.spec;
  const { labels } = parse(read(K8S, 'base/kustomization.yaml'));
  t.strictSame([...new Set(jobs)], [labels[0].pairs[jobLabel]]);
  t.end();
});

t.test('the dashboard is whole', async (t) => {
  const ids = dashboard.panels.map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length, 'ids are unique');
  for (const { title, gridPos, fieldConfig, targets } of panels) {
    t.ok(title && fieldConfig.defaults.unit, `${title}: unit`);
    t.ok(gridPos.x + gridPos.w <= 24, `${title}: fits the grid`);
    for (const { expr } of targets) t.match(expr, /namespace="\$namespace"/, `${title}: one namespace`);
  }
  const shown = new Set(
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => partsOf(withoutVariables(expr)).metrics)),
  );
  const { own } = await metricNames();
  for (const name of own)
    t.ok(
      [...shown].some((one) => one === name || one.startsWith(`${name}_`)),
      `${name} is on the dashboard`,
    );
});

t.test('Prometheus finds what is scaled and watched', async (t) => {
  const { names } = await metricNames();
  const of = (kind) => allManifests().find(({ body }) => body.kind === kind).body;
  const { endpoints } = of('ServiceMonitor').spec;
  t.equal(endpoints.length, 1);
  t.match(endpoints[0], { port: 'http', path: /^\/metrics$/ });
  const [{ external }] = allManifests().find(({ file }) => file === 'verifier-autoscaler.yaml').body.spec
    .metrics;
  t.ok(names.has(external.metric.name), external.metric.name);
});

const alertOf = (name) => {
  const rule = alerts.find(({ alert }) => alert === name);
  if (rule === undefined) throw new Error(`there is no rule ${name}`);
  return rule;
};
/** Minutes of a day; a time of the samples far enough from the Unix epoch. */
const DAY = 1_440;
const NOW = 100 * DAY;
const SECONDS_NOW = NOW * 60;
const OURS = { 'sentinel_ready{namespace="ours",service="query"}': 1 };

t.test('a job of the operator that does not succeed is told, whatever the cause', async (t) => {
  for (const [name, job, days, every] of [
    ['SentinelBackupOld', 'backup', 180_000 / 86_400, 1],
    ['SentinelAuditOld', 'audit', 9, 7],
  ]) {
    const rule = alertOf(name);
    const SUCCEEDED = `kube_cronjob_status_last_successful_time{namespace="ours",cronjob="${job}"}`;
    const CREATED = `kube_cronjob_created{namespace="ours",cronjob="${job}"}`;
    const ago = (days) => SECONDS_NOW - days * 86_400;
    const isTold = (series) => firing(rule, { ...OURS, ...series }, NOW).length > 0;
    t.ok(isTold({ [CREATED]: ago(99), [SUCCEEDED]: ago(days + 0.1) }), `${name}: long ago`);
    t.ok(isTold({ [CREATED]: ago(days + 0.1) }), `${name}: never`);
    t.notOk(isTold({ [CREATED]: ago(99), [SUCCEEDED]: ago(days - 0.1) }), `${name}: in time`);
    t.notOk(isTold({ [CREATED]: ago(days - 0.1) }), `${name}: not due yet`);
    t.notOk(isTold({ [CREATED.replace('ours', 'theirs')]: ago(99) }), `${name}: somebody else’s`);

    const { spec } = manifests(`${K8S}/components/operator`).find(({ file }) => file === `${job}.yaml`).body;
    const deadline = spec.jobTemplate.spec.activeDeadlineSeconds;
    t.ok(deadline > 0 && deadline < every * 86_400, `${job}: one that hangs fails before the next is due`);
    t.ok(deadline + every * 86_400 <= days * 86_400, `${name}: one that takes as long as it may is in time`);

    const unknown = alertOf('SentinelOperatorJobUnknown');
    const other = job === 'audit' ? 'backup' : 'audit';
    const others = { ...OURS, [`kube_cronjob_created{namespace="ours",cronjob="${other}"}`]: 1 };
    t.strictSame(firing(unknown, others, NOW), [{ namespace: 'ours' }], `${job} is not there`);
    t.strictSame(firing(unknown, { ...others, [CREATED]: 1 }, NOW), []);
    t.strictSame(firing(unknown, { ...others, [CREATED.replace('ours', 'theirs')]: 1 }, NOW), [
      { namespace: 'ours' },
    ]);
  }
});

t.test('a parked file is told until it is parked no longer', async (t) => {
  const rule = alertOf('SentinelParkedFiles');
  const OUTCOME = 'sentinel_verifier_parked_records_total{outcome="PARKED"}';
  const [FILES, OTHERS] = ['a', 'b'].map((name) => `sentinel_verifier_parked_files{instance="${name}"}`);
  const isTold = (series) => firing(rule, series, NOW).length > 0;
  t.ok(isTold({ [OUTCOME]: 1, [FILES]: 1, [OTHERS]: 0 }), 'no further record of it came');
  t.ok(
    isTold({ [OUTCOME]: (at) => Math.max(0, at - NOW + 3), [FILES]: 0 }),
    'one was parked and freed at once',
  );
  t.notOk(isTold({ [OUTCOME]: 1, [FILES]: 0, [OTHERS]: 0 }));
});

t.test('a console that nobody serves is told', async (t) => {
  const rule = alertOf('SentinelWebMissing');
  const AVAILABLE = 'kube_deployment_status_replicas_available{namespace="ours",deployment="web"}';
  const isTold = (series) => firing(rule, { ...OURS, ...series }, NOW).length > 0;
  t.ok(isTold({ [AVAILABLE]: 0 }));
  t.notOk(isTold({ [AVAILABLE]: (at) => (at > NOW - 2 ? 0 : 1) }), 'a moment of an update');
  t.notOk(isTold({ [AVAILABLE]: 1 }));
  t.notOk(isTold({ [AVAILABLE]: 1, [AVAILABLE.replace('ours', 'theirs')]: 0 }), 'somebody else’s');
  const others = { [AVAILABLE.replace('ours', 'theirs')]: 1 };
  t.ok(isTold(others), 'nothing is heard of it');
  const named = /deployment="(\w+)"/.exec(rule.expr)[1];
  const deployments = manifests(`${K8S}/base`).filter(({ body }) => body.kind === 'Deployment');
  t.ok(
    deployments.some(({ body }) => body.metadata.name === named),
    named,
  );
});

t.test('answers to probes do not hide errors of callers, and are none', async (t) => {
  const rule = alertOf('SentinelServerErrors');
  const count = (route, status, aMinute) => ({
    [`sentinel_http_request_duration_seconds_count{service="query",route="${route}",status="${status}"}`]: (
      at,
    ) => at * aMinute,
  });
  const PROBES = { ...count('/healthz', '2xx', 30), ...count('/metrics', '2xx', 4) };
  const isTold = (...series) => firing(rule, Object.assign({}, ...series), NOW).length > 0;
  t.ok(
    isTold(PROBES, count('/api/v1/login', '2xx', 5), count('/api/v1/login', '5xx', 0.5)),
    'one of ten fails',
  );
  t.notOk(isTold(PROBES, count('/readyz', '5xx', 12), count('/api/v1/login', '2xx', 5)), 'only not ready');
  t.notOk(isTold(PROBES, count('/api/v1/login', '2xx', 500), count('/api/v1/login', '5xx', 0.5)));
  const named = /route!~"([^"]+)"/.exec(rule.expr)?.[1].split('|');
  t.strictSame(named?.sort(), [...PROBE_PATHS].sort());
  const [panel] = panels.filter(({ title }) => title === 'Errors');
  for (const expr of [rule.expr, panel.targets[0].expr])
    t.equal(expr.match(/_count\{/g)?.length, expr.match(/route!~/g)?.length, 'in every sum');
});

t.test('a mail server that takes nothing is told, and mails that are given up', async (t) => {
  const late = alertOf('SentinelMailLate');
  const waiting = (seconds) => ({ 'sentinel_query_mail_waiting_seconds{instance="a"}': seconds });
  t.ok(firing(late, waiting(901), NOW).length > 0);
  t.notOk(firing(late, waiting(899), NOW).length > 0);
  const deferred = { 'sentinel_query_mail_deferred_seconds{instance="a"}': 901, ...waiting(0) };
  const TAKEN = 'sentinel_query_mails_taken_total{instance="a"}';
  const others = (at) => (at > NOW - 30 ? 4 : 3);
  t.notOk(firing(late, { ...deferred, [TAKEN]: others }, NOW).length > 0, 'one mailbox, all other mail goes');
  t.ok(firing(late, { ...deferred, ...waiting(901), [TAKEN]: others }, NOW).length > 0, 'the server too');
  t.ok(firing(late, { ...deferred, [TAKEN]: 4 }, NOW).length > 0, 'perhaps every mailbox');
  t.ok(firing(late, deferred, NOW).length > 0, 'what is taken is not known');
  const lost = alertOf('SentinelMailsGivenUp');
  const given = (value) => ({ 'sentinel_query_mails_given_up_total{why="REFUSED"}': value });
  t.ok(
    firing(
      lost,
      given((at) => (at > NOW - 30 ? 4 : 3)),
      NOW,
    ).length > 0,
  );
  t.notOk(firing(lost, given(4), NOW).length > 0);
});

t.test('a consumer that stands still is told, whichever it is', async (t) => {
  const rule = alertOf('SentinelConsumerHeld');
  const held = (service, part, seconds) => ({
    [`sentinel_${part}_held_seconds{namespace="ours",service="${service}",instance="a"}`]: seconds,
  });
  const [VERIFIER, PROJECTOR, NOTIFIER] = [
    ['chain-verifier', 'verifier'],
    ['query', 'projector'],
    ['query', 'notifier'],
  ];
  for (const stuck of [VERIFIER, PROJECTOR, NOTIFIER]) {
    const [service] = stuck;
    const series = {
      ...held(...VERIFIER, 2),
      ...held(...PROJECTOR, 2),
      ...held(...NOTIFIER, 2),
      ...held(...stuck, 301),
    };
    t.strictSame(firing(rule, series, NOW), [{ namespace: 'ours', service }]);
  }
  t.strictSame(firing(rule, { ...held(...VERIFIER, 299), ...held(...PROJECTOR, 299) }, NOW), []);
  const other = {
    'sentinel_verifier_held_seconds{namespace="ours",service="chain-verifier",instance="b"}': 0,
  };
  t.ok(firing(rule, { ...held(...VERIFIER, 301), ...other }, NOW).length > 0, 'another that works');
  const unfetched = (seconds) => ({
    'sentinel_consumer_unfetched_seconds{namespace="ours",service="query",instance="a",group="query-projector"}':
      seconds,
    'sentinel_consumer_unfetched_seconds{namespace="ours",service="query",instance="a",group="query-notifier"}': 0,
  });
  t.strictSame(
    firing(rule, unfetched(301), NOW),
    [{ namespace: 'ours', service: 'query' }],
    'a consumer that fetches nothing',
  );
  t.strictSame(firing(rule, unfetched(299), NOW), []);
});

t.test('a process that ends again and again is told, and a long start is not', async (t) => {
  const rule = alertOf('SentinelRestarting');
  const unheard = alertOf('SentinelInstanceUnheard');
  const of = (name, more = '') => `${name}{namespace="ours",pod="query-1"${more}}`;
  const UP = of('up', ',job="sentinel-node",service="query"');
  const RESTARTS = of('kube_pod_container_status_restarts_total', ',container="query"');
  const since = (minutes, value) => (at) => (at < NOW - minutes ? undefined : value(at));
  const isTold = (rule, series) => firing(rule, series, NOW).length > 0;
  const every = (minutes) => (at) => Math.floor(at / minutes);
  const away = since(60, () => 0);
  for (const restarts of [0, since(3, () => 1)])
    t.notOk(isTold(rule, { [UP]: away, [RESTARTS]: restarts }), 'an index is made');
  t.notOk(isTold(unheard, { [UP]: away }), 'an index is made');
  t.ok(isTold(rule, { [UP]: away, [RESTARTS]: every(5) }), 'it ends before Prometheus comes');
  t.ok(
    isTold(rule, { [UP]: since(4, () => 0), [RESTARTS]: (at) => Math.max(0, at - NOW + 4) }),
    'it has just begun',
  );
  const others = RESTARTS.replace('query-1', 'query-2');
  t.notOk(isTold(rule, { [UP]: away, [RESTARTS]: 0, [others]: every(5) }), 'a pod that nobody asks');
  const STARTED = of('process_start_time_seconds', ',job="sentinel-node",service="query"');
  t.ok(isTold(rule, { [UP]: 1, [STARTED]: every(4) }), 'Prometheus sees each start');
  t.notOk(isTold(rule, { [UP]: 1, [STARTED]: every(10), [RESTARTS]: every(10) }), 'now and then');
  t.ok(isTold(unheard, { [UP]: since(120, () => 0) }), 'longer than any start');
  const starts = manifests(`${K8S}/base`).flatMap(
    ({ body }) => podOf({ spec: {}, ...body })?.containers ?? [],
  );
  for (const { startupProbe } of starts.filter((one) => one.startupProbe !== undefined))
    t.ok(startupProbe.periodSeconds * startupProbe.failureThreshold < 60 * Number.parseInt(unheard.for, 10));
});

t.test('webhooks that nobody answers are told before notices are left out', async (t) => {
  const rule = alertOf('SentinelWebhooksFail');
  const isTold = (failed, delivered) =>
    firing(
      rule,
      {
        'sentinel_query_webhook_attempts_total{result="failed",instance="a"}': failed,
        'sentinel_query_webhook_attempts_total{result="delivered",instance="b"}': delivered,
      },
      NOW,
    ).length > 0;
  const once = (minutesAgo) => (at) => (at > NOW - minutesAgo ? 4 : 3);
  const every = (minutes) => (at) => Math.floor(at / minutes);
  t.ok(isTold(every(10), 3), 'nothing is taken');
  t.ok(isTold(every(10), once(76)), 'for an hour');
  t.ok(isTold(every(6 * 60), 3), 'tries are rare after a while');
  t.notOk(isTold(every(10), every(20)), 'one receiver of several');
  t.notOk(isTold(once(30), once(29)), 'the second try was taken');
  t.notOk(isTold(once(120), once(119)), 'and nothing was to be sent since');
  t.notOk(isTold(3, 3), 'nothing was to be sent');
  t.notOk(isTold(once(1), 3), 'the first try of a notice');
});

t.test('volumes that the rules do not see are told', async (t) => {
  const unknown = alertOf('SentinelDiskUnknown');
  const full = alertOf('SentinelDiskFilling');
  const volume = (name, what) => `kubelet_volume_stats_${what}_bytes{namespace="${name}"}`;
  const STORES = ['kafka', 'mongodb'];
  const both = Object.fromEntries(STORES.map((name) => [volume(name, 'available'), 14]));
  t.strictSame(firing(unknown, both, NOW), []);
  for (const name of STORES) {
    const { [volume(name, 'available')]: _, ...others } = both;
    const elsewhere = { ...others, [volume('elsewhere', 'available')]: 14 };
    t.strictSame(firing(unknown, elsewhere, NOW), [{ namespace: name }], `${name} is elsewhere`);
    t.strictSame(firing(full, { ...both, [volume(name, 'capacity')]: 100 }, NOW), [{ namespace: name }]);
  }
  const namesIn = (text, pattern) => [
    ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name.split('|'))),
  ];
  // Whoever has the stores elsewhere changes each of these files.
  for (const path of ['base/network-policies.yaml', 'components/operator/operator.yaml'])
    for (const name of STORES)
      t.ok(
        namesIn(read(K8S, path), /kubernetes\.io\/metadata\.name: (\S+) /g).includes(name),
        `${path}: ${name}`,
      );
  for (const { expr } of [full, unknown]) t.strictSame(namesIn(expr, /namespace=~?"([^"]+)"/g), STORES);
  const [, step] = /^1\. Install Kafka([^]*?)^2\. /m.exec(read('deploy/runbook.md'));
  for (const path of [
    'base/network-policies.yaml',
    'components/operator/operator.yaml',
    'components/monitoring/alert-rules.yaml',
  ])
    t.ok(step.includes(`\`${path}\``), path);
});

t.test('an anchor that no block takes is told after three hours', async (t) => {
  const rule = alertOf('SentinelAnchorsUnmined');
  const isTold = (seconds) =>
    firing(rule, { 'sentinel_anchoring_unmined_seconds{instance="a"}': seconds }, NOW).length > 0;
  t.ok(isTold(3 * 3_600 + 1));
  t.notOk(isTold(3 * 3_600 - 1), 'slow blocks');
  t.notOk(
    isTold((at) => (at > NOW - 3 ? 4 * 3_600 : 0)),
    'the first look after an outage',
  );
});

t.test('block headers that never came are told', async (t) => {
  const rule = alertOf('SentinelBlockHeadersLate');
  const [AGE, OTHER] = ['anchoring', 'query'].map(
    (name) => `sentinel_block_headers_age_seconds{service="${name}"}`,
  );
  const isTold = (series) => firing(rule, series, NOW).length > 0;
  t.ok(isTold({ [AGE]: -1 }), 'none is known');
  t.ok(isTold({ [AGE]: -1, [OTHER]: 60 }), 'one part has none');
  t.ok(isTold({ [AGE]: 3 * 3_600 + 1 }));
  t.ok(isTold({ [AGE]: 3 * 3_600 + 1, [OTHER]: -1 }));
  t.notOk(isTold({ [AGE]: 3 * 3_600 - 1 }));
  t.notOk(isTold({ [AGE]: (at) => (at > NOW - 10 ? -1 : 60) }), 'a start');
});

/** Names of metrics and labels in an expression, and its syntax errors, by Prometheus' own grammar of PromQL. */
function partsOf(expr) {
  const parts = { metrics: [], labels: [], errors: [] };
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expr.slice(from, to);
      if (type.isError) parts.errors.push(`at ${from}: ${text || 'something is missing'}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') parts.metrics.push(text);
      if (type.name === 'LabelName') parts.labels.push(text);
    },
  });
  return parts;
}

function withoutVariables(expr) {
  return expr.replaceAll('$namespace', 'sentinel-node');
}
