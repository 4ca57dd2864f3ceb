/** A server whose views are behind its log: figures look fresh and are not, so that the page says how old they are. */
import { shownDateTime } from '@sentinel-node/contracts';
import { getDefaultStore } from 'jotai';
import t from 'tap';
import type { Page } from 'playwright-core';
import { hearServerTime } from '../src/state/clock.ts';
import { hearViews, viewsBehindAtom } from '../src/state/views-age.ts';
import { consoleTest, live, MID_HOUR, until } from './support.ts';

const MINUTE_MS = 60_000;
const isoBefore = (ms: number): string => new Date(MID_HOUR - ms).toISOString();
const timeBefore = (ms: number): string => shownDateTime(isoBefore(ms), 'UTC').slice('Nov 21, 2026, '.length);
const FOUR = { state: 'BEHIND', asOf: isoBefore(4 * MINUTE_MS) } as const;
/** What was said before the clocks stood still. */
const BEFORE = { state: 'CURRENT', asOf: isoBefore(5 * MINUTE_MS) } as const;
const CURRENT = { state: 'CURRENT', asOf: isoBefore(0) } as const;
const banner = (page: Page) => page.locator('main').locator('..').locator('> .stale-place .stale-banner');
const green = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--success'));

consoleTest(
  'what is read from views that are behind says of when it is, until they have caught up',
  async ({ mock, open }, t) => {
    mock.views = FOUR;
    const page = await open('/dashboard');
    const status = page.getByRole('status').filter({ hasText: 'What you see is as of' });
    await status.waitFor();
    await page.getByText('80%').first().waitFor();
    t.match(
      await status.innerText(),
      `What you see is as of ${timeBefore(4 * MINUTE_MS)}; 4 minutes behind. The server has not worked through what came since.`,
    );
    t.equal(await status.locator('[aria-live=off]').count(), 1, 'the minutes are not said again and again');
    await page.locator('.live-mark').getByText('Outdated', { exact: true }).waitFor();
    const grey = await green(page);
    mock.views = CURRENT;
    mock.send('views', CURRENT);
    await live(page);
    t.equal(await banner(page).count(), 0);
    t.not(await green(page), grey, 'green again');
  },
  { at: MID_HOUR },
);

consoleTest(
  'a page that is open hears by the stream that the views fell behind, also in its panel',
  async ({ mock, open }, t) => {
    mock.views = BEFORE;
    const page = await open('/dashboard');
    await live(page);
    const good = await green(page);
    t.equal(await banner(page).count(), 0, 'current views need no word');
    mock.send('views', FOUR);
    await banner(page).waitFor();
    t.not(await green(page), good, 'nothing is green');
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('dialog').getByText('What you see is as of').waitFor();
    mock.send('views', CURRENT);
    await until(async () => (await page.locator('.stale-banner').count()) === 0, 'caught up');
  },
  { at: MID_HOUR },
);

consoleTest(
  'while the server cannot read its log, nobody knows how far behind, and the page says so',
  async ({ mock, open }, t) => {
    mock.views = { ...FOUR, state: 'UNKNOWN' };
    const page = await open('/devices');
    await banner(page).waitFor();
    t.match(
      await banner(page).innerText(),
      `What you see is as of ${timeBefore(4 * MINUTE_MS)}. Nobody knows how far behind that is`,
    );
    mock.streaming = false;
    mock.dropStreams();
    await banner(page).getByText('Connection lost; reconnecting.').waitFor();
    t.match(await banner(page).innerText(), 'What you see is as of', 'the older of the two times');
  },
  { at: MID_HOUR },
);

consoleTest(
  'a server that was started behind says that nobody knows since when',
  async ({ mock, open }) => {
    mock.views = { state: 'BEHIND', asOf: null };
    const page = await open('/alerts-history');
    await banner(page).getByText('What you see is out of date, and nobody knows since when').waitFor();
  },
  { at: MID_HOUR },
);

consoleTest(
  'a shared alert says it to strangers too',
  async ({ mock, open }, t) => {
    mock.views = FOUR;
    const page = await open(`/share/alert/${mock.world.alerts[1]?.id}`, { signedIn: false });
    await page.getByText('What you see is as of').waitFor();
    t.equal(await page.locator('.stale-banner').count(), 1);
  },
  { at: MID_HOUR },
);

t.test('of the words of several processes the one that knows more holds', async (t) => {
  const store = getDefaultStore();
  const held = () => store.get(viewsBehindAtom)?.state ?? 'CURRENT';
  const at = (ms: number): string => new Date(Date.now() - ms).toISOString();
  hearServerTime(new Date().toUTCString());
  hearViews({ state: 'CURRENT', asOf: at(10_000) });
  hearViews({ state: 'UNKNOWN', asOf: at(300_000) });
  hearViews({ state: 'BEHIND', asOf: null });
  t.equal(held(), 'CURRENT', 'a process that cannot read the log does not speak against one that can');
  hearViews({ state: 'CURRENT', asOf: at(5_000) });
  const asOf = at(0);
  hearViews({ state: 'CURRENT', asOf });
  hearViews({ state: 'BEHIND', asOf });
  t.equal(held(), 'BEHIND', 'the same process says it later');
  hearViews({ state: 'CURRENT', asOf });
  hearViews({ state: 'CURRENT', asOf: at(20_000) });
  t.equal(held(), 'BEHIND', 'an answer that took long is no news');
  hearViews({ state: 'CURRENT', asOf: at(-1_000) });
  t.equal(held(), 'CURRENT');
  hearViews('garbage');
  hearViews({ state: 'FINE', asOf: null });
  t.equal(held(), 'CURRENT');
});

t.test('a word that is old by itself gives way to one that knows nothing', async (t) => {
  const held = () => getDefaultStore().get(viewsBehindAtom)?.state ?? 'CURRENT';
  // The server's clock goes on by an hour: what it said before is an hour old.
  hearViews({ state: 'CURRENT', asOf: new Date(Date.now() + 2_000).toISOString() });
  hearServerTime(new Date(Date.now() + 3_600_000).toUTCString());
  hearViews({ state: 'UNKNOWN', asOf: null });
  t.equal(held(), 'UNKNOWN');
  hearViews({ state: 'CURRENT', asOf: new Date(Date.now() + 3_600_000).toISOString() });
  t.equal(held(), 'CURRENT');
  hearServerTime(new Date().toUTCString());
  hearViews({ state: 'BEHIND', asOf: new Date(Date.now() - 120_000).toISOString() });
  t.equal(held(), 'BEHIND', 'a clock that was set back: the held time is one of the future');
});
