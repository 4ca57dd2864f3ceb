/** Theme and time zone: chosen by the person, kept, and there before the first paint. */
import { readFileSync } from 'node:fs';
import { shownDateTime } from '@sentinel-node/contracts';
import type { Page } from 'playwright-core';
import { contrast, TEXT_CONTRAST, type Colour } from './contrast.ts';
import { callsTo, consoleTest, MID_HOUR, setTime, until } from './support.ts';

const background = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body ?? document.documentElement).backgroundColor);
const LIGHT = 'rgb(245, 246, 248)';
const DARK = 'rgb(15, 18, 24)';

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitemradio', { name: item }).click();
  await page.keyboard.press('Escape');
}

consoleTest('the theme is the system’s until it is chosen, and the choice is kept', async ({ open }, t) => {
  const page = await open('/users');
  await page.getByRole('button', { name: 'User menu' }).waitFor();
  t.equal(await background(page), LIGHT);
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(async () => (await background(page)) === DARK, 'the system has become dark');
  await choose(page, 'Light');
  await until(async () => (await background(page)) === LIGHT, 'the chosen theme is there');
  await page.reload();
  await page.getByRole('button', { name: 'User menu' }).waitFor();
  t.equal(await background(page), LIGHT);
  await page.getByRole('button', { name: 'User menu' }).click();
  const light = page.getByRole('menuitemradio', { name: 'Light' });
  t.equal(await light.getAttribute('aria-checked'), 'true');
  await page.getByRole('menuitemradio', { name: 'System' }).click();
  await until(async () => (await background(page)) === DARK, 'the system’s theme is back');
});

consoleTest('a chosen theme is there before any script of the console runs', async ({ mock, open }, t) => {
  const page = await open('/login', { signedIn: false });
  await page.getByRole('button', { name: 'Display' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.route(/\/assets\/(console|index)-.*\.js/, () => new Promise(() => undefined));
  await page.goto(`${mock.url}/login`, { waitUntil: 'commit' });
  await until(async () => (await background(page)) === DARK, 'the empty page is dark');
  t.equal(await page.locator('#root > *').count(), 0, 'and still empty');
});

consoleTest(
  'times are local or UTC, everywhere, with how long ago',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history', { timeZone: 'America/New_York' });
    const [alert] = mock.world.alerts;
    const at = alert?.timestamp ?? '';
    const inTable = (zone: string) => shownDateTime(at, zone).replace(/(\d{4}),/, '$1');
    const cell = page.locator('tbody tr').first().locator('time');
    await cell.waitFor();
    t.equal(await cell.innerText(), inTable('America/New_York'));
    t.match(await cell.getAttribute('title'), /E[SD]T, 4 minutes ago$/);
    t.match(await page.locator('.zone-mark').innerText(), /^E[SD]T$/);
    await choose(page, 'UTC');
    await until(async () => (await cell.innerText()) === inTable('UTC'), 'the table shows UTC');
    t.equal(await page.locator('.zone-mark').innerText(), 'UTC');
    await page.reload();
    await cell.waitFor();
    t.equal(await cell.innerText(), inTable('UTC'), 'kept');
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    await page
      .getByRole('dialog')
      .getByText(`${shownDateTime(at, 'UTC')} UTC (4 minutes ago)`)
      .waitFor();
    await page.goto(`${mock.url}/alerts-history?search=hash`);
    await cell.waitFor();
    t.equal(callsTo(mock, 'GET', '/alerts/').at(-1)?.query.get('timeZone'), 'UTC', 'the search too');
    await setTime(page, mock, new Date('2026-03-31T23:30:00-04:00'));
    await page.getByRole('button', { name: 'Export CSV' }).click();
    t.equal(await page.getByLabel('Date to').inputValue(), '2026-04-01', 'and the days of an export');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await until(() => mock.calls.some(({ query }) => query.get('toExport') === 'true'), 'an export');
    const query = mock.calls.find((call) => call.query.get('toExport') === 'true')?.query;
    t.equal(query?.get('timestampFrom'), '2026-03-01T00:00:00.000Z');
    t.equal(query?.get('timestampTo'), '2026-04-01T23:59:59.999Z');
  },
  { at: MID_HOUR },
);

consoleTest('a search is asked again in the zone that is chosen', async ({ mock, open }, t) => {
  for (const [path, prefix] of [
    ['/alerts-history', '/alerts/'],
    ['/dashboard', '/events/'],
  ] as const) {
    const page = await open(`${path}?search=11%3A30`, { timeZone: 'America/New_York' });
    const zones = (): (string | null)[] =>
      callsTo(mock, 'GET', prefix).flatMap(({ query }) =>
        query.has('search') ? [query.get('timeZone')] : [],
      );
    await until(() => zones().length > 0, 'the first search');
    await choose(page, 'UTC');
    await until(() => zones().at(-1) === 'UTC', `${path} in UTC`);
    t.equal(zones()[0], 'America/New_York');
  }
});

consoleTest('every colour comes from the tokens, and differs enough in both themes', async (_stage, t) => {
  const source = (path: string) => readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');
  const tokens = new Map(
    [...source('styles/tokens.css').matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
      ([, name = '', light = '', dark = '']) => [name, { light, dark }],
    ),
  );
  const colour = (theme: 'light' | 'dark', name: string): Colour => {
    const value = tokens.get(name)?.[theme] ?? '';
    const part = (at: number): number => parseInt(value.slice(at, at + 2), 16);
    return [part(1), part(3), part(5)];
  };
  const text = TEXT_CONTRAST;
  const drawing = 3;
  const pairs: [least: number, one: string, others: string[]][] = [
    [text, 'text', ['bg', 'surface', 'surface-2', 'surface-3']],
    [text, 'text-2', ['bg', 'surface', 'surface-2', 'surface-3', 'accent-soft']],
    [text, 'text-3', ['bg', 'surface', 'surface-2']],
    ...['accent', 'danger', 'warning', 'success'].flatMap((tone): typeof pairs => [
      [text, `${tone}-text`, ['surface', 'surface-2', `${tone}-soft`]],
      // Rings, bars of the chart and the edges of rows.
      [drawing, tone, ['surface']],
    ]),
    [text, 'on-accent', ['accent', 'accent-hover']],
    [text, 'on-danger', ['danger', 'danger-hover']],
  ];
  for (const theme of ['light', 'dark'] as const)
    for (const [least, one, others] of pairs)
      for (const other of others)
        t.ok(contrast(colour(theme, one), colour(theme, other)) >= least, `${theme}: ${one} on ${other}`);
});

/** Returns the colour in the middle of an element as it is painted, as `r,g,b`. */
async function painted(page: Page, selector: string): Promise<string> {
  const png = await page.locator(selector).first().screenshot();
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    if (context === null) throw new Error('no canvas');
    context.drawImage(image, 0, 0);
    const [x, y] = [Math.floor(image.width / 2), Math.floor(image.height / 2)];
    return [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join();
  }, png.toString('base64'));
}

consoleTest('charts keep their bars with forced colours and on paper', async ({ open }, t) => {
  const page = await open('/dashboard');
  const bar = `.time-chart-bar:not([style*="height: 0%"])`;
  await page.locator(bar).first().waitFor();
  const colour = await painted(page, bar);
  await page.emulateMedia({ forcedColors: 'active' });
  t.equal(await painted(page, bar), colour, 'a bar');
  for (const selector of ['.time-chart-bar', '.live-dot'])
    t.equal(
      await page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).printColorAdjust),
      'exact',
      `${selector} on paper`,
    );
});
