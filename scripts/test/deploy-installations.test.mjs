// Two installations that one Prometheus watches: what is well in one must not hide what is wrong in the other.
import t from 'tap';
import { parser } from '@prometheus-io/lezer-promql';
import { firing } from './deploy-promql.mjs';
import { K8S, manifests, SERVICES } from './deploy-support.mjs';

const [rules] = manifests(`${K8S}/components/monitoring`).filter(
  ({ body }) => body.kind === 'PrometheusRule',
);
const alerts = rules.body.spec.groups.flatMap((group) => group.rules);
const alertOf = (name) => alerts.find(({ alert }) => alert === name);

/** `absent()` of everything that any installation gives: it only adds to the parts that name an installation. */
const OF_NOTHING = 'absent(sentinel_ready)';

t.test('every rule tells of one installation', (t) => {
  for (const { alert, expr } of alerts) t.strictSame(unscoped(expr), [], alert);
  t.equal(alerts.filter(({ expr }) => expr.includes(OF_NOTHING)).length, 1);
  t.strictSame(unscoped('sum(rate(a[5m])) / sum by (namespace) (b)'), ['sum(rate(a[5m]))']);
  t.strictSame(unscoped('absent(a{service="query"})'), ['absent(a{service="query"})']);
  t.strictSame(unscoped('a and on (pod) b'), ['on (pod)']);
  t.end();
});

/** Minutes of a day; a time of the samples far enough from the Unix epoch. */
const DAY = 1_440;
const NOW = 100 * DAY;
const SECONDS_NOW = NOW * 60;
const HOUR = 3_600;
const GROWS = (at) => 100 * at;
const READY = { 'sentinel_ready{service="query"}': [1, 1] };
const reports = (code) => ({ [`sentinel_ingestion_reports_total{code="${code}"}`]: [GROWS, 3] });
const lag = (group) => ({ [`sentinel_consumer_lag_records{group="${group}"}`]: [100_001, 0] });
const alarms = (reason) => ({ [`sentinel_anchoring_alarms_total{reason="${reason}"}`]: [GROWS, 0] });
const calls = (status) => `sentinel_http_request_duration_seconds_count{service="query",status="${status}"}`;
const appends = (most) => `sentinel_ingestion_append_seconds_bucket{le="${most}"}`;
const created = (job) => `kube_cronjob_created{cronjob="${job}"}`;
const volume = (name, what) => `kubelet_volume_stats_${what}_bytes{namespace="${name}"}`;

