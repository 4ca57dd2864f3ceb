import type { Page } from 'playwright-core';
import { uuid, type World } from './fixtures.ts';
import { consoleTest, resize, until, type Assertions } from './support.ts';

/** 200 characters, of which 120 have no place to break. */
const LONG = `Name ${'x'.repeat(120)} ${'and more words '.repeat(5)}`.slice(0, 200);
const WIDTHS = [1440, 1024, 390, 320];
const machine = uuid(101);
/** Pages with tables, and one with the longest badge. */
const NARROW_PATHS = [
  '/dashboard',
  '/alerts-history',
  '/devices',
  '/users',
  `/device/${machine}`,
  '/maintenance',
  '/webhooks',
  `/webhook/${uuid(672)}`,
];

function lengthen(world: World): void {
  const [device] = world.devices;
  const [file] = device?.files ?? [];
  if (device === undefined || file === undefined) throw new Error('the world has a device with files');
  Object.assign(device, { name: LONG, description: LONG, path: `/srv/${'p'.repeat(160)}` });
  Object.assign(file, { name: LONG, path: `logs/${'p'.repeat(160)}` });
  for (const alert of world.alerts) Object.assign(alert, { fileName: LONG, deviceName: LONG });
  for (const event of world.events) Object.assign(event, { fileName: LONG, deviceName: LONG });
  for (const user of world.users.slice(1)) Object.assign(user, { name: LONG });
}

