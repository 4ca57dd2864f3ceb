/** What an auditor takes away on paper: the thing itself with whole hashes, and nothing that can be pressed or filled in. */
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { manyAlerts } from './many-alerts.ts';
import { ok, routes } from './mock-routes.ts';
import { consoleTest, until } from './support.ts';

async function paper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

consoleTest('a printed alert says what it is, with its chain and whole hashes', async ({ mock, open }, t) => {
  const page = await open('/alerts-history', { timeZone: 'UTC' });
  await page.locator('.row-button').first().click();
  await page.locator('.chain-link').first().waitFor();
  const lists = page.locator('main > *:not(.side-modal) .table').filter({ visible: true });
  t.ok((await lists.count()) > 0, 'the screen has the list');
  await paper(page);
  const panel = page.locator('.side-modal');
  for (const role of ['button', 'textbox', 'combobox'] as const)
    t.equal(await panel.getByRole(role).filter({ visible: true }).count(), 0, `no ${role}`);
  t.equal(await lists.count(), 0, 'no list');
  const [alert] = mock.world.alerts;
  const text = await panel.innerText();
  t.match(text, alert?.id ?? 'an alert', 'its id');
  t.match(text, /Link chain/);
  const [head] = await page.locator('.print-head').allInnerTexts();
  t.match(head, /What\s+Hash breach[^]*Organization\s[^]*Printed\s[^]*UTC[^]*Address\s+http/);
  const hashes = await page
    .locator('.chain-link [data-print]')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one, '::after').content));
  t.ok(hashes.length > 0 && hashes.every((content) => /^"[0-9a-f]{64}"$/.test(content)), 'hashes in full');
});

/** Texts on the paper, those that only the print style sets included. */
const printedText = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const added = [...document.querySelectorAll<HTMLElement>('[data-print]')]
      .filter((one) => one.checkVisibility())
      .map((one) => getComputedStyle(one, '::after').content);
    return [document.body.innerText, ...added].join('\n');
  });

consoleTest('paper says no age, which is wrong a minute later, but the time', async ({ mock, open }, t) => {
  const [alert] = mock.world.alerts;
  const [device] = mock.world.devices;
  const file = device?.files[0];
  const one = `alert=${alert?.id}&in=${alert?.deviceId}`;
  const pages = [
    { at: `/alerts-history?${one}`, ready: '.side-modal .chain-link' },
    { at: `/dashboard`, ready: '[aria-label="Latest active alerts"] li' },
    { at: `/device/${device?.id}`, ready: '.subheader' },
    { at: `/device/${device?.id}/file/${file?.id}`, ready: '.description-list' },
  ];
  for (const { at, ready } of pages) {
    const page = await open(at, { timeZone: 'UTC' });
    await page.locator(ready).first().waitFor();
    t.match(await page.locator('body').innerText(), /ago|just now/, `${at}: the screen says an age`);
    await paper(page);
    const text = await printedText(page);
    t.notMatch(text, /\bago\b|just now|yesterday/, `${at}: the paper does not`);
    // One is the time of printing.
    const times = text.match(/\w{3} \d{1,2}, \d{4}, \d{1,2}:\d{2}:\d{2} [AP]M UTC/g) ?? [];
    t.ok(times.length > 1, `${at}: but the time with its zone`);
  }
});

consoleTest(
  'a list on paper has every row that is loaded, and says when there are more',
  async ({ mock, open }, t) => {
    const count = 250;
    manyAlerts(mock, count);
    const total = mock.world.alerts.length;
    const page = await open('/alerts-history?rows=100', { height: 800 });
    const table = page.getByRole('table', { name: 'Alerts' });
    const rows = table.locator('tbody tr[data-row]');
    await rows.first().waitFor();
    await until(async () => (await table.getAttribute('aria-rowcount')) === '101', 'the first page');
    await paper(page);
    t.match(await printedText(page), /This is the beginning of the list: more exist\./);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen' });
    await until(async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      return (await table.getAttribute('aria-rowcount')) === String(total + 1);
    }, 'all are read');
    await until(async () => (await rows.count()) < 150, 'few are on the screen');
    await paper(page);
    t.equal(await rows.count(), total, 'all are on paper');
    t.notMatch(await printedText(page), /more exist/);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await until(async () => (await rows.count()) < 150, 'few are on the screen again');
  },
);

consoleTest('a page of a table says on paper which rows it has', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  mock.world.devices = Array.from({ length: 30 }, (_, n) => ({
    ...device!,
    id: uuid(900 + n),
    name: `rack ${n}`,
  }));
  const page = await open('/devices');
  await page.getByRole('table', { name: 'Devices' }).locator('tbody tr').first().waitFor();
  await paper(page);
  t.match(await printedText(page), /1–10 of 30 devices/);
  await page.goto(`${mock.url}/alerts-history?group=FILE`);
  await page.getByRole('table', { name: 'Groups of alerts' }).waitFor();
  mock.overrides.set('GET /alerts/groups/*', (request) => {
    const { body } = routes['GET /alerts/groups/*']!(mock.world, request, []);
    return ok({ ...(body as object), total: 700 });
  });
  await page.reload();
  await page.getByRole('table', { name: 'Groups of alerts' }).waitFor();
  await paper(page);
  t.match(await printedText(page), /This is the beginning of the list: more exist\./);
});