/** For each rule the series of an installation where it fires, and of one where all is well: { selector: [ill, well] }. */
const CASES = {
  SentinelNotReady: { 'sentinel_ready{service="query"}': [0, 1] },
  SentinelInstanceNotReady: { 'sentinel_ready{service="query",instance="a"}': [0, 1] },
  SentinelServiceMissing: Object.fromEntries(
    SERVICES.map((service) => [
      `sentinel_ready{service="${service}"}`,
      [service === 'query' ? undefined : 1, 1],
    ]),
  ),
  SentinelWebMissing: {
    ...READY,
    'kube_deployment_status_replicas_available{deployment="web"}': [0, 1],
  },
  SentinelVerifierLag: lag('chain-verifier'),
  SentinelProjectorLag: lag('query-projector'),
  SentinelConsumerHeld: { 'sentinel_verifier_held_seconds{service="chain-verifier"}': [301, 0] },
  SentinelTopicsUnsafe: { 'sentinel_topics_unsafe{problem="records_gone"}': [1, 0] },
  SentinelNotifierLag: lag('query-notifier'),
  SentinelMailLate: {
    'sentinel_query_mail_waiting_seconds{}': [0, 0],
    'sentinel_query_mail_deferred_seconds{}': [901, 0],
    'sentinel_query_mails_taken_total{}': [3, GROWS],
  },
  SentinelMailsGivenUp: { 'sentinel_query_mails_given_up_total{why="REFUSED"}': [GROWS, 3] },
  SentinelSyslogLate: { 'sentinel_query_syslog_waiting_seconds{}': [901, 0] },
  SentinelRestarting: {
    'process_start_time_seconds{job="sentinel-node",service="query"}': [(at) => 60 * at, 1],
  },
  SentinelInstanceUnheard: { 'up{job="sentinel-node",service="query"}': [0, 1] },
  SentinelParkedFiles: { 'sentinel_verifier_parked_files{}': [1, 0] },
  SentinelRegistryUnheard: { 'sentinel_ingestion_registry_unproven_seconds{}': [31, 0] },
  SentinelNotDurable: reports('NOT_DURABLE'),
  SentinelOverloaded: reports('OVERLOADED'),
  SentinelServerErrors: {
    [calls('5xx')]: [(at) => at, 0],
    [calls('2xx')]: [(at) => 10 * at, (at) => 10_000 * at],
  },
  SentinelSlowAppends: {
    [appends('2.5')]: [0, (at) => 10_000 * at],
    [appends('5')]: [GROWS, (at) => 10_000 * at],
    [appends('+Inf')]: [GROWS, (at) => 10_000 * at],
  },
  SentinelOutboxBacklog: { 'sentinel_registry_commits_delayed_total{}': [GROWS, 3] },
  SentinelMongoFailures: { 'sentinel_mongodb_call_failures_total{code="UNAVAILABLE"}': [GROWS, 3] },
  SentinelAnchoringRefused: { 'sentinel_anchoring_refused{}': [1, 0] },
  SentinelAnchoringRefusedEarlier: { 'sentinel_anchoring_refused_earlier{}': [1, 0] },
  SentinelLogContradicted: { 'sentinel_anchoring_contradicted_batch{}': [7, -1] },
  SentinelBlocksReorganised: alarms('reorganised'),
  SentinelAnchoringFunds: alarms('no_funds'),
  SentinelAnchoringFundsLow: { 'sentinel_anchoring_funds_days{}': [3, 200] },
  SentinelAnchoringConsolidation: alarms('consolidation'),
  SentinelLedgerAnswers: { 'sentinel_anchoring_ledger_alarms_total{reason="code"}': [GROWS, 0] },
  SentinelLedgerUnavailable: alarms('unavailable'),
  SentinelBlockHeadersRefused: { 'sentinel_block_headers_alarms_total{reason="refused"}': [GROWS, 0] },
  SentinelBlockHeadersLate: { 'sentinel_block_headers_age_seconds{}': [4 * HOUR, 60] },
  SentinelWitnessContradicts: {
    'sentinel_anchoring_witness_offers_total{witness="w",outcome="ahead"}': [GROWS, 0],
  },
  SentinelWitnessBehind: { 'sentinel_anchoring_witness_behind_seconds{witness="w"}': [2 * HOUR, 0] },
  SentinelAnchoringLate: {
    'sentinel_anchoring_waiting_leaves{}': [5, 0],
    'sentinel_anchoring_batches_total{}': [3, GROWS],
  },
  SentinelAnchorsUnmined: { 'sentinel_anchoring_unmined_seconds{}': [4 * HOUR, 0] },
  SentinelWebhookNoticesLeftOut: {
    'sentinel_query_webhook_undelivered_total{reason="no_room"}': [GROWS, 0],
  },
  SentinelWebhooksFail: {
    'sentinel_query_webhook_attempts_total{result="failed"}': [GROWS, 3],
    'sentinel_query_webhook_attempts_total{result="delivered"}': [3, GROWS],
  },
  // Kafka and MongoDB have namespaces of their own, which installations may share.
  SentinelDiskFilling: {
    [volume('kafka', 'available')]: [14, 14],
    [volume('kafka', 'capacity')]: [100, 100],
  },
  SentinelDiskUnknown: { [volume('kafka', 'available')]: [90, 90] },
  SentinelCertificateExpires: {
    'sentinel_tls_certificate_expires_seconds{service="query"}': [
      SECONDS_NOW + 24 * HOUR,
      SECONDS_NOW + 90 * 24 * HOUR,
    ],
  },
  SentinelOperatorJobFailed: { ...READY, 'kube_job_failed{condition="true",job_name="audit-1"}': [1, 0] },
  SentinelBackupOld: { ...READY, [created('backup')]: [1, SECONDS_NOW] },
  SentinelAuditOld: { ...READY, [created('audit')]: [1, SECONDS_NOW] },
  SentinelOperatorJobUnknown: { ...READY, [created('backup')]: [undefined, 1], [created('audit')]: [1, 1] },
};
const OF_STORES = new Set(['SentinelDiskFilling', 'SentinelDiskUnknown']);

