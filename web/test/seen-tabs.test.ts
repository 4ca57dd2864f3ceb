/** Tabs that nobody sees hold no connection, and a page without connection says as of when its figures are. */
import type { Page } from 'playwright-core';
import { shownDateTime } from '@sentinel-node/contracts';
import { callsTo, consoleTest, holdAnswers, live, until } from './support.ts';

const DAY_MS = 86_400_000;
const LIVE = 'Live';

/** Has the page believe that it is seen or not: all pages of a headless browser are seen. */
const setSeen = (page: Page, seen: boolean): Promise<void> =>
  page.evaluate((is) => {
    Object.assign(window, { isBehind: !is });
    document.dispatchEvent(new Event('visibilitychange'));
  }, seen);

const behind = () => {
  Object.assign(window, { isBehind: true });
};

const visibilityByTest = () => {
  Object.defineProperty(Document.prototype, 'visibilityState', {
    get: () => ('isBehind' in window && window.isBehind === true ? 'hidden' : 'visible'),
  });
};

/** Moves the page's clock, as a sleeping machine or an hour without an answer does. */
const moveClock = (page: Page, by: number): Promise<void> =>
  page.evaluate((more) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + more;
  }, by);

consoleTest(
  'ten tabs opened by a middle click all load, and each is live once it is seen',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    await page.getByText(LIVE, { exact: true }).waitFor();
    const context = page.context();
    await context.addInitScript(visibilityByTest);
    await context.addInitScript(behind);
    // A browser opens six connections to a server by HTTP/1.1, for all tabs together.
    const tabs = [];
    for (let tab = 0; tab < 10; tab += 1) {
      const opened = await context.newPage();
      await opened.goto(`${mock.url}/devices`);
      tabs.push(opened);
    }
    for (const tab of tabs) await tab.getByRole('table', { name: 'Devices' }).waitFor();
    t.equal(callsTo(mock, 'GET', '/stream/').length, 1, 'only the tab that is seen holds a connection');
    const last = tabs.at(-1);
    if (last === undefined) throw new Error('no tab');
    t.equal(await last.getByText(LIVE, { exact: true }).count(), 0, 'no other claims to be live');
    await setSeen(last, true);
    await last.getByText(LIVE, { exact: true }).waitFor();
    await setSeen(last, false);
    await last.getByText('Connecting', { exact: true }).waitFor();
    await setSeen(last, true);
    await last.getByText(LIVE, { exact: true }).waitFor();
    t.equal(
      callsTo(mock, 'GET', '/stream/').at(-1)?.headers['last-event-id'],
      'e-0',
      'it goes on from there',
    );
  },
);

consoleTest(
  'a tab that is seen again says that its figures are old while the server is silent',
  async ({ mock, open }) => {
    const page = await open('/dashboard');
    await page.context().addInitScript(visibilityByTest);
    await page.reload();
    await page.getByText(LIVE, { exact: true }).waitFor();
    await setSeen(page, false);
    await page.getByText('Connecting', { exact: true }).waitFor();
    // The server takes the connection and answers nothing.
    await page.route('**/stream/**', () => new Promise<void>(() => undefined));
    await setSeen(page, true);
    await page.getByText('Connection lost. Shown as of').waitFor();
    await page.unroute('**/stream/**');
    mock.dropStreams();
  },
);

consoleTest(
  'a tab that is seen again is not live before the server has told what it missed',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    await page.context().addInitScript(visibilityByTest);
    await page.reload();
    await live(page);
    mock.resumed = 'silence';
    await setSeen(page, false);
    await page.getByText('Connecting', { exact: true }).waitFor();
    await setSeen(page, true);
    await page.getByText('Connection lost. Shown as of').waitFor();
    t.equal(callsTo(mock, 'GET', '/stream/').at(-1)?.headers['last-event-id'], 'e-0', 'it was answered');
    t.equal(await page.getByText(LIVE, { exact: true }).count(), 0);
    mock.send('comment', {});
    await live(page);
    t.equal(await page.locator('.stale-banner').count(), 0);
  },
);

consoleTest('a page that opens while the stream stays silent says so', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.route('**/stream/**', () => new Promise<void>(() => undefined));
  await page.goto(`${mock.url}/dashboard`);
  await page.getByText('80%').first().waitFor();
  await page.getByText('Connection lost. Shown as of').waitFor();
  t.equal(await page.getByText(LIVE, { exact: true }).count(), 0);
});

