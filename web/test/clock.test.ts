/** A browser whose clock is wrong: ages, ranges and the hours of the dashboard follow the server's clock, and a banner says so. */
import type { Page } from 'playwright-core';
import { callsTo, consoleTest, MID_HOUR, until } from './support.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const clocks: [name: string, by: number, said: string][] = [
  ['ahead', DAY_MS, 'The clock of this computer is 1 day ahead of the server’s.'],
  ['behind', -DAY_MS, 'The clock of this computer is 1 day behind the server’s.'],
];

/** Has the page's clock be wrong from its next load on. */
async function setWrong(page: Page, by: number): Promise<void> {
  await page.addInitScript((wrong) => {
    const right = Date;
    const now = (): number => right.now() + wrong;
    window.Date = new Proxy(right, {
      construct: (target, given: unknown[]) =>
        Reflect.construct(target, given.length === 0 ? [now()] : given) as Date,
      get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
    });
  }, by);
}

for (const [name, by, said] of clocks)
  consoleTest(
    `a clock that is ${name} by a day makes nothing old, new or empty`,
    async ({ mock, open }, t) => {
      const page = await open('/dashboard');
      const sum = page.locator('.activity-sum');
      await page.getByText('4 minutes ago').first().waitFor();
      const truth = await sum.innerText();
      t.match(truth, /[1-9]\d* events/);
      t.equal(await page.locator('.clock-banner').count(), 0, 'a clock that is right needs no word');
      await setWrong(page, by);
      await page.reload();
      await page.getByText(said).waitFor();
      await page.getByText('4 minutes ago').first().waitFor();
      await until(async () => (await sum.innerText()) === truth, 'the hours of the server');
      mock.calls.length = 0;
      await page.getByLabel('Date', { exact: true }).selectOption('Last hour');
      const sent = () => callsTo(mock, 'GET', '/events/').find(({ query }) => query.has('timestampFrom'));
      await until(() => sent() !== undefined, 'a range back from now');
      const from = Date.parse(sent()?.query.get('timestampFrom') ?? '');
      t.ok(Math.abs(MID_HOUR - 60 * MINUTE_MS - from) < DAY_MS / 2, 'from an hour before the server’s now');
      await page.getByRole('button', { name: 'Export' }).click();
      const day = await page.evaluate((at) => new Date(at).toLocaleDateString('sv-SE'), MID_HOUR);
      t.equal(await page.getByLabel('Date to').inputValue(), day, 'an export ends today');
    },
    { at: MID_HOUR },
  );