/** The series of one installation. @param at 0: ill, 1: well */
const seriesOf = (namespace, series, at) =>
  Object.fromEntries(
    Object.entries(series).map(([selector, values]) => [
      selector.includes('namespace=')
        ? selector
        : selector.replace(/\{(?=(.))/, (_, next) => `{namespace="${namespace}"${next === '}' ? '' : ','}`),
      values[at],
    ]),
  );

t.test('no rule is silenced by another installation where all is well', (t) => {
  t.strictSame(
    Object.keys(CASES),
    alerts.map(({ alert }) => alert),
    'every rule has its case',
  );
  for (const rule of alerts) {
    const { alert } = rule;
    const [ill, well] = [seriesOf('ours', CASES[alert], 0), seriesOf('theirs', CASES[alert], 1)];
    const told = firing(rule, { ...ill, ...well }, NOW);
    t.ok(told.length > 0, `${alert} fires`);
    if (OF_STORES.has(alert)) continue;
    t.strictSame(firing(rule, well, NOW), [], `${alert}: theirs is well`);
    for (const { namespace } of told) t.equal(namespace, 'ours', `${alert}: says where`);
  }
  t.end();
});

t.test('a service that nothing is heard of is told, and an installation of which nothing is', (t) => {
  const rule = alertOf('SentinelServiceMissing');
  const readyOf = (namespace, service) => `sentinel_ready{namespace="${namespace}",service="${service}"}`;
  const all = (namespace, value) =>
    Object.fromEntries(SERVICES.map((service) => [readyOf(namespace, service), value]));
  const ended = (at) => (at < NOW - 60 ? 1 : undefined);
  for (const service of SERVICES)
    for (const gone of [undefined, ended]) {
      const series = { ...all('theirs', 1), ...all('ours', 1), [readyOf('ours', service)]: gone };
      t.strictSame(firing(rule, series, NOW), [{ namespace: 'ours', service }], service);
    }
  const services = (told) => told.map(({ namespace, service }) => `${namespace} ${service}`).sort();
  const silent = firing(rule, { ...all('theirs', 1), ...all('ours', ended) }, NOW);
  t.strictSame(services(silent), SERVICES.map((service) => `ours ${service}`).sort(), 'the whole of ours');
  t.strictSame(firing(rule, { ...all('theirs', 1), ...all('ours', 1) }, NOW), []);
  t.strictSame(firing(rule, {}, NOW), [{}], 'Prometheus never heard of any');
  t.match(rule.annotations.summary, '{{ or $labels.service "any service" }}');
  t.end();
});

/** The parts of an expression that join all installations: aggregates and matches without the namespace, `absent()` of it. */
function unscoped(expr) {
  const found = [];
  const names = (node) =>
    (node?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map(({ from, to }) =>
      expr.slice(from, to),
    );
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expr.slice(from, to);
      const modifier = node.getChild('AggregateModifier');
      const isBy = modifier?.getChild('By') && names(modifier).includes('namespace');
      const isAbsent = type.name === 'FunctionCall' && text.startsWith('absent');
      if (type.name === 'AggregateExpr' && !isBy) found.push(text);
      if (isAbsent && text !== OF_NOTHING && !/\bnamespace="/.test(text)) found.push(text);
      if (type.name === 'MatchingModifierClause' && !names(node).includes('namespace')) found.push(text);
    },
  });
  return found;
}
