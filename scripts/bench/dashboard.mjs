/** The dashboard of a small organisation and of a large one: the duration and the length of an answer. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { openQueryServer, say, SECRET } from './open.mjs';
import { timed } from './requests-timed.mjs';
import { DASHBOARD, GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

export async function dashboards({ folder, repeats, queryCalls, dashboardFiles }) {
  const rows = [];
  for (const files of dashboardFiles)
    rows.push(...(await dashboard(join(folder, `${files}-files`), files, repeats, queryCalls)));
  return rows;
}

async function dashboard(folder, files, repeats, calls) {
  const filler = new Child('archive.mjs');
  const size = { files, events: DASHBOARD.events, alerts: DASHBOARD.alerts };
  const archive = await filler.ask('fillDevices', { folder: join(folder, 'data'), secret: SECRET, ...size });
  await filler.stop();
  const { server, url } = await openQueryServer(folder);
  const path = `/dashboard/${archive.orgId}`;
  const [first] = (await timed(url, archive.token, path, 1)).all;
  const measure = async (wanted) => {
    await timed(url, archive.token, wanted, calls);
    const found = [];
    for (let repeat = 0; repeat < repeats; repeat += 1)
      found.push(await timed(url, archive.token, wanted, calls));
    return (key) => found.map((one) => one[key]);
  };
  const before = await server.ask('usage');
  const of = await measure(path);
  const after = await server.ask('usage');
  const ofDevices = await measure(`${path}/devices`);
  const { maxRss } = await server.ask('usage');
  await server.stop();
  const name = `dashboard, ${files.toLocaleString('en-US')} files`;
  say(`${name}: p99 ${of('p99').map((ms) => ms.toFixed(1))} ms, ${of('bytes')} bytes`);
  return [
    row(`${name}, first call, ms`, 'millis', [first]),
    row(`${name}, p50 ms`, 'millis', of('p50')),
    row(`${name}, p99 ms`, 'millis', of('p99'), `≤ ${GOALS.dashboardP99Ms}`),
    row(`${name}, processor time a call, ms`, 'millis', [
      (after.cpu - before.cpu) / 1_000 / ((repeats + 1) * calls),
    ]),
    row(`${name}, answer, bytes`, 'count', of('bytes'), `≤ ${GOALS.dashboardBytes.toLocaleString('en-US')}`),
    row(`${name}, counts of devices, p99 ms`, 'millis', ofDevices('p99'), `≤ ${GOALS.dashboardP99Ms}`),
    row(`${name}, peak resident MiB`, 'mebibytes', [maxRss]),
  ];
}
