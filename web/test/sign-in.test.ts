import { uuid } from './fixtures.ts';
import { ok, problem } from './mock-routes.ts';
import { callsTo, consoleTest, live, pathOf, until } from './support.ts';

consoleTest(
  '[S2.1] [S2.13] the start is the login, whose button leads to the wallet',
  async ({ mock, open }, t) => {
    mock.config['walletUrl'] = '/dev-wallet';
    const page = await open('/', { signedIn: false });
    await page.waitForURL('**/login');
    await page.getByRole('heading', { level: 1, name: 'Sentinel Node' }).waitFor();
    await page.getByText(/^Welcome\./).waitFor();
    const note = 'You need an e2wallet account first. If you have none, it can be created during login.';
    await page.getByText(note, { exact: true }).waitFor();
    const asked = page.waitForRequest((request) => request.url().includes('/dev-wallet'));
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    const query = new URL((await asked).url()).searchParams;
    t.equal(query.get('source'), 'sentinel-node');
    t.match(query.get('redirect'), new RegExp(`^${mock.url}/authentication\\?state=[0-9a-f]{32}$`));
    t.equal(query.get('callback'), `${mock.url}/api/v1/e2walletlogin`);
  },
);

consoleTest(
  '[S2.15] [S4.16] the return of the wallet polls, stores the user and goes on',
  async ({ mock, open }, t) => {
    mock.loginFailures = 1;
    const page = await open('/login', { signedIn: false });
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    await page.getByRole('heading', { name: 'Logging in...' }).waitFor();
    t.ok(!page.url().includes('access_token'), 'the token is not left in the address');
    await page.waitForURL('**/dashboard');
    const tries = callsTo(mock, 'GET', '/login');
    t.equal(tries.length, 2);
    t.equal(tries[0]?.query.get('access_token'), 'wallet-access-token');
    const stored: unknown = await page.evaluate(() =>
      JSON.parse(localStorage.getItem('sentinel.user') ?? 'null'),
    );
    t.same(stored, { token: 'mock-token', email: 'ada@example.org' });
  },
);

consoleTest(
  '[S4.16] somebody without an organisation is led to where one is made',
  async ({ mock, open }, t) => {
    mock.session = { ...mock.session, orgId: null, userRole: null };
    const page = await open('/login', { signedIn: false });
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    await page.waitForURL('**/login/info');
    const stored = await page.evaluate(() => localStorage.getItem('sentinel.user'));
    t.same(JSON.parse(stored ?? 'null'), { token: 'mock-token', email: 'ada@example.org' });
  },
);

consoleTest('[S2.14] a foreign return is refused with the login error', async ({ mock, open }, t) => {
  const page = await open('/authentication?access_token=stolen&state=foreign', { signedIn: false });
  await page.waitForURL('**/login/error');
  await page.getByRole('heading', { name: 'Login failed.' }).waitFor();
  await page.getByText('Something went wrong, please try again.').waitFor();
  await page.getByRole('button', { name: 'Log in with e2wallet' }).waitFor();
  t.equal(callsTo(mock, 'GET', '/login').length, 0);
});

const insideOnly = [
  '/devices',
  '/devices/1',
  '/device/1',
  '/add-device',
  '/edit-device/1',
  '/dashboard',
  '/alerts-history',
  '/device/1/add-files',
  '/device/1/edit-file/2',
  '/users',
  '/define-user',
];
const withoutOnly = [
  '/login/info',
  '/define-organization',
  '/define-organization/success',
  '/define-organization/error',
];
const outsideOnly = ['/login', '/login/error', '/authentication'];

consoleTest('[S2.4] [S2.5] [S2.6] pages send people to where they belong', async ({ mock, open }) => {
  const visit = async (all: string[], target: string, signedIn: boolean): Promise<void> => {
    const page = await open('/login', { signedIn });
    for (const path of all) {
      await page.goto(mock.url + path);
      await page.waitForURL(`**${target}`);
    }
  };
  await visit([...insideOnly, ...withoutOnly], '/login', false);
  await visit([...outsideOnly, ...withoutOnly], '/dashboard', true);
  mock.session = { ...mock.session, orgId: null, userRole: null };
  await visit([...outsideOnly, ...insideOnly], '/login/info', true);
});

