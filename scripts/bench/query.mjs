/** Lists of an organisation with a long past: a first page and a page deep in the list. Then dashboards. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { dashboards } from './dashboard.mjs';
import { openQueryServer, say, SECRET } from './open.mjs';
import { get, timed } from './requests-timed.mjs';
import { ARCHIVE, GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

/** The longest time to fill a store with ten million events on a busy machine, in milliseconds. */
const FILL_MS = 3_600_000;
const READ_BY_KEY = 'session';

export async function query(settings) {
  const { folder, queryEvents, queryAlerts } = settings;
  const archive = await fillArchive(folder, { events: queryEvents, alerts: queryAlerts });
  const { times, maxRss } = await timesOf(archive, settings);
  const goal = `≤ ${GOALS.listP99Ms}`;
  const rows = [...times].flatMap(([name, all]) => [
    row(`${name}, p50 ms`, 'millis', all.map(p50Of)),
    row(`${name}, p99 ms`, 'millis', all.map(p99Of), goal),
  ]);
  const notes = [
    `${queryEvents} events, ${queryAlerts} alerts; ${ARCHIVE.connections} clients at a time, of one organisation: they share reads of the dashboard`,
  ];
  rows.push(row('peak resident MiB', 'mebibytes', [maxRss]), ...(await dashboards(settings)));
  return { rows, notes };
}

/** The same lists over `history.events` events of `history.files` files, as multiples of a read by key. */
export async function history(settings) {
  const { folder, history: size } = settings;
  const archive = await filled(folder, 'fillDevices', size);
  const { times, maxRss } = await timesOf(archive, settings);
  const read = times.get(READ_BY_KEY).map(p99Of);
  const rows = [...times].flatMap(([name, all]) => {
    const p99 = all.map(p99Of);
    const times = p99.map((millis, repeat) => millis / read[repeat]);
    const timed = [row(`${name}, p50 ms`, 'millis', all.map(p50Of)), row(`${name}, p99 ms`, 'millis', p99)];
    return name === READ_BY_KEY
      ? timed
      : [...timed, row('  times a read by key', 'ratio', times, `≤ ${GOALS.listToRead}`)];
  });
  rows.push(row('peak resident MiB', 'mebibytes', [maxRss]));
  return {
    rows,
    notes: [
      `${size.events} events, ${size.alerts} alerts, ${size.files} files; ${ARCHIVE.connections} clients at a time; ` +
        'a read by key is that of the session: two documents by their ids',
    ],
  };
}

/** Measures each call `repeats` times, in turns. @returns p50 and p99 in ms by the call's name, and the server's peak in MiB */
async function timesOf(archive, { folder, repeats, queryCalls }) {
  const { server, url } = await openQueryServer(folder);
  const calls = await callsOf(url, archive);
  const times = new Map(calls.map(({ name }) => [name, []]));
  for (const call of calls) await timed(url, archive.token, call.path, Math.ceil(queryCalls / 4));
  for (let repeat = 0; repeat < repeats; repeat += 1)
    for (const call of calls) {
      const { p50, p99 } = await timed(url, archive.token, call.path, queryCalls);
      times.get(call.name).push({ p50, p99 });
      say(`${call.name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    }
  const { maxRss } = await server.ask('usage');
  await server.stop();
  return { times, maxRss };
}

const p50Of = ({ p50 }) => p50;
const p99Of = ({ p99 }) => p99;

export const fillArchive = (folder, amounts) => filled(folder, 'fill', amounts);

async function filled(folder, how, amounts) {
  const filler = new Child('archive.mjs', { patienceMs: FILL_MS });
  const archive = await filler.ask(how, { folder: join(folder, 'data'), secret: SECRET, ...amounts });
  await filler.stop();
  say(`${amounts.events} events and ${amounts.alerts} alerts are stored`);
  return archive;
}

async function callsOf(url, { token, orgId, deviceId, fileId }) {
  const deep = async (path) => `lastId=${await idAt(url, token, path, ARCHIVE.deepShare)}`;
  const [events, alerts] = [`/events/${orgId}`, `/alerts/${orgId}`];
  const search = 'timeZone=Europe%2FVienna&search=server%201';
  return [
    { name: 'events', path: `${events}?limit=50` },
    { name: 'events, deep', path: `${events}?limit=50&${await deep(events)}` },
    { name: 'events, 500 deep', path: `${events}?limit=500&${await deep(events)}` },
    {
      name: 'events of a device, deep',
      path: `${events}/${deviceId}?${await deep(`${events}/${deviceId}`)}`,
    },
    { name: 'events of a file', path: `${events}/${deviceId}/${fileId}` },
    { name: 'events by device name', path: `${events}?deviceName=Server%203` },
    { name: 'events, searched', path: `${events}?${search}` },
    { name: 'events, searched deep', path: `${events}?${search}&${await deep(events)}` },
    { name: 'events, searched in vain', path: `${events}?timeZone=Europe%2FVienna&search=not%20there` },
    { name: 'alerts', path: `${alerts}?limit=50` },
    { name: 'alerts, deep', path: `${alerts}?limit=50&${await deep(alerts)}` },
    { name: 'alerts, ACTIVE deep', path: `${alerts}?status=ACTIVE&${await deep(alerts)}` },
    {
      name: 'alerts of a device, deep',
      path: `${alerts}/${deviceId}?${await deep(`${alerts}/${deviceId}`)}`,
    },
    { name: 'counts of alerts', path: `/alerts/counts/${orgId}` },
    { name: 'groups of alerts', path: `/alerts/groups/${orgId}?by=FILE` },
    { name: 'devices', path: `/devices/${orgId}` },
    { name: 'one device', path: `/devices/${orgId}/${deviceId}` },
    { name: 'dashboard', path: `/dashboard/${orgId}` },
    { name: READ_BY_KEY, path: '/session' },
  ];
}

/** Returns the id at this depth of the list, found by time, because ids are ordered by time. */
async function idAt(url, token, path, share) {
  const before = new Date(Date.now() - share * ARCHIVE.spanMs).toISOString();
  const answer = JSON.parse(await get(url, token, `${path}?limit=1&timestampTo=${before}`));
  const [item] = Object.values(answer).find(Array.isArray);
  return item.id;
}
