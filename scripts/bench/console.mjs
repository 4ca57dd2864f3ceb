/** The console in a real browser, on a seeded organisation: paints, data, scrolling, and the time from a report to its row. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findChromium, launchChromium } from '@sentinel-node/test-kit/test-servers/chromium';
import { ADMIN } from '../seed/organization.mjs';
import { Agent, Person } from '../seed/client.mjs';
import { Child } from './child.mjs';
import { heapOf, openPage, scrolled, seen } from './console-page.mjs';
import { openServer, say } from './open.mjs';
import { addDevice, causeEvents } from './scene.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

/** The longest time for a seed, in milliseconds. */
const SEED_MS = 3_600_000;
/** Files that the events are about, in turns, and the number of looks at the heap. */
const FILES = 50;
const HEAP_LOOKS = 6;
/** Loads of each page. */
const PAINTS = 7;
/** Time for a page to settle after it was loaded, in milliseconds. */
const SETTLE_MS = 2_000;

export async function consoleInBrowser({ folder, repeats, share, consoleSize, seeded: given }) {
  const found = findChromium();
  if ('skip' in found) throw new Error(`no browser: ${found.skip}`);
  const data = given ?? (await makeOrganization(folder, consoleSize));
  // The folder has its own secret.
  const { server, url } = await openServer('system', folder, { folder: data, secret: '' });
  const browser = await launchChromium(found.path);
  try {
    const person = new Person(url, ADMIN);
    const session = await person.signIn();
    const at = { browser, url, person, session };
    const { devices } = await person.call('GET', `/devices/${session.orgId}`);
    const pages = {
      dashboard: { path: '/dashboard', goal: GOALS.consoleDashboardMs },
      alerts: { path: '/alerts-history', goal: GOALS.consoleListMs },
      'alerts, 100 rows': { path: '/alerts-history?rows=100', goal: GOALS.consoleListMs },
      devices: { path: '/devices?rows=100&sort=-Active+alerts', goal: GOALS.consoleListMs },
      'one device': { path: `/device/${devices[0].id}?rows=100`, goal: GOALS.consoleListMs },
    };
    const rows = await firstReads(at);
    for (const [name, page] of Object.entries(pages)) rows.push(...(await painted(at, name, page)));
    rows.push(...(await scrolling(at, repeats, consoleSize.scrollSeconds)));
    rows.push(...(await arrivals(at, devices, consoleSize.reports)));
    const { eventSeconds, eventsPerSecond } = consoleSize;
    rows.push(...(await underEvents(at, { seconds: eventSeconds / share, eventsPerSecond })));
    return { rows, notes: [`${devices.length} devices; ${consoleSize.scrollSeconds} s of scrolling a run`] };
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Seeds the organisation in another process, so that its memory is not the server's. */
async function makeOrganization(folder, { devices, files, alerts, days }) {
  const data = join(folder, 'data');
  const maker = new Child('console-seed.mjs', {
    env: { SENTINEL_DATA_DIR: data },
    patienceMs: SEED_MS,
  });
  const code = await maker.ask('seed', { devices, files, alerts, days, seed: 1, name: 'Big Corp' });
  await maker.stop();
  if (code !== 0) throw new Error('the organisation could not be made');
  return data;
}

/** Reads what the server keeps in memory from the first read after its start on, so that no paint waits for that. */
async function firstReads({ person, session: { orgId } }) {
  const rows = [];
  for (const [name, path] of [
    ['counts of all alerts', `/alerts/counts/${orgId}`],
    ['dashboard', `/dashboard/${orgId}`],
  ]) {
    const started = performance.now();
    await person.call('GET', path);
    rows.push(row(`${name}, first read after the start, ms`, 'count', [performance.now() - started]));
  }
  return rows;
}

async function painted(at, name, { path, goal }) {
  const runs = [];
  for (let paint = 0; paint < PAINTS; paint += 1) {
    const page = await openPage(at, path);
    runs.push(await seen(page));
    await page.context().close();
  }
  say(`${name}: data after ${runs.map(({ data }) => Math.round(data)).join(', ')} ms`);
  const of = (key) => runs.map((run) => run[key]);
  return [
    row(`${name}, first paint, ms`, 'count', of('paint')),
    row(`${name}, data, ms`, 'count', of('data'), `≤ ${goal}`),
  ];
}

async function scrolling(at, repeats, seconds) {
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const page = await openPage(at, '/alerts-history?rows=100');
    await seen(page);
    runs.push(await scrolled(page, seconds));
    await page.context().close();
  }
  say(`scrolled through ${runs.map(({ rows }) => rows).join(', ')} rows`);
  const of = (key) => runs.map((run) => run[key]);
  return [
    row('alerts scrolled through', 'count', of('rows')),
    row('  longest task, ms', 'count', of('longest'), `≤ ${GOALS.consoleTaskMs}`),
    row('  tasks over 50 ms', 'count', of('tasks')),
    row('  elements in the page', 'count', of('elements')),
    row('  heap of the tab, MiB', 'mebibytes', of('heap')),
  ];
}

/** Measures the time from the answer 202 to the row on the screen. */
async function arrivals({ url, person, session, ...at }, devices, count) {
  const { orgId } = session;
  const page = await openPage({ url, person, session, ...at }, '/alerts-history');
  await seen(page);
  await page.getByText('Live', { exact: true }).waitFor();
  const times = [];
  const usable = devices.filter(({ enabled, lastContact }) => enabled && lastContact !== null);
  for (const { id } of usable.slice(0, count)) {
    const device = await person.call('GET', `/devices/${orgId}/${id}`);
    const file = device.files.find(({ enabled, activeAlerts }) => enabled && activeAlerts === 0);
    if (file === undefined) continue;
    const row = page.evaluate(() => window.nextFirstRow());
    await delay(100);
    await new Agent(url, { orgId, id, apiKey: device.apiKey }).report([impossible(file.id)]);
    const acceptedAt = Date.now();
    times.push((await row) - acceptedAt);
  }
  await page.context().close();
  return [row('accepted report to painted row, ms', 'count', times, `≤ ${GOALS.consoleRowMs}`)];
}

/** Measures tabs that hear of many events: their memory without garbage, and the longest task. */
async function underEvents({ url, person, session, browser }, { seconds, eventsPerSecond }) {
  const { orgId } = session;
  const device = await addDevice(url, person, orgId, FILES);
  const at = { url, person, session, browser };
  const pages = {
    dashboard: '/dashboard',
    alerts: '/alerts-history?rows=100',
    device: `/device/${device.deviceId}`,
  };
  const tabs = [];
  for (const [name, path] of Object.entries(pages)) {
    const page = await openPage(at, path);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await page.evaluate(() => void window.tasks.splice(0));
    tabs.push({ name, page, heaps: [] });
  }
  const sixth = seconds / HEAP_LOOKS;
  for (let look = 0; look < HEAP_LOOKS; look += 1) {
    await causeEvents(device, { seconds: sixth, rate: eventsPerSecond });
    for (const { page, heaps } of tabs) heaps.push(await heapOf(page));
  }
  const rows = [];
  for (const { name, page, heaps } of tabs) {
    const longest = await page.evaluate(() => Math.max(0, ...window.tasks));
    say(
      `${name} with ${eventsPerSecond} events/s: ${heaps.map((bytes) => (bytes / 1_048_576).toFixed(1)).join(', ')} MiB`,
    );
    rows.push(
      row(`${name}, ${eventsPerSecond} events/s, heap of the tab, MiB`, 'mebibytes', heaps.slice(1)),
      row(`  growth after the first ${Math.round(sixth)} s, MiB`, 'mebibytes', [heaps.at(-1) - heaps[0]]),
      row('  longest task, ms', 'count', [longest]),
    );
    await page.context().close();
  }
  return rows;
}

/** Returns a report with impossible lengths, which raises an alert whatever was reported before. */
const impossible = (fileId) => ({
  fileId,
  sequence: Date.now() * 1_000,
  timestamp: new Date().toISOString(),
  change: 'APPENDED',
  versions: [2, 1].map((length) => ({ length, hash: String(length).repeat(64) })),
});
