/** Tests `sentinel simulate`, as a process and by its parts, against a recording server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import type { AgentConfiguration, BulkLine } from '@sentinel-node/contracts';
import { AgentClock } from '../src/clock.ts';
import { Latencies } from '../src/simulate/latencies.ts';
import { shortfalls } from '../src/simulate/print.ts';
import { outagesOf } from '../src/simulate/run-plan.ts';
import { nextVersion, SimulatedFile } from '../src/simulate/simulated-file.ts';
import { Tally } from '../src/simulate/tally.ts';
import { Simulation, type SimulationResult } from '../src/simulate/simulation.ts';
import { DEADLINE_MS, FILE_MS, sentinel, setUp, until } from './operate-stage.ts';

t.setTimeout(FILE_MS);

async function withDevices(t: Test, count: number) {
  const set = await setUp(t);
  const configurations: AgentConfiguration[] = [];
  for (let device = 0; device < count; device += 1) {
    const configuration = set.configuration(device, ['a.log', 'b.log']);
    configurations.push(configuration);
    await set.put(`${device}.json`, configuration);
  }
  const run = (...args: string[]) =>
    sentinel(t, ['--config', set.configurations, ...args], {}, 'simulate').ended;
  return { ...set, all: configurations, run };
}

/** Returns whether each report continues from the version before, and sequences rise without repetition. */
function isChain(reports: readonly BulkLine[]): boolean {
  return reports.every(({ change, sequence, versions }, at) => {
    const before = reports[at - 1];
    if (before === undefined) return change === 'FIRST';
    const follows = nextVersion(reports[0]!.fileId, before.versions.at(-1)!);
    return (
      change === 'REPLACED' &&
      sequence > before.sequence &&
      versions[0]?.hash === before.versions.at(-1)?.hash &&
      versions.at(-1)?.hash === follows.hash
    );
  });
}

t.test('reports are made at the rate, sent, and every file is one chain', async (t) => {
  const { run, server } = await withDevices(t, 3);
  const { code, stdout, stderr } = await run(
    ...['--agents', '2', '--rate', '40', '--seconds', '2', '--outage-every', '2', '--json'],
  );
  t.equal(code, 0, stderr);
  const result = JSON.parse(stdout) as SimulationResult;
  t.match(result, { agents: 2, ready: 2, made: 80, accepted: 80, refused: 0, lost: 0, skipped: 0 });
  t.ok(result.causes['SIMULATED_OUTAGE'], 'the outage was met');
  t.ok(result.calls.single > 0 && result.calls.bulk > 0);
  t.ok(server.calls.some(({ what }) => what === 'bulk'));
  t.equal(new Set(server.reports.map(({ fileId }) => fileId)).size, 4, 'two files of each');
  for (const fileId of new Set(server.reports.map((report) => report.fileId)))
    t.ok(isChain(server.reports.filter((report) => report.fileId === fileId)), fileId);
  t.ok(server.heartbeats.length >= 2, 'each agent sent a heartbeat');
  t.ok(server.heartbeats.every(({ files }) => files.length === 2));
  t.ok((result.callMs.max ?? 0) > 0 && (result.acceptedMs.p99 ?? 0) > 0);
});

t.test('what is refused for good, and who is never answered, are failures', async (t) => {
  const { run, server } = await withDevices(t, 1);
  const args = ['--agents', '1', '--rate', '10', '--seconds', '1', '--drain', '1'];
  server.judge = () => 'VALIDATION_FAILED';
  const refused = await run(...args);
  t.equal(refused.code, 4);
  t.match(refused.stdout, /^refused {5}[1-9]/m);
  t.match(refused.stdout, /^failure {5}\d+ times VALIDATION_FAILED$/m);
  server.judge = () => 'MONITORING_DISABLED';
  const waiting = await run(...args);
  t.equal(waiting.code, 5, 'kept, and never taken');
  t.match(waiting.stdout, /^lost {8}10$/m);
});

t.test('less than planned is no success, and a line says why', async (t) => {
  const { run, server, all, put } = await withDevices(t, 1);
  const full = ['--agents', '1', '--rate', '10', '--seconds', '1'];
  const [gone] = all[0]!.files;
  server.goneFiles.add(gone!.id);
  const unknown = await run(...full);
  t.equal(unknown.code, 6, unknown.stdout);
  t.match(unknown.stdout, /^accepted {4}10,/m, 'the other file made all versions');
  t.equal(
    unknown.stderr,
    `sentinel simulate: the server does not have 1 files, which made no version (download the configurations again): ${gone!.id}\n`,
  );
  await put('0.json', { ...all[0]!, files: [] });
  const none = await run(...full);
  t.equal(none.code, 6);
  t.equal(none.stderr, 'sentinel simulate: 0 of 10 planned versions were made\n');
});