const inside: [path: string, heading: string][] = [
  ['/devices', 'Devices'],
  [`/devices/${uuid(101)}`, 'This machine'],
  [`/device/${uuid(101)}`, 'This machine'],
  ['/add-device', 'Adding device'],
  [`/edit-device/${uuid(101)}`, 'Editing device'],
  ['/dashboard', 'Dashboard'],
  ['/alerts-history', 'Alerts history'],
  [`/device/${uuid(101)}/add-files`, 'Adding files'],
  [`/device/${uuid(101)}/edit-file/${uuid(1003)}`, 'Editing file'],
  ['/users', 'Users management'],
  ['/define-user', 'Adding user'],
];

const without: [path: string, heading: string][] = [
  ['/login/info', 'Almost there'],
  ['/define-organization', 'Create organization'],
  ['/define-organization/success', 'Check your mail'],
  ['/define-organization/error', 'It is not known whether the organization was created'],
];

/** Failures that the form of an organisation passes on. */
const failures: [failure: object, heading: string][] = [
  [{ code: 400 }, 'Organization already exists!'],
  [{ code: 429, isUnknown: false }, 'Organization was not created'],
  [{ code: 0, isUnknown: true }, 'It is not known whether the organization was created'],
];

const outside: [path: string, heading: string][] = [
  ['/login', 'Sentinel Node'],
  ['/login/error', 'Login failed.'],
];

consoleTest('[S2.4] [S2.5] [S2.6] every route has its page for whom it is', async ({ mock, open }, t) => {
  const visit = async (pages: typeof inside, signedIn: boolean) => {
    const page = await open('/login', { signedIn });
    for (const [path, name] of pages) {
      await page.goto(mock.url + path);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      t.equal(pathOf(page), path);
    }
  };
  await visit(outside, false);
  await visit(inside, true);
  mock.session = { ...mock.session, orgId: null, userRole: null };
  await visit(without, true);
  const page = await open('/define-organization');
  for (const [failure, name] of failures) {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate((carried) => history.pushState(carried, '', '/define-organization/error'), failure);
    const heading = page.getByRole('heading', { level: 1, name, exact: true });
    await heading.waitFor();
    await page.reload();
    await heading.waitFor();
  }
});

/** Between two tries of a login, in ms. */
const PAUSE_MS = 2_000;

consoleTest(
  '[S4.16] [S9.5] after more than four failures the login has failed',
  async ({ mock, open }, t) => {
    mock.loginFailures = 99;
    const page = await open('/login', { signedIn: false });
    const tries = () => callsTo(mock, 'GET', '/login').length;
    const answered = () => page.waitForResponse((response) => response.url().includes('/login?access_token'));
    // From here on only the test moves the page's clock, on the way over the wallet too.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.addInitScript((pause) => {
      const set = window.setTimeout.bind(window);
      const counted = Object.assign(window, { pauses: 0 });
      const counting = (run: () => void, ms?: number): number => {
        if (ms === pause) counted.pauses += 1;
        return set(run, ms);
      };
      Object.assign(window, { setTimeout: counting });
    }, PAUSE_MS);
    // An answer that came is not yet an answer that the page has understood.
    const waits = (times: number) => {
      const pauses = () => page.evaluate(() => (window as unknown as { pauses: number }).pauses);
      return until(async () => (await pauses()) === times, `the page waits ${times} times`);
    };
    const first = answered();
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    await page.getByRole('heading', { name: 'Logging in...' }).waitFor();
    await (await first).finished();
    for (let n = 2; n <= 5; n += 1) {
      await waits(n - 1);
      t.equal(pathOf(page), '/authentication', `after ${n - 1} failures`);
      await page.clock.runFor(PAUSE_MS - 1);
      t.equal(tries(), n - 1);
      const answer = answered();
      await page.clock.runFor(1);
      await (await answer).finished();
    }
    await page.waitForURL('**/login/error');
    t.equal(tries(), 5);
  },
);

