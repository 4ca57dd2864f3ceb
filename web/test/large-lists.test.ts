/** Long lists: rows that are out of sight are not in the page, and columns, order and length are the person's choice. */
import type { Page } from 'playwright-core';
import { alert, event, uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { ok } from './mock-routes.ts';
import { callsTo, consoleTest, live, until } from './support.ts';

const MANY = 250;

function manyAlerts(mock: Mock): void {
  const [of] = mock.world.devices;
  const one = of?.files[0];
  if (of === undefined || one === undefined) throw new Error('a device with a file');
  const now = Date.now();
  mock.world.alerts = Array.from({ length: MANY }, (_, n) =>
    alert(10_000 - n, 'UNEXPECTED_CHANGE', of, { ...one, name: `file-${n}` }, now - n * 60_000),
  ).sort((a, b) => (a.id < b.id ? 1 : -1));
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr[data-row]');

async function scrollUntilAll(page: Page): Promise<void> {
  const table = page.getByRole('table', { name: 'Alerts' });
  await until(async () => {
    await page.mouse.wheel(0, 20_000);
    return (await table.getAttribute('aria-rowcount')) === String(MANY + 1);
  }, 'all are read');
}

/** Scrolls until the row is in the page: a turn of the wheel may still move it afterwards. */
const scrolledTo = (page: Page, end: 'top' | 'bottom', rowIndex: number): Promise<void> =>
  until(async () => {
    await page.evaluate((to) => scrollTo(0, to === 'top' ? 0 : document.body.scrollHeight), end);
    return (await page.locator(`tr[aria-rowindex="${rowIndex}"]`).count()) === 1;
  }, `row ${rowIndex} is in the page`);

consoleTest('of many rows those near the screen are in the page, numbered', async ({ mock, open }, t) => {
  manyAlerts(mock);
  const page = await open('/alerts-history?rows=100', { height: 800 });
  await rowsOf(page).first().waitFor();
  await page.mouse.move(400, 400);
  await scrollUntilAll(page);
  await scrolledTo(page, 'bottom', MANY + 1);
  const last = page.locator(`tr[aria-rowindex="${MANY + 1}"]`);
  t.ok((await rowsOf(page).count()) < 100, 'few are in the page');
  const numbers = await rowsOf(page).evaluateAll((rows) =>
    rows.map((row) => Number(row.getAttribute('aria-rowindex'))),
  );
  t.same(
    numbers,
    numbers.map((_, n) => (numbers[0] ?? 0) + n),
    'one after the other',
  );
  await scrolledTo(page, 'top', 2);
  await until(async () => (await last.count()) === 0, 'the last have left');
  t.ok((await rowsOf(page).count()) < 100, 'few are in the page');
});

consoleTest('a page of 100 rows shows its first rows first, then all', async ({ mock, open }, t) => {
  manyAlerts(mock);
  const page = await open('/alerts-history');
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const { length } = document.querySelectorAll('tbody tr[data-row]');
      if (length === 0) return;
      Reflect.set(window, 'firstRows', length);
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(page.url().replace(/\/alerts-history.*$/, '/alerts-history?rows=100'));
  await until(async () => (await rowsOf(page).count()) === 100, 'all rows are in the page');
  const first = Number(await page.evaluate(() => Reflect.get(window, 'firstRows') as unknown));
  t.ok(first >= 20 && first < 50, `${first} rows at first`);
});

consoleTest('a row that has the focus stays in the page', async ({ mock, open }, t) => {
  manyAlerts(mock);
  const page = await open('/alerts-history?rows=100', { height: 800 });
  const third = rowsOf(page).nth(2).getByRole('link');
  await third.waitFor();
  await page.mouse.move(400, 400);
  await scrollUntilAll(page);
  await scrolledTo(page, 'top', 4);
  await page.locator('tr[aria-rowindex="4"]').getByRole('link').focus();
  await scrolledTo(page, 'bottom', MANY + 1);
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex'));
  t.equal(await focused(), '4');
  await page.keyboard.press('Tab');
  t.equal((await focused()) === undefined, false, 'the next is a row too');
});

consoleTest('the length of a page is chosen, and stands in the address', async ({ mock, open }, t) => {
  const [like] = mock.world.devices;
  if (like === undefined) throw new Error('a device');
  mock.world.devices = Array.from({ length: 60 }, (_, n) => ({
    ...like,
    id: uuid(300 + n),
    name: `machine-${n}`,
  }));
  const page = await open('/devices');
  const rows = page.getByRole('table', { name: 'Devices' }).locator('tbody tr');
  await rows.first().waitFor();
  t.equal(await rows.count(), 10);
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('11–20 of 60').waitFor();
  await page.getByRole('combobox', { name: 'Rows of a page' }).selectOption('50');
  await page.getByText('1–50 of 60').waitFor();
  t.match(page.url(), /\?rows=50$/);
  t.equal(await rows.count(), 50);
  t.equal(await page.getByRole('table', { name: 'Devices' }).getAttribute('aria-rowcount'), '61');
  await page.getByRole('button', { name: 'Next page' }).click();
  t.equal(await rows.first().getAttribute('aria-rowindex'), '52');
});

consoleTest(
  'columns and density are chosen and kept, order stands in the address',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    const table = page.getByRole('table', { name: 'Devices' });
    await table.waitFor();
    t.equal(callsTo(mock, 'GET', '/dashboard/').length, 0, 'counts are not read for nobody');
    await page.getByRole('button', { name: 'View' }).click();
    const view = page.getByRole('dialog', { name: 'View of devices' });
    for (const name of ['Status', 'Last contact', 'Active alerts', 'Files'])
      await view.getByLabel(name, { exact: true }).check();
    await view.getByLabel('Description').uncheck();
    await view.getByLabel('Density').selectOption('compact');
    await view.getByLabel('Order').selectOption('-Active alerts');
    await page.keyboard.press('Escape');
    const wanted = [
      ...[
        'Device name',
        'ID',
        'Category',
        'Creation date',
        'Status',
        'Last contact',
        'Active alerts',
        'Files',
      ],
      'Monitoring',
    ];
    t.same(await table.getByRole('columnheader').allInnerTexts(), wanted);
    const counts = table.locator('tbody tr td:nth-child(7)');
    await until(async () => !(await counts.allInnerTexts()).includes('–'), 'counts are there');
    const found = (await counts.allInnerTexts()).map(Number);
    t.same(
      found,
      found.toSorted((a, b) => b - a),
    );
    t.ok((found[0] ?? 0) > 0);
    t.equal(
      await table.getByRole('columnheader', { name: 'Active alerts' }).getAttribute('aria-sort'),
      'descending',
    );
    t.match(page.url(), /sort=-Active\+alerts/);
    await page.reload();
    await table.waitFor();
    t.same(await table.getByRole('columnheader').allInnerTexts(), wanted, 'kept');
    t.match(await table.getAttribute('class'), /table-compact/);
  },
);

consoleTest('a device whose agent is shut out is not in contact', async ({ mock, open }, t) => {
  const device = mock.world.devices.find(({ status, enabled }) => status === 'ACTIVE' && enabled)!;
  mock.world.devices = [Object.assign(device, { keyRefusedAt: new Date(mock.world.now).toISOString() })];
  const page = await open('/devices');
  const table = page.getByRole('table', { name: 'Devices' });
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('dialog', { name: 'View of devices' }).getByLabel('Status', { exact: true }).check();
  await page.keyboard.press('Escape');
  await table.getByRole('columnheader', { name: 'Status' }).waitFor();
  t.equal(await table.getByText('In contact').count(), 0);
  await table.getByText('Refused', { exact: true }).waitFor();
});

consoleTest('ten thousand files of a device are paged, a hundred at once', async ({ mock, open }, t) => {
  const [of] = mock.world.devices;
  const like = of?.files[0];
  if (of === undefined || like === undefined) throw new Error('a device with a file');
  const files = Array.from({ length: 10_000 }, (_, n) => ({
    ...like,
    id: uuid(20_000 + n),
    name: `file ${n}`,
  }));
  mock.world.devices[0] = { ...of, files };
  const page = await open(`/device/${of.id}?rows=100&page=100`);
  const table = page.getByRole('table', { name: `Files of ${of.name}` });
  await table.waitFor();
  await page.getByText('9,901–10,000 of 10,000').waitFor();
  await until(async () => (await table.locator('tbody tr').count()) === 100, 'all rows of the page');
  t.equal(await table.getAttribute('aria-rowcount'), '10001');
});

/** Returns the bytes of the page's heap without garbage. */
async function heapOf(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  await cdp.detach();
  return usedSize;
}

consoleTest(
  'a page that hears of a thousand events of others keeps none of them',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    await live(page);
    await rowsOf(page).first().waitFor();
    const hears = (n: number, more: Parameters<typeof event>[3], type: Parameters<typeof event>[1]): void =>
      mock.send('event', { ...event(n, type, Date.now(), more), orgId: mock.world.orgId, rev: 1 });
    const before = await heapOf(page);
    const note = JSON.stringify({ filler: 'x'.repeat(8_000) });
    for (let n = 0; n < 1_000; n += 1) hears(100_000 + n, { note }, 'FILE_DECREASED');
    // Frames come in order: with this notice, the page has heard of all events. The list is not rendered for it.
    const raised = { alertId: 'OTHER', fileName: 'the last file', deviceName: 'a device' };
    hears(200_000, { ...raised, note: '{"type":"HASH_BREACH"}' }, 'ALERT');
    await page.locator('.notices .notice').getByText('the last file on a device').waitFor();
    const growth = (await heapOf(page)) - before;
    t.ok(growth < 4_000_000, `grew by ${growth} bytes for 8 MB of notes`);
  },
);

