/** Time and memory that the agent uses: the first scan of many files, and many files that do not change. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/prepare.mjs';
import { makeRolled, makeTree, writeConfigurations } from './agent-files.mjs';
import { packageAgent, startAgent, usageOf } from './agent-process.mjs';
import { Child } from './child.mjs';
import { say } from './open.mjs';
import { GOALS, PATIENCE_MS, POLL_MS } from './settings.mjs';
import { row } from './statistics.mjs';

const WORKERS = 2;
/** Time between two looks at the memory of an idle agent, which grows until the heap is cleaned. */
const RSS_EVERY_MS = 5_000;
/** The agent has the environment that its unit gives it. */
const UNIT = readFileSync(join(root, 'deploy/agent/sentinel-agent.service'), 'utf8');
const ENV = Object.fromEntries(
  [...UNIT.matchAll(/^Environment="([A-Z_]+)=(.*)"$/gm)].map(([, name, value]) => [name, value]),
);

export async function agent(settings) {
  mkdirSync(settings.folder, { recursive: true });
  const server = new Child('./agent-server.mjs');
  const url = await server.ask('listen');
  const sentinel = await packageAgent(join(settings.folder, 'package'));
  const bench = { ...settings, server, url, sentinel };
  const rows = [...(await scans(bench)), ...(await idle(bench))];
  await server.stop();
  return {
    rows,
    notes: [
      `scan: ${share(settings, 'agentScan', 'files')} files of ${settings.agentScan.bytes} bytes; idle: after ${settings.agentIdle.settleSeconds} s, over a window of ${window(settings)} s, with heartbeats each minute`,
    ],
  };
}

const share = (settings, group, name) => Math.max(1, Math.round(settings[group][name] / settings.share));
const window = (settings) => Math.max(2, Math.round(settings.agentIdle.windowSeconds / settings.share));

async function scans(bench) {
  const tree = join(bench.folder, 'tree');
  const files = share(bench, 'agentScan', 'files');
  const paths = makeTree(tree, files, bench.agentScan.bytes);
  const configurations = join(bench.folder, 'scan');
  writeConfigurations(configurations, paths, bench.url, { type: 'PROBE' });
  const runs = [];
  for (let repeat = 0; repeat < bench.repeats; repeat += 1) {
    const ceiling = ceilingOf(tree, bench.folder);
    const dry = await dryRun(bench, configurations);
    const scan = await scanOnce(bench, configurations, files, `scan-state-${repeat}`);
    runs.push({ ceiling, dry, scan });
    say(`scan: ${scan.seconds.toFixed(1)} s; ${ceiling.name}: ${ceiling.seconds.toFixed(1)} s`);
  }
  rmSync(tree, { recursive: true });
  const of = (what, format, pick, goal) => row(what, format, runs.map(pick), goal);
  return [
    of(`${runs[0].ceiling.name}, s`, 'millis', (run) => run.ceiling.seconds),
    of(`${runs[0].ceiling.name}, s of processor time`, 'millis', (run) => run.ceiling.cpu),
    of('--dry-run, s', 'millis', (run) => run.dry.seconds),
    of('--dry-run, s of processor time', 'millis', (run) => run.dry.cpu),
    of('first scan to the last 202, s', 'millis', (run) => run.scan.seconds),
    of('times the ceiling', 'ratio', (run) => run.scan.seconds / run.ceiling.seconds, `≤ ${GOALS.agentScan}`),
    of('agent, s of processor time', 'millis', (run) => run.scan.cpu),
    of('times the ceiling by processor time', 'ratio', (run) => run.scan.cpu / run.ceiling.cpu),
    of('server, s of processor time', 'millis', (run) => run.scan.serverCpu),
    of('peak resident MiB', 'count', (run) => run.scan.peakMiB),
  ];
}

/** Measures another program that hashes the same files, with as many workers as the agent. */
function ceilingOf(tree, folder) {
  const hasAide = spawnSync('aide', ['--version'], { stdio: 'ignore' }).error === undefined;
  if (hasAide) {
    const config = join(folder, 'aide.conf');
    const database = join(folder, 'aide.db');
    writeFileSync(
      config,
      `database_out=file:${database}\ndatabase_in=file:${database}\nnum_workers=${WORKERS}\n${tree} p+i+s+m+c+sha256\n`,
    );
    const run = timed('aide --init', `exec aide --init --config="$0"`, config);
    if (run.code === 0) return run;
    say(`aide cannot be used (${run.said}); sha256sum instead`);
  }
  const command = `find "$0" -type f -print0 | xargs -0 -n 100 -P ${WORKERS} sha256sum`;
  return timed('sha256sum', command, tree);
}