/** What does not fit in the width that it has. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('dialog[open], .card, td')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ tagName, className, textContent }) => `${tagName}.${className} ${textContent.slice(0, 40)}`),
  );

consoleTest(
  'nothing scrolls sideways on narrow phones, whatever the live mark says',
  async ({ mock, open }, t) => {
    for (const width of [390, 360, 320]) {
      const page = await open('/login', { width });
      for (const path of NARROW_PATHS) {
        await page.goto(new URL(path, page.url()).href);
        await page.locator('h1').first().waitFor();
        await page.locator('.table tbody tr').first().waitFor();
        for (const word of ['Live', 'Connecting', 'Offline']) {
          await page.locator('.live-word').evaluate((mark, text) => (mark.textContent = text), word);
          const { scrollWidth, clientWidth } = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            return { scrollWidth, clientWidth };
          });
          t.ok(scrollWidth <= clientWidth, `${path} at ${width}, ${word}`);
        }
      }
      await page.close();
    }
    t.ok(mock.calls.length > 0);
  },
);

consoleTest('the palette is not wider than the narrowest screen', async ({ open }, t) => {
  const page = await open('/dashboard', { width: 320 });
  await page.getByRole('button', { name: 'Find and go' }).click();
  const palette = page.locator('.palette');
  await page.locator('.palette-item').first().waitFor();
  const beyond = await palette.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  t.equal(beyond, 0);
});

consoleTest('the name of the product is whole in the head of every window', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  const brand = page.getByRole('banner').locator('.brand');
  const isWhole = async (what: string): Promise<void> => {
    for (const width of [1440, 1100, 768, 600, 390, 375, 374, 360, 320]) {
      await resize(page, width, 800);
      const cut = await brand.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      t.ok(cut <= 1, `${what} at ${width}: ${cut} pixels are cut`);
    }
  };
  await page.locator('.live-mark[data-state=live]').waitFor();
  await isWhole('live');
  mock.streaming = false;
  mock.dropStreams();
  await page.locator('.live-mark[data-state=stale]').waitFor();
  await isWhole('offline');
});

consoleTest(
  'a phone has no room for the word of the live mark, which is still heard',
  async ({ open }, t) => {
    const page = await open('/dashboard');
    const word = page.getByRole('banner').getByText('Live', { exact: true });
    for (const [width, isSeen] of [
      [390, false],
      [1440, true],
    ] as const) {
      await resize(page, width);
      await until(async () => ((await word.boundingBox())?.width ?? 0) > 1 === isSeen, `at ${width}`);
      t.match(await page.getByRole('banner').getByRole('status').ariaSnapshot(), /Live/, `at ${width}`);
    }
  },
);

async function fits(page: Page, t: Assertions, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await resize(page, width);
    // The chart follows the window a moment later.
    await until(async () => (await tooWide(page)).length === 0, `${what} at ${width}`).catch(() => null);
    t.same(await tooWide(page), [], `${what} at ${width}`);
  }
}

consoleTest('long names break, and no screen gets wider than its window', async ({ mock, open }, t) => {
  lengthen(mock.world);
  for (const path of ['/dashboard', '/alerts-history', '/devices', `/device/${machine}`, '/users']) {
    const page = await open(path);
    await page.locator('.table tbody tr').first().waitFor();
    await fits(page, t, path);
  }
});

consoleTest('a question about a long name can be read whole', async ({ mock, open }, t) => {
  lengthen(mock.world);
  const page = await open('/devices');
  await page.getByRole('switch').first().click();
  await page.getByRole('alertdialog').waitFor();
  await fits(page, t, 'the question');
});

consoleTest('the columns of a table share its room, whatever stands in them', async ({ mock, open }, t) => {
  lengthen(mock.world);
  const page = await open(`/device/${machine}`);
  const cells = page.locator('.table tbody tr').first().locator('td');
  await cells.first().waitFor();
  const widths = await cells.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth));
  t.ok((widths[1] ?? 0) > 110, `the path has room: ${widths.join(', ')}`);
});

consoleTest('the avatar shows the first sign of a name, not a part of it', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, name: '👩‍🚀 Ada' };
  const page = await open('/dashboard');
  t.equal(await page.locator('.avatar').getAttribute('data-initial'), '👩‍🚀');
});

consoleTest('the zone of all times stands in the header, but for phones', async ({ open }, t) => {
  for (const timeZone of ['UTC', 'Asia/Kolkata']) {
    for (const width of [1440, 1100, 768]) {
      const page = await open('/dashboard', { width, timeZone });
      const zone = page.locator('.header .zone-mark');
      await zone.waitFor({ state: 'attached' });
      const what = `${timeZone} at ${width}`;
      t.match(await zone.innerText(), timeZone === 'UTC' ? /^UTC$/ : /^GMT\+5:30$/, what);
      t.ok(await zone.isVisible(), what);
      const cut = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('.header-inner, .brand')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map(({ tagName, className }) => `${tagName}.${className}`),
      );
      t.strictSame(cut, [], `${what}: nothing is cut`);
      await page.context().close();
    }
  }
});

/** Waits until a page is no higher than its window, whose new height it takes a frame later; fails with the heights. */
async function untilNothingScrolls(page: Page, what: string): Promise<void> {
  const isLower = (): boolean => document.documentElement.scrollHeight <= window.innerHeight;
  await page.waitForFunction(isLower).catch(async (error: unknown) => {
    const heights = await page.evaluate(() =>
      [document.documentElement.scrollHeight, window.innerHeight].join(' of '),
    );
    throw new Error(`${what} scrolls: ${heights} px`, { cause: error });
  });
}

consoleTest('on phones the zone of all times stands at the foot of the page', async ({ mock, open }, t) => {
  // A window of this height shows more rows, which are read as it grows.
  mock.world.events.splice(5);
  for (const path of ['/dashboard', `/device/${machine}`]) {
    const page = await open(path, { width: 390, timeZone: 'Asia/Kolkata' });
    const foot = page.getByText('All times are in GMT+5:30.');
    await foot.waitFor();
    await resize(page, 390, 6_000);
    await untilNothingScrolls(page, path);
    mock.streaming = false;
    mock.dropStreams();
    await page.getByText('Connection lost.').waitFor();
    await untilNothingScrolls(page, `${path} that lost its connection`);
    mock.streaming = true;
    await resize(page, 768);
    await foot.waitFor({ state: 'hidden' });
    await page.context().close();
  }
  mock.session = { ...mock.session, orgId: null, userRole: null };
  const page = await open('/login/info', { width: 390 });
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.equal(await page.getByText('All times are in').count(), 0, 'no page has times yet');
});

