import type { Locator, Page } from 'playwright-core';
import { callsTo, consoleTest, until } from './support.ts';

consoleTest(
  '[S3.19] [S5.25] the custom date filter requires dates, times of twelve hours and periods',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    await page.getByLabel('Date', { exact: true }).selectOption('Custom');
    const filter = page.getByRole('dialog', { name: 'Date filter' });
    const apply = filter.getByRole('button', { name: 'Apply filter' });
    const sent = () => callsTo(mock, 'GET', '/alerts/').filter((call) => call.query.has('timestampFrom'));
    await filter.waitFor();
    for (const period of ['Period from', 'Period to'])
      t.equal(await filter.getByLabel(period).inputValue(), 'AM', 'default');
    for (const time of ['Time from', 'Time to'])
      t.equal(await filter.getByLabel(time).getAttribute('maxlength'), '5');
    const fields = {
      'Date from': '2026-11-02',
      'Time from': '12:05',
      'Date to': '2026-11-03',
      'Time to': '11:59',
    };
    const fill = async (left?: string) => {
      for (const [label, value] of Object.entries(fields))
        await filter.getByLabel(label).fill(label === left ? '' : value);
    };
    for (const label of Object.keys(fields)) {
      await fill(label);
      await apply.click();
      await until(
        async () => (await filter.getByText('Field cannot be empty').count()) === 1,
        `without ${label}`,
      );
    }
    for (const wrong of ['13:00', '00:30', '9:60', '12', 'noon']) {
      await fill();
      await filter.getByLabel('Time to').fill(wrong);
      await apply.click();
      await filter.getByText('Time is hh:mm, 12 hours').waitFor();
    }
    t.equal(sent().length, 0, 'nothing was sent');
    await fill();
    await filter.getByLabel('Period to').selectOption('PM');
    await apply.click();
    await until(() => sent().length > 0, 'the range is sent');
    const moments = await page.evaluate(() =>
      ['2026-11-02T00:05:00', '2026-11-03T23:59:00'].map((local) => new Date(local).getTime()),
    );
    const query = sent()[0]?.query;
    t.equal(Date.parse(query?.get('timestampFrom') ?? ''), moments[0], '12:05 AM');
    const end = Date.parse(query?.get('timestampTo') ?? '');
    t.equal(end, (moments[1] ?? 0) + 59_999, 'the end of 11:59 PM');
  },
);

consoleTest('the custom date filter closes when a keyboard leaves it', async ({ open }, t) => {
  const page = await open('/alerts-history');
  const date = page.getByLabel('Date', { exact: true });
  const filter = page.getByRole('dialog', { name: 'Date filter' });
  const isFocused = (element: Element) => element === document.activeElement;
  await date.focus();
  await date.selectOption('Custom');
  await filter.getByRole('button', { name: 'Apply filter' }).focus();
  await page.keyboard.press('Tab');
  await filter.waitFor({ state: 'detached' });
  t.ok(await page.getByLabel('Status').evaluate(isFocused), 'the focus is where it went');
  await date.selectOption('Custom');
  await filter.waitFor();
  await page.keyboard.press('Escape');
  await filter.waitFor({ state: 'detached' });
});

consoleTest('the fields of the custom date filter stand beside one another', async ({ open }, t) => {
  for (const width of [1440, 601, 600, 481, 390, 320]) {
    const page = await open('/alerts-history', { width });
    await page.getByLabel('Date', { exact: true }).selectOption('Custom');
    const filter = page.getByRole('dialog', { name: 'Date filter' });
    await filter.waitFor();
    const date = await filter.getByLabel('Date from').boundingBox();
    const time = await filter.getByLabel('Time from').boundingBox();
    if (date === null || time === null) throw new Error('the fields are shown');
    const isApart = date.x + date.width <= time.x || date.y + date.height <= time.y;
    t.ok(isApart, `at ${width}`);
  }
});

/** Lines of each text, and how far it reaches over the edge of its dialog or into the text beside it, in pixels. */
const placesOf = (texts: Locator) =>
  texts.evaluateAll((all) => {
    const boxes = all.map((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return range.getBoundingClientRect();
    });
    return all.map((text, index) => {
      const { top, bottom, height, right } = boxes[index] ?? new DOMRect();
      const beside = boxes.filter((other) => other.left > (boxes[index]?.left ?? 0) && other.top < bottom);
      const form = text.closest('form') ?? text;
      const edges = [
        form.getBoundingClientRect().right,
        ...beside.filter((other) => other.bottom > top).map(({ left }) => left),
      ];
      return {
        lines: Math.round(height / parseFloat(getComputedStyle(text).lineHeight)),
        over: Math.max(0, Math.round(right - Math.min(...edges))),
      };
    });
  });