consoleTest(
  'figures are as of the last word of the server, not of the end of the wait for another',
  async ({ mock, open }, t) => {
    const from = Date.now();
    const page = await open('/dashboard', { timeZone: 'UTC' });
    await page.getByText(LIVE, { exact: true }).waitFor();
    const events = page.locator('.activity-sum');
    await page.getByText(/Last 24 hours: \d+ events/).waitFor();
    const sum = await events.innerText();
    mock.streaming = false;
    const to = Date.now();
    await moveClock(page, 3 * DAY_MS);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const banner = page.locator('.stale-banner');
    await banner.waitFor();
    const seconds = Array.from({ length: Math.ceil((to - from) / 1_000) + 2 }, (_, n) => from + n * 1_000);
    const said = await banner.innerText();
    t.ok(
      seconds.some((at) => said.includes(`Shown as of ${shownDateTime(new Date(at).toISOString(), 'UTC')};`)),
      `day and time of the last word: ${said}`,
    );
    await page.getByText('3 days ago').first().waitFor();
    t.equal(await events.innerText(), sum, 'hours that nobody heard of do not count as hours without events');
  },
);

consoleTest(
  'green is of what is known now: it goes while the connection is lost, and comes back once all is read again',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    await page.getByText(LIVE, { exact: true }).waitFor();
    const device = mock.world.devices.find(({ files }) => files.some(({ contact }) => contact === 'OK'));
    if (device === undefined) throw new Error('no device in contact');
    await page.goto(`${mock.url}/device/${device.id}`);
    const good = page.locator('.badge', { hasText: 'In contact' }).first();
    await good.waitFor();
    await page.getByText(LIVE, { exact: true }).waitFor();
    const colour = () => good.evaluate((element) => getComputedStyle(element).color);
    const green = await colour();
    mock.streaming = false;
    mock.dropStreams();
    await page.locator('.stale-banner').waitFor();
    t.not(await colour(), green, 'the badge is not green');
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    t.ok(
      await page.locator('.stale-banner').evaluate((e) => e.getBoundingClientRect().bottom > 0),
      'said where one reads',
    );
    const release = await holdAnswers(page, '**/api/v1/devices/**');
    const asked = page.waitForRequest('**/api/v1/devices/**');
    mock.resumed = 'resync';
    mock.streaming = true;
    await asked;
    await page
      .locator('.stale-banner')
      .getByText(/^Shown as of .*; reading again\.$/)
      .waitFor();
    t.not(await colour(), green, 'what was read before is not green');
    t.equal(await page.getByText(LIVE, { exact: true }).count(), 0);
    release();
    await live(page);
    await until(async () => (await colour()) === green, 'green again');
    t.equal(await page.locator('.stale-banner').count(), 0);
    await page.unrouteAll();
    const releaseOther = await holdAnswers(page, '**/api/v1/devices/**');
    mock.send('resync', {});
    await page.getByText('Outdated', { exact: true }).waitFor();
    t.not(await colour(), green, 'nor is it when a resync is not answered');
    releaseOther();
    await live(page);
  },
);

consoleTest(
  'every panel says that it may be out of date: on a phone it covers the page',
  async ({ mock, open }) => {
    const event = mock.world.events.find(({ type, deviceId }) => type === 'AGENT_ERROR' && deviceId !== null);
    const device = mock.world.devices.find(({ files }) => files.length > 0);
    const alert = mock.world.alerts[0];
    if (event === undefined || device === undefined || alert === undefined) throw new Error('a world');
    const places = [
      `/dashboard?event=${event.id}&in=${event.deviceId ?? ''}`,
      `/device/${device.id}?file=${device.files[0]?.id ?? ''}`,
      `/alerts-history?alert=${alert.id}&in=${alert.deviceId}`,
    ];
    const page = await open('/dashboard', { width: 390 });
    for (const place of places) {
      mock.streaming = true;
      await page.goto(mock.url + place);
      await page.getByRole('dialog').getByRole('heading', { level: 2 }).waitFor();
      await page.getByRole('dialog').getByText('Link chain').waitFor();
      mock.streaming = false;
      mock.dropStreams();
      await page.getByRole('dialog').getByText('Connection lost. Shown as of').waitFor();
    }
  },
);
