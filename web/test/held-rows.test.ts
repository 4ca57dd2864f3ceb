/** What a person reads stays where it is; what is new waits until it is asked for. */
import type { Page } from 'playwright-core';
import { alert, event } from './fixtures.ts';
import { manyAlerts } from './many-alerts.ts';
import type { Mock } from './mock-api.ts';
import { callsTo, consoleTest, framesAfter, live, until } from './support.ts';

function raise(mock: Mock, n: number) {
  const of = mock.world.devices[1];
  const file = of?.files[0];
  if (of === undefined || file === undefined) throw new Error('a device with a file');
  const raised = alert(900 + n, 'UNEXPECTED_CHANGE', of, file, Date.now() + n);
  mock.world.alerts.unshift(raised);
  mock.send('alert', { ...raised, orgId: mock.world.orgId, rev: 1 });
  return raised;
}

consoleTest('a searched list keeps its rows, and offers what is new', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?search=ledger-db-01');
  await live(page);
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await rows.first().waitFor();
  const before = await rows.allInnerTexts();
  const top = (await rows.first().boundingBox())?.y;
  // The counts of the filters may be read again: they are no rows.
  const listReads = () => callsTo(mock, 'GET', `/alerts/${mock.world.orgId}`).length;
  const reads = listReads();
  t.ok(reads > 0, 'the list was read');
  for (let n = 0; n < 3; n++) raise(mock, n);
  const elsewhere = raise(mock, 7);
  mock.send('alert', {
    ...elsewhere,
    deviceName: 'another',
    id: `${elsewhere.id.slice(0, -1)}9`,
    orgId: '',
    rev: 1,
  });
  const offer = page.getByRole('button', { name: '4 new alerts' });
  await offer.waitFor();
  t.same((await rows.allInnerTexts()).slice(0, before.length), before, 'the same rows');
  t.equal((await rows.first().boundingBox())?.y, top, 'in the same place');
  t.equal(listReads(), reads, 'the list was not read again');
  await offer.click();
  await until(async () => (await offer.count()) === 0, 'the offer goes');
  t.match((await rows.allInnerTexts()).slice(0, 4).join(), /(Unexpected change.*){4}/s);
});

consoleTest(
  'a row that no longer matches its filter stays, with its new state',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history?status=ACTIVE');
    await live(page);
    const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
    await until(async () => (await rows.count()) === 2, 'two active alerts');
    const [first] = mock.world.alerts;
    mock.send('alert', { ...first, status: 'RESOLVED', orgId: mock.world.orgId, rev: 4 });
    await rows.first().getByText('Dismissed', { exact: true }).waitFor();
    t.equal(await rows.count(), 2);
  },
);

consoleTest(
  'a list that was scrolled through does not move; after a resync neither',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard', { height: 700 });
    await live(page);
    const rows = page.getByRole('table', { name: 'Events', exact: true }).locator('tbody tr');
    await rows.first().waitFor();
    for (const count of [20, 30]) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await until(async () => (await rows.count()) >= count, `${count} rows`);
    }
    const shown = await rows.count();
    const first = await rows.first().innerText();
    const told = event(950, 'ROLLING', Date.now(), { fileName: 'newcomer' });
    mock.world.events.unshift(told);
    mock.send('event', { ...told, orgId: mock.world.orgId, rev: 1 });
    await page.getByRole('button', { name: '1 new event' }).waitFor();
    mock.send('resync', {});
    const isLong = (limit: string | null): boolean => Number(limit) >= shown;
    await until(
      () => callsTo(mock, 'GET', '/events/').some(({ query }) => isLong(query.get('limit'))),
      'as many rows as are shown are read again',
    );
    await page.getByRole('button', { name: '1 new event' }).waitFor();
    t.ok((await rows.count()) >= shown - 1, 'the list is as long as it was');
    t.equal(await rows.first().innerText(), first);
    await page.getByRole('button', { name: '1 new event' }).click();
    await rows.first().getByText('newcomer').waitFor();
    await until(() => rows.first().isVisible(), 'it is on the screen');
  },
);

consoleTest('older rows that take the place of handled ones are not new', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  const page = await open('/alerts-history?status=ACTIVE');
  await live(page);
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await until(async () => (await rows.count()) >= 10, 'a page is shown');
  const before = await rows.allInnerTexts();
  // While the stream was interrupted, three were handled elsewhere, and one was raised.
  for (const one of mock.world.alerts.slice(0, 3)) Object.assign(one, { status: 'RESOLVED' });
  const of = mock.world.devices[1];
  const file = of?.files[0];
  if (of === undefined || file === undefined) throw new Error('a device with a file');
  mock.world.alerts.unshift(alert(960, 'UNEXPECTED_CHANGE', of, file, Date.now()));
  mock.send('resync', {});
  await page.getByRole('button', { name: /new alert/ }).waitFor();
  t.same(await page.getByRole('button', { name: /new alert/ }).allInnerTexts(), ['1 new alert']);
  const after = await rows.allInnerTexts();
  t.equal(after.length, before.length - 1, 'the page of the server has the new one, too');
  t.same(after.slice(0, before.length - 3), before.slice(3), 'the rest stays in its order');
});

