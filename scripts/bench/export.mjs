/** The export of all events of an organisation as one CSV file: its rate, and the memory that the server takes. */
import { get } from 'node:http';
import { fillArchive } from './query.mjs';
import { openServer, say } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';
import { used } from './usage.mjs';

/** Interval between two reads of the server's memory, in milliseconds. */
const LOOK_MS = 250;

/** Processes that give an export, with their start commands in production. */
const SERVERS = [
  { kind: 'query', name: 'query alone' },
  { kind: 'system', name: 'all services' },
];

export async function exporting({ folder, repeats, exportEvents }) {
  const archive = await fillArchive(folder, { events: exportEvents, alerts: 0 });
  const rows = [];
  for (const server of SERVERS)
    rows.push(...rowsOf(server.name, await runsOf(server, { folder, repeats, exportEvents, archive })));
  const notes = [`${exportEvents} events; the query service alone, then every service in one process`];
  return { rows, notes };
}

async function runsOf({ kind, name }, { folder, repeats, exportEvents, archive }) {
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    // A fresh process each time, so that its peak is of this export alone.
    const { server, url } = await openServer(kind, folder, {});
    runs.push(await exportOnce(server, url, archive));
    await server.stop();
    const { rows, seconds, maxRss } = runs.at(-1);
    if (rows < exportEvents) throw new Error(`${rows} rows of ${exportEvents} came`);
    say(`${name}: ${rows} rows in ${seconds.toFixed(1)} s, peak ${(maxRss / 1_048_576).toFixed(0)} MiB`);
  }
  return runs;
}

function rowsOf(name, runs) {
  const of = (what, format, pick, goal) => row(`${name}, ${what}`, format, runs.map(pick), goal);
  return [
    of('rows/s', 'rate', (run) => run.rows / run.seconds),
    of('µs of processor time a row', 'micros', (run) => run.cpu / run.rows),
    of('MiB of CSV', 'mebibytes', (run) => run.bytes),
    of('resident MiB before', 'mebibytes', (run) => run.before),
    of('peak resident MiB', 'mebibytes', (run) => run.maxRss, `≤ ${GOALS.exportMiB}`),
    of('taken by the export, MiB', 'mebibytes', (run) => run.maxRss - run.before),
    of('growth over the second half, MiB', 'mebibytes', (run) => run.growth),
  ];
}

async function exportOnce(server, url, { token, orgId }) {
  const before = await server.ask('usage');
  const memory = [];
  let done = false;
  const watching = (async () => {
    while (!done) {
      memory.push((await server.ask('usage')).rss);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  const started = performance.now();
  const { lines, bytes } = await download(`${url}/api/v1/events/${orgId}?toExport=true`, token);
  const seconds = (performance.now() - started) / 1_000;
  done = true;
  await watching;
  const { cpu, maxRss } = used(before, await server.ask('usage'));
  const growth = Math.max(0, memory.at(-1) - memory[Math.floor(memory.length / 2)]);
  return { rows: lines - 1, bytes, seconds, cpu, maxRss, before: before.rss, growth };
}

function download(url, token) {
  const headers = { 'x-access-token': token, accept: 'text/csv' };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      let [lines, bytes] = [0, 0];
      if (answer.statusCode !== 200) reject(new Error(`the export answered ${answer.statusCode}`));
      answer.on('data', (chunk) => {
        bytes += chunk.length;
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
      });
      answer.on('end', () => resolve({ lines, bytes })).on('error', reject);
    }).on('error', reject);
  });
}