/** Runs a command in a shell and reads its children's processor time from `times`. */
function timed(name, command, argument) {
  const started = performance.now();
  const script = `(${command}) >/dev/null; code=$?; times; exit $code`;
  const { status, stderr, stdout } = spawnSync('sh', ['-c', script, argument], { encoding: 'utf8' });
  const seconds = (performance.now() - started) / 1_000;
  const ofChildren = stdout.trim().split('\n').at(-1) ?? '';
  const cpu = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  return { name, code: status, said: stderr.trim().split('\n')[0], seconds, cpu };
}

async function dryRun({ sentinel }, configurations) {
  const started = performance.now();
  const child = startAgent(sentinel, ['--config', configurations, '--dry-run', '--json', '--nice', '0'], {
    env: ENV,
  });
  let cpu = 0;
  const looking = setInterval(() => (cpu = usageOf(child.pid)?.seconds ?? cpu), POLL_MS);
  const code = await child.ended;
  clearInterval(looking);
  if (code !== 0) throw new Error(`the dry run failed: ${child.said()}`);
  return { seconds: (performance.now() - started) / 1_000, cpu };
}

async function scanOnce({ sentinel, server, folder }, configurations, files, state) {
  await server.ask('configure', { folder: configurations });
  const before = await server.ask('usage');
  const started = Date.now();
  // The agent gets the same priority as the program that it is compared with.
  const args = ['--config', configurations, '--state', join(folder, state), '--nice', '0'];
  const child = startAgent(sentinel, args, { env: ENV });
  const { lastAt } = await reported(server, files, child);
  const { seconds: cpu, peakMiB } = usageOf(child.pid);
  const serverCpu = ((await server.ask('usage')).cpu - before.cpu) / 1e6;
  await child.stop();
  rmSync(join(folder, state), { recursive: true });
  return { seconds: (lastAt - started) / 1_000, cpu, serverCpu, peakMiB };
}

async function reported(server, files, child) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const counts = await server.ask('counts');
    if (counts.reports >= files) return counts;
    if (Date.now() > deadline) throw new Error(`${counts.reports} of ${files} came: ${child.said()}`);
    await sleep(POLL_MS);
  }
}

async function idle(bench) {
  const { folder, agentIdle, url } = bench;
  const count = share(bench, 'agentIdle', 'files');
  const rolled = share(bench, 'agentIdle', 'rolled');
  const kinds = [
    {
      name: `${count} followed files`,
      make: (own) => makeTree(own, count, 1_000),
      options: { type: 'FOLLOW' },
      goal: `≤ ${GOALS.agentMiB}`,
    },
    {
      name: `${rolled} rolled files with ${agentIdle.archives} archives`,
      make: (own) => makeRolled(own, rolled, agentIdle.archives),
      options: { type: 'FOLLOW', rolled: true },
    },
  ];
  const rows = [];
  for (const [index, { name, make, options, goal }] of kinds.entries()) {
    const own = join(folder, `idle-${index}`);
    const paths = make(join(own, 'tree'));
    writeConfigurations(join(own, 'configurations'), paths, url, options);
    const run = await idleOnce(bench, own, paths.length);
    rmSync(own, { recursive: true });
    say(`${name}: ${run.percent.toFixed(2)} % of a core, ${run.rssMiB.toFixed(0)} MiB`);
    rows.push(
      row(`${name}, % of a core`, 'ratio', [run.percent], `< ${GOALS.agentIdlePercent}`),
      row(`${name}, most resident MiB`, 'count', [run.rssMiB], goal),
    );
  }
  return rows;
}

async function idleOnce(bench, own, files) {
  const { server, agentIdle } = bench;
  await server.ask('configure', { folder: join(own, 'configurations') });
  const args = ['--config', join(own, 'configurations'), '--state', join(own, 'state')];
  const child = startAgent(bench.sentinel, args, { env: ENV });
  await reported(server, files, child);
  await sleep(agentIdle.settleSeconds * 1_000);
  const before = usageOf(child.pid);
  const started = performance.now();
  const end = started + window(bench) * 1_000;
  let after = before;
  let rssMiB = 0;
  while (performance.now() < end) {
    await sleep(Math.min(RSS_EVERY_MS, end - performance.now()));
    after = usageOf(child.pid);
    rssMiB = Math.max(rssMiB, after.rssMiB);
  }
  const seconds = (performance.now() - started) / 1_000;
  await child.stop();
  return { percent: ((after.seconds - before.seconds) / seconds) * 100, rssMiB };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