consoleTest('an error of the custom date filter takes one line and covers nothing', async ({ open }, t) => {
  for (const width of [1440, 600, 390]) {
    const page = await open('/alerts-history', { width });
    await page.getByLabel('Date', { exact: true }).selectOption('Custom');
    const filter = page.getByRole('dialog', { name: 'Date filter' });
    const errors = filter.locator('.field-error');
    const fits = async (texts: string[]): Promise<void> => {
      await filter.getByRole('button', { name: 'Apply filter' }).click();
      await until(async () => (await errors.allInnerTexts()).join() === texts.join(), `errors at ${width}`);
      const places = await placesOf(errors);
      t.same(
        places,
        texts.map(() => ({ lines: 1, over: 0 })),
        `${texts[0]} at ${width}`,
      );
      const hidden = await filter.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      t.equal(hidden, 0, `the dialog is as wide as its content at ${width}`);
    };
    await fits(Array.from({ length: 4 }, () => 'Field cannot be empty'));
    for (const end of ['from', 'to']) await filter.getByLabel(`Time ${end}`).fill('13:00');
    await filter.getByLabel('Date from').fill('2026-11-03');
    await filter.getByLabel('Date to').fill('2026-11-02');
    await fits(['Time is hh:mm, 12 hours', 'Time is hh:mm, 12 hours']);
    for (const end of ['from', 'to']) await filter.getByLabel(`Time ${end}`).fill('12:00');
    await fits(['The end lies before the beginning']);
  }
});

consoleTest('a mistyped year in the date filter takes nothing away', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.getByLabel('Date', { exact: true }).selectOption('Custom');
  const filter = page.getByRole('dialog', { name: 'Date filter' });
  for (const [label, value] of [
    ['Date from', '2026-11-02'],
    ['Time from', '12:05'],
    ['Time to', '11:59'],
  ] as const)
    await filter.getByLabel(label).fill(value);
  const day = filter.getByLabel('Date to');
  t.equal(await day.getAttribute('max'), '9999-12-30');
  // The browser keeps such a year when it is pasted.
  await day.fill('12026-11-03');
  await filter.getByRole('button', { name: 'Apply filter' }).click();
  await filter.getByText('The year has at most four digits').waitFor();
  await page.getByRole('table', { name: 'Alerts' }).waitFor();
});

consoleTest('what is older than the chosen range leaves a list as time passes', async ({ mock, open }, t) => {
  const now = Date.now();
  const [event] = mock.world.events;
  const [alert] = mock.world.alerts;
  if (event === undefined || alert === undefined) throw new Error('the world has both');
  const at = (minutes: number, id: string) => ({
    id,
    timestamp: new Date(now - minutes * 60_000).toISOString(),
  });
  const [later, earlier] = [at(5, `${event.id.slice(0, -1)}Z`), at(29, `${event.id.slice(0, -1)}Y`)];
  mock.world.events = [later, earlier].map((one) => ({ ...event, ...one }));
  mock.world.alerts = [later, earlier].map((one) => ({ ...alert, ...one }));
  for (const [path, name] of [
    ['/dashboard?date=30', 'Events'],
    ['/alerts-history?date=30', 'Alerts'],
  ] as const) {
    mock.now = now;
    const page = await open(path);
    await page.clock.install({ time: now });
    await page.reload();
    const rows = page.getByRole('table', { name, exact: true }).locator('tbody tr');
    await until(async () => (await rows.count()) === 2, `${name}: both are shown`);
    mock.now = now + 120_000;
    await page.clock.fastForward(120_000);
    await until(async () => (await rows.count()) < 2, `${name}: one has left`);
    t.equal(await rows.count(), 1, name);
  }
});

consoleTest('counts and groups follow a range that moves', async ({ mock, open }, t) => {
  const now = Date.now();
  const [alert] = mock.world.alerts;
  if (alert === undefined) throw new Error('the world has an alert');
  mock.world.alerts = [5, 29].map((minutes, n) => ({
    ...alert,
    id: `${alert.id.slice(0, -1)}${n}`,
    timestamp: new Date(now - minutes * 60_000).toISOString(),
  }));
  const shown: readonly (readonly [group: string, both: (page: Page) => Locator])[] = [
    ['', (page) => page.getByText(/^2 alerts/)],
    [
      '&group=TYPE',
      (page) =>
        page.getByRole('table', { name: 'Groups of alerts' }).getByRole('cell', { name: '2', exact: true }),
    ],
  ];
  for (const [group, both] of shown) {
    mock.now = now;
    const page = await open(`/alerts-history?date=30${group}`);
    await page.clock.install({ time: now });
    await page.reload();
    await both(page).first().waitFor();
    mock.now = now + 120_000;
    await page.clock.fastForward(120_000);
    await until(async () => (await both(page).count()) === 0, 'one has left');
    t.equal(await both(page).count(), 0, group);
  }
});