t.test('reports that were skipped are no success', async (t) => {
  const { all } = await withDevices(t, 1);
  const simulation = await Simulation.start(all);
  t.teardown(() => simulation.stop());
  await simulation.ready(DEADLINE_MS);
  const result = { ...simulation.result(), planned: 20, plannedMade: 20 };
  t.same(shortfalls(result), []);
  t.same(shortfalls({ ...result, plannedMade: 19 }), ['19 of 20 planned versions were made']);
  t.same(shortfalls({ ...result, skipped: 1 }), ['1 reports were skipped, because too many waited']);
});

t.test('each SIGINT ends one wait', async (t) => {
  const { configurations, all, server } = await withDevices(t, 1);
  const start = () =>
    sentinel(
      t,
      ['--config', configurations, '--agents', '1', '--rate', '10', '--seconds', '60', '--drain', '3600'],
      {},
      'simulate',
    );
  server.down = true;
  const unanswered = start();
  await until('a call', () => server.calls.length > 0);
  unanswered.child.kill('SIGINT');
  const { code, stdout, stderr } = await unanswered.ended;
  t.equal(code, 4);
  t.match(stdout, /^agents {6}1, answered: 0$/m);
  t.match(
    stderr,
    `sentinel simulate: 1 of 1 agents had no answer when reports began, and made none: ${all[0]!.devId}\n`,
  );
  server.down = false;
  server.judge = () => 'MONITORING_DISABLED';
  const calls = server.calls.length;
  const waiting = start();
  const reports = () =>
    server.calls.slice(calls).filter(({ what }) => what !== 'health' && what !== 'config');
  await until('a report', () => reports().length > 0);
  waiting.child.kill('SIGINT');
  await until('the wait', () => waiting.said().includes('waits for kept reports'));
  waiting.child.kill('SIGINT');
  const ended = await waiting.ended;
  t.equal(ended.code, 5);
  t.match(ended.stdout, /^lost {8}[1-9]/m);
});

t.test('reports go on from what the server has on record', async (t) => {
  const { all, server } = await withDevices(t, 1);
  const [file] = all[0]!.files;
  const record = { lastSequence: 5, length: 10, hash: 'a'.repeat(64) };
  server.onRecord.set(file!.id, record);
  const simulation = await Simulation.start(all);
  t.teardown(() => simulation.stop());
  t.equal(await simulation.ready(DEADLINE_MS), true);
  simulation.make(1);
  t.equal(await simulation.drained(DEADLINE_MS), true);
  const { length, hash } = record;
  matchList(t, server.reports, [
    {
      change: 'REPLACED',
      configVersion: 1,
      versions: [{ length, hash }, nextVersion(file!.id, { length, hash })],
    },
  ]);
});

t.test('a file without a new version is reported each hour, as the agent does it', async (t) => {
  const HOUR_MS = 3_600_000;
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  const [file] = (await withDevices(t, 1)).all[0]!.files;
  const simulated = new SimulatedFile({
    file: file!,
    instanceId: 'one',
    clock: new AgentClock({ wallMs: () => nowMs, steadyMs: () => nowMs }),
    configVersion: () => 1,
    tally: new Tally(),
    room: { kept: 0, maxKept: 3 },
  });
  const changes = () => simulated.read(0, 9).map(({ report }) => report.change);
  t.equal(simulated.repeat(), false, 'not before the server has told its record');
  const nothing = { number: null, length: null, hash: null, linkHash: null };
  simulated.applyServerRecord({ ...nothing, id: file!.id, lastSequence: 0 });
  nowMs += HOUR_MS - 1;
  t.equal(simulated.repeat(), false);
  nowMs += 1;
  t.equal(simulated.repeat(), true);
  t.equal(simulated.repeat(), false);
  nowMs += HOUR_MS - 1;
  t.equal(simulated.change(), true);
  nowMs += HOUR_MS - 1;
  t.equal(simulated.repeat(), false, 'the last report is less than an hour ago');
  nowMs += 1;
  t.equal(simulated.repeat(), true);
  t.same(changes(), ['FIRST', 'REPLACED', 'UNCHANGED']);
  nowMs += HOUR_MS;
  t.equal(simulated.repeat(), false, 'no room');
});

