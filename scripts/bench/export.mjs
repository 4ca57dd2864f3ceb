/** Everything that an organisation has, as one CSV file: how fast, and how much memory the server takes for it. */
import { get } from 'node:http';
import { fillArchive } from './query.mjs';
import { openQueryServer, say } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';
import { used } from './usage.mjs';

/** Between two looks at the server's memory, in milliseconds. */
const LOOK_MS = 250;

export async function exporting({ folder, repeats, exportEvents }) {
  const archive = await fillArchive(folder, { events: exportEvents, alerts: 0 });
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    // A fresh process each time: its peak is of this export alone.
    const { server, url } = await openQueryServer(folder);
    runs.push(await exportOnce(server, url, archive));
    await server.stop();
    const { rows, seconds, maxRss } = runs.at(-1);
    if (rows < exportEvents) throw new Error(`${rows} rows of ${exportEvents} came`);
    say(`${rows} rows in ${seconds.toFixed(1)} s, peak ${(maxRss / 1_048_576).toFixed(0)} MiB`);
  }
  const values = (pick) => runs.map(pick);
  const rows = [
    row(
      'rows/s',
      'rate',
      values((run) => run.rows / run.seconds),
    ),
    row(
      'µs of processor time a row',
      'micros',
      values((run) => run.cpu / run.rows),
    ),
    row(
      'MiB of CSV',
      'mebibytes',
      values((run) => run.bytes),
    ),
    row(
      'resident MiB before',
      'mebibytes',
      values((run) => run.before),
    ),
    row(
      'peak resident MiB',
      'mebibytes',
      values((run) => run.maxRss),
    ),
    row(
      'taken by the export, MiB',
      'mebibytes',
      values((run) => run.maxRss - run.before),
      `≤ ${GOALS.exportMiB}`,
    ),
    row(
      'growth over the second half, MiB',
      'mebibytes',
      values((run) => run.growth),
    ),
  ];
  return { rows, notes: [`${exportEvents} events, the query service in a process of its own`] };
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
