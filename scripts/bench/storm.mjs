/** Agents that were cut off and come back at once: the time until the server has all reports, and its memory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.mjs';
import { makeFleet, targetsOf } from './fleet.mjs';
import { openServer, say, SECRET } from './open.mjs';
import { GOALS, POLL_MS, STORM_PATIENCE_MS } from './settings.mjs';
import { laterGrowth, row } from './statistics.mjs';

const BYTES_PER_MIB = 1_048_576;
const MS_PER_SECOND = 1_000;
/** Calls of one report take minutes a storm, so only bulk bodies show over many storms whether memory grows. */
const WAYS = [
  { name: 'in bulk', single: false, storms: ({ storm }) => storm.rounds },
  { name: 'one a call', single: true, storms: ({ repeats }) => repeats },
];

export async function storm(settings) {
  const { kept } = settings.storm;
  const agents = Math.max(1, Math.round(settings.storm.agents / settings.share));
  const rows = [];
  for (const way of WAYS) {
    const folder = join(settings.folder, way.single ? 'single' : 'bulk');
    const fleet = makeFleet(agents, 1);
    const { server, url } = await openServer('system', folder, { fleet });
    const configurations = writeConfigurations(join(folder, 'configurations'), url, targetsOf(fleet, SECRET));
    const load = new Child('storm-agents.mjs');
    await load.ask('start', { folder: configurations, single: way.single });
    await answered(load);
    const runs = [];
    for (let repeat = 0; repeat < way.storms(settings); repeat += 1) {
      const run = await measure({ server, load }, agents * kept);
      say(
        `${way.name}: the last 202 after ${run.seconds.toFixed(1)} s, ${run.mib.toFixed(0)} MiB at the most`,
      );
      runs.push(run);
    }
    await load.stop();
    await server.stop();
    const of = (what, format, pick, goal) => row(`${way.name}, ${what}`, format, runs.map(pick), goal);
    rows.push(
      of('last 202, s', 'millis', (run) => run.seconds),
      of('reports/s', 'rate', (run) => (agents * kept) / run.seconds),
      of('lost', 'count', (run) => run.lost, '0'),
      of('refused for good', 'count', (run) => run.refused, '0'),
      of('server, resident MiB at the most', 'count', (run) => run.mib),
      row(
        `${way.name}, growth over the second half, MiB`,
        'count',
        [laterGrowth(runs.map((run) => run.mib))],
        `≤ ${GOALS.stormGrowthMiB}`,
      ),
    );
  }
  return {
    rows,
    notes: [`${agents} agents with ${kept} kept reports each; each way on one server, again and again`],
  };
}

/** Waits until the server has answered every agent. @throws Error with its other answers */
async function answered(load) {
  const deadline = Date.now() + STORM_PATIENCE_MS;
  while (!(await load.ask('ready'))) {
    if (Date.now() < deadline) continue;
    const { agents, causes, ready } = await load.ask('result');
    throw new Error(`the server answered ${ready} of ${agents} agents: ${JSON.stringify(causes)}`);
  }
}

async function measure({ server, load }, reports) {
  const before = await load.ask('keep', { reports });
  if (before.skipped > 0) throw new Error(`${before.skipped} reports were not kept`);
  await load.ask('back');
  const deadline = Date.now() + STORM_PATIENCE_MS;
  let rss = 0;
  for (;;) {
    rss = Math.max(rss, (await server.ask('usage')).rss);
    const result = await load.ask('result');
    if (result.lost === 0 || Date.now() > deadline) {
      const { lastAfterMs, lost, refused } = result;
      return {
        seconds: lastAfterMs / MS_PER_SECOND,
        lost,
        refused: refused - before.refused,
        mib: rss / BYTES_PER_MIB,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Writes configurations as the console gives them, one file a device. */
function writeConfigurations(folder, url, targets) {
  mkdirSync(folder, { recursive: true });
  for (const { orgId, deviceId, apiKey, fileIds } of targets) {
    const files = fileIds.map((id, n) => ({
      id,
      path: `/var/log/service/service-${n}.log`,
      type: 'FOLLOW',
      rolled: false,
      modifiable: true,
      data: 'text',
    }));
    const configuration = {
      orgId,
      devId: deviceId,
      apiKey,
      healthInterval: 60,
      workingDirectory: '/var/log',
      sentinelAddress: `${url}/api/v1`,
      clearOrphanedProcesses: true,
      files,
    };
    writeFileSync(join(folder, `${deviceId}.json`), JSON.stringify(configuration));
  }
  return folder;
}
