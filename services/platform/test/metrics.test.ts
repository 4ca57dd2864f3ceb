import t from 'tap';
import { createMetrics } from '../src/index.ts';

t.test('counters, gauges and histograms appear under their service', async (t) => {
  const metrics = createMetrics('test', { processMetrics: false });
  const reports = metrics.counter<'outcome'>({
    name: 'reports_total',
    help: 'Reports',
    labels: { outcome: ['accepted', 'refused'] },
  });
  reports({ outcome: 'accepted' }, 3);
  reports({ outcome: 'refused' });
  metrics.gauge({ name: 'queue_records', help: 'Queue' })({}, 7);
  metrics.histogram({ name: 'wait_seconds', help: 'Wait', buckets: [1, 2] })({}, 1.5);
  metrics.observedGauge({ name: 'lag_records', help: 'Lag' }, () => 11);
  const text = await metrics.text();
  t.match(text, 'sentinel_reports_total{outcome="accepted",service="test"} 3');
  t.match(text, 'sentinel_queue_records{service="test"} 7');
  t.match(text, 'sentinel_wait_seconds_bucket{le="2",service="test"} 1');
  t.match(text, 'sentinel_lag_records{service="test"} 11');
  t.match(metrics.contentType, /^text\/plain/);
});

t.test('what may be counted is there before it happens, so that an alert sees the first time', async (t) => {
  const metrics = createMetrics('test', { processMetrics: false });
  const count = metrics.counter<'reason' | 'kind'>({
    name: 'alarms_total',
    help: 'Alarms',
    labels: { reason: ['rejected', 'no_funds'], kind: ['a', 'b'] },
  });
  metrics.counter({ name: 'beats_total', help: 'Beats' });
  metrics.counter<'route'>({ name: 'open_total', help: 'Values not known', labels: { route: 3 } });
  const before = await metrics.text();
  for (const reason of ['rejected', 'no_funds'])
    for (const kind of ['a', 'b'])
      t.match(before, `sentinel_alarms_total{reason="${reason}",kind="${kind}",service="test"} 0`);
  t.match(before, 'sentinel_beats_total{service="test"} 0');
  t.notMatch(before, /sentinel_open_total\{/);
  count({ reason: 'rejected', kind: 'b' });
  const after = await metrics.text();
  t.match(after, 'sentinel_alarms_total{reason="rejected",kind="b",service="test"} 1');
  t.match(after, 'sentinel_alarms_total{reason="rejected",kind="a",service="test"} 0');
});

t.test('no caller makes more series than declared', async (t) => {
  const metrics = createMetrics('test', { processMetrics: false });
  const count = metrics.counter<'kind' | 'route'>({
    name: 'calls_total',
    help: 'Calls',
    labels: { kind: ['known'], route: 2 },
  });
  for (let i = 0; i < 100; i++) count({ kind: `made-up-${i}`, route: `/r${i}` });
  const series = (await metrics.text()).split('\n').filter((line) => line.startsWith('sentinel_calls_total'));
  t.equal(series.length, 3);
  t.ok(series.every((line) => line.includes('kind="other"')));
});

t.test('a list of the largest shows as many as it says, and only those of now', async (t) => {
  const metrics = createMetrics('test', { processMetrics: false });
  let held: [string, number][] = [
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ];
  metrics.observedTop({ name: 'held_most', help: 'Held', labels: { owner: 2 } }, () => held);
  const series = async () =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('sentinel_held_most'));
  t.same(await series(), [
    'sentinel_held_most{owner="a",service="test"} 3',
    'sentinel_held_most{owner="b",service="test"} 2',
  ]);
  held = [['c', 1]];
  t.same(await series(), ['sentinel_held_most{owner="c",service="test"} 1']);
});

t.test('two registries do not touch', async (t) => {
  createMetrics('a').gauge({ name: 'g', help: 'g' })({}, 1);
  t.notMatch(await createMetrics('b').text(), /sentinel_g/);
});