consoleTest('a list that the server cuts says so', async ({ mock, open }, t) => {
  const many = <T extends { id: string }>(one: T | undefined, count: number): T[] => {
    if (one === undefined) throw new Error('one to copy');
    return Array.from({ length: count }, (_, n) => ({ ...one, id: uuid(9_000 - n) }));
  };
  const { world } = mock;
  world.enrolments = many(world.enrolments[0], 500);
  world.deliveries = many(world.deliveries[0], 200);
  const page = await open('/enrolments');
  await page.getByText('1–10 of at least 500 enrolment tokens').waitFor();
  await page.getByText('The newest 500 are listed, and all that are still in force.').waitFor();
  world.enrolments.pop();
  await page.reload();
  await page.getByText('1–10 of 499 enrolment tokens').waitFor();
  t.equal(await page.getByText('The newest 500').count(), 0);
  await page.goto(`${mock.url}/webhook/${world.webhooks[0]!.id}`);
  await page.getByText('1–10 of at least 200 deliveries').waitFor();
  await page.getByText('The log has the newest 200 attempts.').waitFor();
});

consoleTest('an old window that waits for its review is listed', async ({ mock, open }, t) => {
  const [open1, ended] = mock.world.windows;
  const newest = Array.from({ length: 500 }, (_, n) => ({
    ...open1!,
    ...{ id: uuid(9_000 - n), reason: `Window ${n}`, state: 'REVIEWED' as const },
  }));
  const forgotten = { ...ended!, id: uuid(701), reason: 'Forgotten' };
  mock.overrides.set('GET /maintenance/*', ({ query }) =>
    ok({ windows: query.get('toReview') === 'true' ? [forgotten] : newest, toReview: 1 }),
  );
  const page = await open('/maintenance?rows=100&page=6');
  await page.getByRole('link', { name: 'Forgotten' }).waitFor();
  await page.getByText('501–501 of at least 501 maintenance windows').waitFor();
  t.equal(await page.getByText('and those that wait for their review.').count(), 1);
});