t.test('Retry-After is waited for', async (t) => {
  const { all, server } = await withDevices(t, 1);
  const simulation = await Simulation.start(all);
  t.teardown(() => simulation.stop());
  await simulation.ready(DEADLINE_MS);
  server.down = true;
  server.retryAfter = '2';
  const before = server.calls.length;
  simulation.make(1);
  t.equal(await simulation.drained(1_000), false);
  server.down = false;
  t.equal(await simulation.drained(DEADLINE_MS), true);
  const [first, second] = server.calls.slice(before).filter(({ what }) => what !== 'health');
  // A timer may end a fraction of a millisecond early.
  t.ok(Math.ceil(second!.atMs - first!.atMs) >= 2_000);
  t.match(simulation.result(), { sent: 2, accepted: 1, calls: { failed: 1 } });
});

t.test('wrong usage and folders', async (t) => {
  const { run, put, configuration } = await withDevices(t, 1);
  const full = ['--agents', '1', '--rate', '1', '--seconds', '1'];
  const cases: readonly [readonly string[], number, RegExp][] = [
    [['--agents', '1'], 2, /^sentinel simulate: --agents, --rate and --seconds are needed\n/],
    [['--agents', '1.5'], 2, /^sentinel simulate: --agents is a whole number from 1 to 5000\n/],
    [
      ['--agents', '1', '--rate', '0', '--seconds', '1'],
      2,
      /^sentinel simulate: --rate is a number from 0.01 to 50000\n/,
    ],
    [
      ['--agents', '1', '--rate', '0.01', '--seconds', '99'],
      2,
      /^sentinel simulate: --rate and --seconds make no version: give more of one of them\n/,
    ],
    [[...full, '--outage-for', '2'], 2, /^sentinel simulate: --outage-for needs --outage-every\n/],
    [
      [...full, '--outage-every', '2', '--outage-for', '2'],
      2,
      /^sentinel simulate: --outage-for is shorter than --outage-every\n/,
    ],
    [
      ['--agents', '2', '--rate', '1', '--seconds', '1'],
      1,
      /^sentinel simulate: .* has 1 configurations for 2 agents\n$/,
    ],
    [[...full, '--more'], 2, /^sentinel simulate: .*--more/],
  ];
  for (const [args, code, said] of cases) {
    const ended = await run(...args);
    t.equal(ended.code, code, args.join(' '));
    t.match(ended.stderr, said);
  }
  await put('broken.json', { ...configuration(1, []), orgId: 'none' });
  const broken = await run(...full);
  t.equal(broken.code, 1);
  t.match(broken.stderr, /broken\.json is not an exported agent configuration/);
  const empty = await mkdtemp(join(tmpdir(), 'sentinel-simulate-'));
  t.teardown(() => rm(empty, { recursive: true }));
  await writeFile(join(empty, 'readme.txt'), '');
  const none = await sentinel(t, ['--config', empty, ...full], {}, 'simulate').ended;
  t.match(none, { code: 1, stderr: /there is no configuration/ });
});

t.test('an outage is the end of each span', (t) => {
  const isOut = outagesOf({ everySeconds: 10, forSeconds: 4 });
  t.strictSame([0, 5_999, 6_000, 9_999, 10_000, 16_000].map(isOut), [false, false, true, true, false, true]);
  t.equal(outagesOf(undefined)(0), false);
  t.end();
});

t.test('latencies are at most 5 % too high, and never above the longest', (t) => {
  const latencies = new Latencies();
  t.same(latencies.summary(), { p50: null, p95: null, p99: null, max: null });
  for (let ms = 1; ms <= 1_000; ms += 1) latencies.add(ms);
  const { p50, p95, p99, max } = latencies.summary();
  t.equal(max, 1_000);
  for (const [given, true_] of [
    [p50, 500],
    [p95, 950],
    [p99, 990],
  ] as const)
    t.ok(given! >= true_ && given! <= true_ * 1.05, `${given} for ${true_}`);
  const one = new Latencies();
  one.add(0);
  one.add(1e9);
  t.match(one.summary(), { p50: 0.1, p99: 1e9, max: 1e9 });
  t.end();
});