/** The narrow side of the hamburger's breakpoint, and the wide one. */
const WIDTHS = [1100, 1440];

consoleTest('[S2.10] the navigation and the hamburger need an organisation', async ({ mock, open }, t) => {
  const { orgId, userRole } = mock.session;
  const shown = async (width: number) => {
    const page = await open('/login', { width });
    await page.getByRole('button', { name: 'User menu' }).waitFor();
    const parts = { hamburger: '.hamburger', navigation: 'header nav' };
    const counts = Object.entries(parts).map(async ([name, part]) => [
      name,
      await page.locator(part).count(),
    ]);
    return Object.fromEntries(await Promise.all(counts)) as unknown;
  };
  for (const width of WIDTHS) {
    mock.session = { ...mock.session, orgId, userRole };
    t.same(await shown(width), { hamburger: 1, navigation: 1 }, `with one at ${width}`);
    mock.session = { ...mock.session, orgId: null, userRole: null };
    t.same(await shown(width), { hamburger: 0, navigation: 0 }, `without one at ${width}`);
  }
});

consoleTest('[S1.2] [S2.16] without an organisation one can be created', async ({ mock, open }) => {
  mock.session = { ...mock.session, orgId: null, userRole: null };
  const page = await open('/login');
  await page.getByText('You are not assigned to any organization yet.').waitFor();
  await page.getByText('Create one, or wait until an administrator of yours assigns you.').waitFor();
  await page.getByRole('link', { name: 'Create organization' }).click();
  await page.waitForURL('**/define-organization');
});

consoleTest(
  '[S2.2] [S4.9] [S8.5] [S8.8] an activation link shows the login, confirms once and says how it went',
  async ({ mock, open }, t) => {
    const good = await open('/user/confirm/good', { signedIn: false });
    await good.getByText('Your account has been activated!').waitFor();
    await good.getByRole('heading', { level: 1, name: 'Sentinel Node' }).waitFor();
    await good.getByText('You need an e2wallet account first.').waitFor();
    await good.getByRole('button', { name: 'Log in with e2wallet' }).waitFor();
    t.equal(pathOf(good), '/user/confirm/good');
    const bad = await open('/user/confirm/a%20b', { signedIn: false });
    await bad.getByText('Incorrect activation code!').waitFor();
    await bad.getByText('otherwise ask an administrator for a new invitation').waitFor();
    const confirmed = callsTo(mock, 'PUT', '/users/confirm/link/').map(({ path, body }) => [path, body]);
    t.same(confirmed, [
      ['/users/confirm/link/good', {}],
      ['/users/confirm/link/a%20b', {}],
    ]);
    mock.overrides.set('PUT /users/confirm/link/*', () => ok('LATER'));
    const other = await open('/user/confirm/good', { signedIn: false });
    await other.getByText('Incorrect activation code!').waitFor();
    t.equal(await other.getByText('Your account has been activated!').count(), 0, 'only OK is success');
  },
);

consoleTest(
  'an activation that did not reach the server is no incorrect code, and can be tried again',
  async ({ mock, open }, t) => {
    mock.overrides.set('PUT /users/confirm/link/*', () => problem('UNAVAILABLE'));
    const page = await open('/user/confirm/good', { signedIn: false });
    const notice = page.getByRole('alert').filter({ hasText: 'The activation link could not be checked.' });
    await notice.getByText('The service is not available right now').waitFor();
    const again = notice.getByRole('button', { name: 'Try again' });
    await page.route('**/users/confirm/link/*', (route) => route.abort());
    await again.click();
    await notice.getByText('The server cannot be reached.').waitFor();
    t.equal(await page.getByText('Incorrect activation code!').count(), 0);
    await page.unroute('**/users/confirm/link/*');
    mock.overrides.clear();
    await again.click();
    await page.getByText('Your account has been activated!').waitFor();
    t.equal(await notice.count(), 0);

    mock.overrides.set('PUT /users/confirm/link/*', () => problem('RATE_LIMITED'));
    const other = await open('/user/confirm/used', { signedIn: false });
    const tryAgain = other.getByRole('button', { name: 'Try again' });
    await tryAgain.waitFor();
    mock.overrides.clear();
    await tryAgain.click();
    const told = other.getByRole('alert').filter({ hasText: 'Incorrect activation code!' });
    await told.getByText('Log in to see whether the first try activated the account.').waitFor();
  },
);