/** Texts of times, with the zone where the style sheet shows one. */
const withZones = (times: Element[]): string[] =>
  times.map((time) => {
    const zone = time.querySelector<HTMLElement>('.phone-zone');
    const isShown = zone !== null && zone.getBoundingClientRect().width > 0;
    return isShown ? `${time.textContent} ${zone.dataset['zone']}` : (time.textContent ?? '');
  });

consoleTest('on phones the zone stands beside each time of day in a table', async ({ open }, t) => {
  for (const path of ['/dashboard', '/alerts-history', '/maintenance', '/enrolments', '/service-tokens']) {
    const page = await open(path, { width: 390, timeZone: 'Asia/Kolkata' });
    await page.locator('.table tbody tr').first().waitFor();
    const times = async (): Promise<string[]> =>
      (await page.locator('.table tbody time').evaluateAll(withZones)).filter((text) => /[AP]M/.test(text));
    const shown = await times();
    t.ok(shown.length > 0, `${path} shows times`);
    t.strictSame(
      shown.filter((text) => !/[AP]M GMT\+5:30$/.test(text)),
      [],
      path,
    );
    await resize(page, 1440);
    await until(async () => (await times()).every((text) => !text.includes('GMT')), 'the header names it');
    await page.context().close();
  }
});

consoleTest('the creation date of a file has its zone, as its last contact', async ({ mock, open }, t) => {
  const file = mock.world.devices.find(({ id }) => id === machine)?.files[0];
  if (file === undefined) throw new Error('the machine has a file');
  for (const path of [`/device/${machine}?file=${file.id}`, `/device/${machine}/file/${file.id}`]) {
    const page = await open(path, { timeZone: 'Asia/Kolkata' });
    const created = page.getByText('Creation date', { exact: true }).locator('xpath=..');
    const time = created.locator('time').last();
    await time.waitFor();
    t.match(await time.innerText(), /[AP]M GMT\+5:30/, path);
    await page.context().close();
  }
});

consoleTest(
  'all columns of the devices have room in the window, or their table scrolls',
  async ({ mock, open }, t) => {
    const [device] = mock.world.devices;
    Object.assign(device ?? {}, { description: 'Front end of the shop', labels: ['site:graz', 'team:web'] });
    const page = await open('/devices');
    await page.getByRole('button', { name: 'View' }).click();
    for (const box of await page.locator('.table-view').getByRole('checkbox').all()) await box.check();
    await page.keyboard.press('Escape');
    const table = page.getByRole('table', { name: 'Devices' });
    await table.getByRole('columnheader', { name: 'Files not judged' }).waitFor();
    for (const width of [1440, 1100, 769, 390]) {
      await resize(page, width);
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      t.ok(beyond <= 0, `the page does not scroll sideways at ${width}`);
    }
    await resize(page, 1440);
    const cut = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    t.ok(cut <= 1, `at 1440 all is seen: ${cut} pixels are cut`);
    const label = await table.getByText('team:web').first().boundingBox();
    t.ok((label?.height ?? 99) < 30, `a label is not broken: ${label?.height} pixels high`);
  },
);

consoleTest('the view of a table is whole on a phone', async ({ open }, t) => {
  for (const path of ['/devices', `/device/${machine}`])
    for (const width of [390, 320]) {
      const page = await open(path, { width });
      const toolbar = await page.locator('.toolbar:has(.table-view)').boundingBox();
      const table = await page
        .locator('.toolbar:has(.table-view) ~ * .table, .toolbar:has(.table-view) ~ .table')
        .first()
        .boundingBox();
      if (toolbar === null || table === null) throw new Error('a toolbar and its table are shown');
      t.ok(toolbar.y + toolbar.height <= table.y + 1, `${path} at ${width}: the toolbar covers no row`);
      await page.getByRole('button', { name: 'View', exact: true }).click();
      const box = await page.locator('.table-view .popover').boundingBox();
      if (box === null) throw new Error('the view is open');
      t.ok(box.x >= 0 && box.x + box.width <= width, `${path} at ${width}: ${JSON.stringify(box)}`);
      await page.context().close();
    }
});
