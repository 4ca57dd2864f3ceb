/** Acceptance of reports, against servers that do nothing with the same requests. */
import { join } from 'node:path';
import { makeFleet, targetsOf } from './fleet.mjs';
import { openLoad, openServer, say, SECRET } from './open.mjs';
import { BULK_CONNECTIONS, BULK_LINES, FILES_PER_DEVICE, GOALS, SINGLE_CONNECTIONS } from './settings.mjs';
import { row } from './statistics.mjs';
import { used } from './usage.mjs';

export const ingestSingle = (settings) =>
  ingest(settings, {
    kinds: ['bare', 'ceiling', 'ingestion'],
    shape: { connections: SINGLE_CONNECTIONS, lines: 1 },
    goal: GOALS.single,
  });

export const ingestBulk = (settings) =>
  ingest(settings, {
    kinds: ['ceiling', 'ingestion'],
    shape: { connections: BULK_CONNECTIONS, lines: BULK_LINES },
    goal: GOALS.bulk,
  });

const TITLES = {
  bare: 'bare Fastify, reports/s',
  ceiling: 'ceiling, reports/s',
  ingestion: 'ingestion, reports/s',
};

async function ingest(settings, { kinds, shape, goal }) {
  const fleet = makeFleet(2 * FILES_PER_DEVICE);
  const targets = targetsOf(fleet, SECRET);
  const sides = [];
  for (const kind of kinds) {
    const { server, url } = await openServer(kind, join(settings.folder, kind), { fleet });
    const load = openLoad();
    await load.ask('ready', { url, targets, ...shape });
    await load.ask('run', { seconds: settings.warmUpSeconds });
    sides.push({ kind, server, load, rates: [], micros: [], byThread: [], rss: [] });
  }
  // Side by side, so that other work of the machine affects all equally.
  for (let repeat = 0; repeat < settings.repeats; repeat += 1)
    for (const side of sides) await measure(side, settings.ingestSeconds);
  for (const { server, load } of sides) {
    await load.stop();
    await server.stop();
  }
  return { rows: rowsOf(sides, goal) };
}

async function measure({ kind, server, load, rates, micros, byThread, rss }, seconds) {
  const before = await server.ask('usage');
  const run = await load.ask('run', { seconds });
  const { cpu, threads, maxRss } = used(before, await server.ask('usage'));
  if (run.failed > 0) throw new Error(`${run.failed} requests failed, the first with ${run.firstFailure}`);
  rates.push(run.reports / run.seconds);
  micros.push(cpu / run.reports);
  rss.push(maxRss);
  const split = Object.entries(threads).map(([name, time]) => [name, time / run.reports]);
  byThread.push(Object.fromEntries(split));
  say(
    `${TITLES[kind]} ${Math.round(rates.at(-1))}, ${micros.at(-1).toFixed(1)} µs of processor time a report`,
  );
}

function rowsOf(sides, goal) {
  const [ceiling, ingestion] = sides.slice(-2);
  const others = sides.slice(0, -2);
  const ratios = (over, under, field) => over[field].map((value, index) => value / under[field][index]);
  return [
    ...sides.map(({ kind, rates }) => row(TITLES[kind], 'rate', rates)),
    row('ratio to the ceiling', 'ratio', ratios(ingestion, ceiling, 'rates'), `≥ ${goal.toFixed(2)}`),
    row('the same by processor time', 'ratio', ratios(ceiling, ingestion, 'micros')),
    ...others.map((other) => row('ratio to bare Fastify', 'ratio', ratios(ingestion, other, 'rates'))),
    row('ceiling, µs of processor time', 'micros', ceiling.micros),
    row('ingestion, µs of processor time', 'micros', ingestion.micros),
    ...threadRows(ingestion.byThread),
    row('ingestion, peak resident MiB', 'mebibytes', ingestion.rss),
  ];
}

/** One row for each thread that used processor time; none where the system does not report threads. */
function threadRows(byThread) {
  const names = [...new Set(byThread.flatMap(Object.keys))].filter((name) =>
    byThread.some((run) => run[name] > 0),
  );
  return names.map((name) =>
    row(
      `  ${name}`,
      'micros',
      byThread.map((run) => run[name] ?? 0),
    ),
  );
}