/** Has the server answer calls of a page after the first, and holds these answers back until they are let go. */
async function holdPages(page: Page): Promise<{ held: URL[]; letGo: (wanted: RegExp) => void }> {
  const held: { url: URL; go: () => void }[] = [];
  await page.route(/\/api\/v1\/alerts\/[^/]+\?.*lastId=/, async (route) => {
    const response = await route.fetch();
    await new Promise<void>((go) => held.push({ url: new URL(route.request().url()), go }));
    await route.fulfill({ response });
  });
  return {
    get held() {
      return held.map(({ url }) => url);
    },
    letGo: (wanted) => {
      for (const { url, go } of held) if (wanted.test(url.search)) go();
    },
  };
}

/** Scrolls to the end, where the next page is read, until it is. */
const scrollDownUntil = (page: Page, isRead: () => boolean): Promise<void> =>
  until(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    return isRead();
  }, 'another page is read');

consoleTest('a late page is not appended to the list of another filter', async ({ mock, open }, t) => {
  // The first ten rows are the same under both filters.
  manyAlerts(mock, 10);
  const page = await open('/devices');
  const pages = await holdPages(page);
  await page.goto(`${mock.url}/alerts-history`);
  await live(page);
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await until(async () => (await rows.count()) === 10, 'the first page');
  await scrollDownUntil(page, () => pages.held.length === 1);
  await page.getByLabel('Status').selectOption('ACTIVE');
  await page.getByText('12 alerts', { exact: true }).waitFor();
  await scrollDownUntil(page, () => pages.held.length === 2);
  t.match(pages.held[1]?.search, 'status=ACTIVE');
  const answered = page.waitForResponse((response) => response.url().includes('lastId='));
  pages.letGo(/^(?!.*status=ACTIVE)/);
  await answered;
  await framesAfter(page);
  t.equal(await rows.getByText('Dismissed', { exact: true }).count(), 0, 'active ones only');
  t.equal(await rows.count(), 10);
  pages.letGo(/status=ACTIVE/);
  await until(async () => (await rows.count()) === 12, 'the page of this list');
});

consoleTest('what changes while a page is under way is shown as it is', async ({ mock, open }, t) => {
  manyAlerts(mock, 20);
  const page = await open('/devices');
  const pages = await holdPages(page);
  await page.goto(`${mock.url}/alerts-history`);
  await live(page);
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await until(async () => (await rows.count()) === 10, 'the first page');
  await scrollDownUntil(page, () => pages.held.length === 1);
  const { orgId, alerts } = mock.world;
  mock.send('alert', { ...alerts[12], status: 'RESOLVED', orgId, rev: 4 });
  // A row of the first page shows that the frames have come.
  mock.send('alert', { ...alerts[2], status: 'RESOLVED', orgId, rev: 4 });
  await rows.nth(2).getByText('Dismissed', { exact: true }).waitFor();
  pages.letGo(/lastId/);
  await until(async () => (await rows.count()) >= 20, 'the second page');
  await rows.nth(12).getByText('Dismissed', { exact: true }).waitFor();
  t.equal(await rows.getByText('Dismissed', { exact: true }).count(), 2);
});

consoleTest('oldest first: what is new comes last, when the end is shown', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await live(page);
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  const order = page.getByRole('combobox', { name: 'Order' });
  const files = (all: { fileName: string }[]) => all.map(({ fileName }) => fileName);
  const shown = async () => {
    const texts = await rows.allInnerTexts();
    return texts.map((text) => text.split('\t').at(2)?.trim() ?? text);
  };
  const newestFirst = files(mock.world.alerts);
  const oldestFirst = newestFirst.toReversed();
  await until(async () => (await shown())[0] === newestFirst[0], 'newest first');
  await order.selectOption('Oldest first');
  t.equal(new URL(page.url()).searchParams.get('order'), 'oldest', 'in the address');
  await until(async () => (await shown())[0] === oldestFirst[0], 'oldest first');
  t.equal(await page.getByRole('columnheader', { name: 'Time' }).getAttribute('aria-sort'), 'ascending');
  t.same((await shown()).slice(0, 10), oldestFirst.slice(0, 10));

  raise(mock, 1);
  await until(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    return (await rows.count()) === 25;
  }, 'all with the new one');
  const last = raise(mock, 2);
  await until(async () => (await rows.count()) === 26, 'another one');
  const all = await shown();
  t.same(all.slice(0, 24), oldestFirst, 'the rows stay');
  t.equal(all[25], last.fileName, 'the new one is last');
  t.equal(await page.getByRole('button', { name: /new alert/ }).count(), 0, 'nothing waits');

  await page.reload();
  await until(async () => (await shown())[0] === oldestFirst[0], 'the address keeps the order');
  await order.selectOption('Newest first');
  t.equal(new URL(page.url()).searchParams.get('order'), null);
  await until(async () => (await shown())[0] === last.fileName, 'newest first again');
});