consoleTest('[S2.12] [S7.26] the avatar menu shows the e-mail and logs out', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByText('ada@example.org').waitFor();
  const [brand, avatar] = await Promise.all(
    [
      page.getByRole('banner').getByText('Sentinel Node'),
      page.getByRole('button', { name: 'User menu' }),
    ].map((part) => part.boundingBox()),
  );
  t.ok((avatar?.x ?? 0) > 1_440 / 2 && (brand?.x ?? 0) < 1_440 / 2, 'on the right side of the header');
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
  const [call] = callsTo(mock, 'POST', '/logout');
  t.equal(call?.headers['x-access-token'], 'mock-token');
  t.equal(call?.headers['x-xsrf-token'], 'mock-xsrf');
  t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), null);
  await page.getByRole('button', { name: 'Log in with e2wallet' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'User menu' }).count(), 0, 'only for somebody');
});

consoleTest('[S4.17] [S8.26] a 401 ends the session', async ({ mock, open }, t) => {
  const page = await open('/devices');
  await page.getByRole('table', { name: 'Devices' }).waitFor();
  await page.reload();
  await page.getByRole('table', { name: 'Devices' }).waitFor();
  t.equal(pathOf(page), '/devices', 'restored at the start');
  mock.revoked = true;
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await page.waitForURL('**/login');
  t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), null, 'logged out');
  await page.getByRole('button', { name: 'Log in with e2wallet' }).waitFor();
});

consoleTest('[S4.17] [S8.26] a 401 to a change ends the session', async ({ mock, open }, t) => {
  const page = await open('/add-device');
  await page.getByLabel('Device name').fill('web-07');
  await page.getByLabel('Device path').fill('/srv');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await live(page);
  mock.revoked = true;
  await page.getByRole('button', { name: 'Add device' }).click();
  await page.waitForURL('**/login');
  await page.getByText('Your session has ended.').waitFor();
  t.equal(callsTo(mock, 'POST', '/devices/').length, 1);
  t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), null, 'logged out');
});

consoleTest('a server without a console configuration gives a page that says so', async ({ mock, open }) => {
  mock.config['missing'] = true;
  const page = await open('/login', { signedIn: false });
  await page.getByText('Sentinel Node cannot start').waitFor();
  delete mock.config['missing'];
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Log in with e2wallet' }).waitFor();
});

consoleTest(
  'a tab that waits for an organization sees it when a person comes back',
  async ({ mock, open }) => {
    const { orgId } = mock.session;
    for (const path of ['/login/info', '/define-organization/success']) {
      mock.session = { ...mock.session, orgId: null };
      const page = await open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      mock.session = { ...mock.session, orgId };
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await page.waitForURL('**/dashboard');
    }
  },
);

consoleTest('Continue leads on once the activation link was opened', async ({ mock, open }, t) => {
  const { orgId, userRole } = mock.session;
  mock.session = { ...mock.session, orgId: null, userRole: null };
  const page = await open('/define-organization/success');
  const goOn = page.getByRole('button', { name: 'Continue' });
  const said = page.getByRole('alert');
  await page.getByText('Open the link in the mail, then go on here.').waitFor();
  t.equal(await said.count(), 0, 'nothing is said before it is asked');
  await goOn.click();
  await said.filter({ hasText: /^The activation link was not opened yet\.$/ }).waitFor();
  t.equal(pathOf(page), '/define-organization/success');
  await page.route('**/api/v1/session', (route) => route.abort());
  await goOn.click();
  await said.filter({ hasText: /^The server could not be asked/ }).waitFor();
  await page.unroute('**/api/v1/session');
  mock.session = { ...mock.session, orgId, userRole };
  await goOn.click();
  await page.waitForURL('**/dashboard');
});
