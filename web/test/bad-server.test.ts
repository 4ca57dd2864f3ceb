/** A server that is busy, broken or away, a tab that slept, and two tabs: each has a state that says so. */
import type { Page, Route } from 'playwright-core';
import { uuid } from './fixtures.ts';
import type { MockAnswer } from './mock-answers.ts';
import { problem } from './mock-routes.ts';
import {
  callsOnceQuiet,
  callsTo,
  consoleTest,
  holdAnswers,
  live,
  MID_HOUR,
  pathOf,
  until,
} from './support.ts';

const DASHBOARD = 'GET /dashboard/*';
const UNREAD = /could not be read again/;

const isGone = async (page: Page, text: RegExp | string): Promise<boolean> =>
  (await page.getByText(text).count()) === 0;

consoleTest('a refresh that fails says so until one succeeds', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByText('80%').first().waitFor();
  await live(page);
  mock.overrides.set(DASHBOARD, () => problem('UNAVAILABLE'));
  mock.send('resync', {});
  await page.getByText(UNREAD).waitFor();
  t.ok(await page.getByText('80%').first().isVisible(), 'what was read stays');
  const tried = callsTo(mock, 'GET', '/dashboard/').length;
  await until(() => callsTo(mock, 'GET', '/dashboard/').length > tried, 'it is tried again');
  t.ok(await page.getByText(UNREAD).isVisible());
  mock.overrides.clear();
  await until(() => isGone(page, UNREAD), 'the banner goes without a click');
});

const bodies: [name: string, answer: (route: Route) => Promise<void>, said: string][] = [
  [
    'garbage',
    (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '<html>\u0000oops' }),
    'The server gave an answer that this console does not understand.',
  ],
  [
    'half an answer',
    (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"events":[],"perf' }),
    'The server gave an answer that this console does not understand.',
  ],
  [
    'a page of a proxy',
    (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    'Something went wrong on the server.',
  ],
  ['no answer', (route) => route.abort(), 'The server cannot be reached. Check your connection.'],
];

consoleTest('whatever the server answers, the page says what is the matter', async ({ mock, open }, t) => {
  for (const [name, answer, said] of bodies) {
    const page = await open('/login', { signedIn: false });
    await page.context().route('**/api/v1/dashboard/**', answer);
    await page.evaluate(() =>
      localStorage.setItem('sentinel.user', '{"token":"mock-token","email":"ada@example.org"}'),
    );
    await page.goto(new URL('/dashboard', page.url()).href);
    const alert = page.getByRole('alert').filter({ hasText: 'The dashboard cannot be shown' });
    await alert.getByText(said).waitFor();
    t.equal(await page.getByText('100%').count(), 0, `${name}: nothing good is claimed`);
    await callsOnceQuiet(page, mock);
    await page.context().unroute('**/api/v1/dashboard/**');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('80%').first().waitFor();
    await page.context().close();
  }
});

consoleTest('too many requests: the wait that the server wants is kept', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByText('80%').first().waitFor();
  await live(page);
  const times: number[] = [];
  mock.overrides.set(DASHBOARD, (): MockAnswer => {
    times.push(Date.now());
    return { ...problem('RATE_LIMITED'), headers: { 'retry-after': '4' } };
  });
  mock.send('resync', {});
  await page.getByText(UNREAD).waitFor();
  await until(() => times.length > 1, 'tried again');
  t.ok((times[1] ?? 0) - (times[0] ?? 0) >= 4_000);
});

consoleTest('offline is said at once, and over as soon as the network is back', async ({ open }) => {
  const page = await open('/dashboard');
  await live(page);
  await page.context().setOffline(true);
  await page.getByText('Connection lost.').waitFor();
  await page.context().setOffline(false);
  await live(page);
  await until(() => isGone(page, 'Connection lost.'), 'the banner goes');
});

const HOUR_MS = 3_600_000;

consoleTest(
  'a tab that slept for an hour connects anew, and its times are true',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    await page.getByText('4 minutes ago').first().waitFor();
    // An answer between the two clocks would teach the page that one of them is wrong.
    await callsOnceQuiet(page, mock);
    const streams = callsTo(mock, 'GET', '/stream/').length;
    mock.now = MID_HOUR + HOUR_MS;
    await page.evaluate((slept) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + slept;
      document.dispatchEvent(new Event('visibilitychange'));
    }, HOUR_MS);
    await page.getByText('1 hour ago').first().waitFor();
    await until(() => callsTo(mock, 'GET', '/stream/').length > streams, 'the silent connection is given up');
    await live(page);
    t.equal(
      callsTo(mock, 'GET', '/stream/').at(-1)?.headers['last-event-id'],
      'e-0',
      'and goes on from there',
    );
  },
  { at: MID_HOUR },
);

consoleTest('two tabs: logging out and in is of both', async ({ open }, t) => {
  const first = await open('/dashboard');
  await first.getByText('80%').first().waitFor();
  const second = await first.context().newPage();
  await second.goto(new URL('/devices', first.url()).href);
  await second.getByRole('table', { name: 'Devices' }).waitFor();
  await first.getByRole('button', { name: 'User menu' }).click();
  await first.getByRole('menuitem', { name: 'Log out' }).click();
  await first.waitForURL('**/login');
  await second.waitForURL('**/login');
  await second.getByText('Your session has ended.').waitFor();
  await first.getByRole('button', { name: 'Log in with e2wallet' }).click();
  await first.waitForURL('**/dashboard');
  await second.waitForURL('**/devices');
  t.equal(pathOf(second), '/devices', 'the second tab is where it was');
});

consoleTest('the end of an older session leaves the session of another tab', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByText('80%').first().waitFor();
  await live(page);
  const newer = '{"token":"newer","email":"ada@example.org"}';
  await page.evaluate((stored) => localStorage.setItem('sentinel.user', stored), newer);
  mock.revoked = true;
  mock.dropStreams();
  await page.waitForURL('**/login');
  t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), newer);
});

const slow: [path: string, call: string, loading: string[], data: string][] = [
  ['/devices', 'devices', ['Loading devices'], 'ledger-db-01'],
  ['/alerts-history', 'alerts', ['Loading alerts'], 'Unexpected change'],
  [`/device/${uuid(101)}`, 'devices', ['Loading the device'], 'settings.json'],
  ['/dashboard', 'dashboard', ['Loading health', 'Loading performance', 'Loading notifications'], '80%'],
];

consoleTest(
  'a slow server: what is awaited is said, and then the data is there',
  async ({ mock, open }, t) => {
    for (const [path, call, loading, data] of slow) {
      const page = await open('/users');
      await page.getByRole('table', { name: 'Users' }).waitFor();
      const release = await holdAnswers(page, `**/api/v1/${call}/**`);
      await page.goto(mock.url + path);
      for (const name of loading) {
        const skeleton = page.getByRole('status', { name, exact: true });
        await skeleton.waitFor();
        t.ok(await skeleton.locator('.skeleton-line').last().isVisible(), `${name}: its place is seen`);
      }
      t.equal(await page.getByText(data, { exact: true }).count(), 0, `${path}: no data yet`);
      t.equal(await page.locator('.empty-state').count(), 0, `${path}: it does not look empty`);
      release();
      await page.getByText(data, { exact: true }).first().waitFor();
      for (const name of loading)
        await page.getByRole('status', { name, exact: true }).waitFor({ state: 'detached' });
      await page.context().close();
    }
  },
);
