/** What no frame of the stream tells of is read again: no badge stays good because nobody said that it is not any more. */
import { event, uuid } from './fixtures.ts';
import { dashboard, ok, problem } from './mock-routes.ts';
import { callsTo, consoleTest, framesAfter, holdAnswers, live, until } from './support.ts';

const HALF_MINUTE_MS = 30_000;
/** Longer than a page waits for an answer. */
const NO_ANSWER_MS = 46_000;

consoleTest('a webhook that begins to fail is not called “Delivering” any more', async ({ mock, open }) => {
  const page = await open('/users');
  await page.clock.install();
  const [hook] = mock.world.webhooks;
  for (const [path, place] of [
    ['/webhooks', page.getByRole('row', { name: /On-call/ })],
    [`/webhook/${uuid(671)}`, page.locator('main')],
  ] as const) {
    Object.assign(hook?.lastAttempt ?? {}, { delivered: true, status: 200 });
    await page.goto(mock.url + path);
    await place.getByText('Delivering').first().waitFor();
    Object.assign(hook?.lastAttempt ?? {}, { delivered: false, status: 500 });
    await page.clock.fastForward(HALF_MINUTE_MS);
    await place.getByText('Failing').first().waitFor();
  }
});

consoleTest('a service token that has expired is not called “Valid” any more', async ({ mock, open }) => {
  const page = await open('/users');
  await page.clock.install();
  await page.goto(`${mock.url}/service-tokens`);
  const row = page.getByRole('row', { name: /Report of the night/ });
  await row.getByText('Valid', { exact: true }).waitFor();
  Object.assign(mock.world.serviceTokens[0] ?? {}, { state: 'EXPIRED' });
  await page.clock.fastForward(HALF_MINUTE_MS);
  await row.getByText('Expired', { exact: true }).waitFor();
});

consoleTest('a window that ended is to be reviewed, also on the dashboard', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  const card = page.getByRole('region', { name: 'Notifications', exact: true });
  await card.getByText('Stripe ID is not set').waitFor();
  t.equal(await card.getByText('to be reviewed').count(), 0);
  await live(page);
  mock.overrides.set('GET /dashboard/*', () => ok({ ...dashboard(mock.world), windowsToReview: 2 }));
  const orgId = mock.session.orgId;
  mock.send('event', { ...event(910, 'END_MAINTENANCE', Date.now()), orgId, rev: 1 });
  await card.getByText('2 maintenance windows to be reviewed').waitFor();
});

consoleTest(
  'a window that ends by its time is to be reviewed within half a minute',
  async ({ mock, open }, t) => {
    const endsAt = Date.now() + 5 * 60_000;
    const next = { nextWindowEnd: new Date(endsAt).toISOString() };
    for (const [path, place, after] of [
      ['/dashboard', 'Stripe ID is not set', '2 maintenance windows to be reviewed'],
      ['/alerts-history', 'Maintenance', 'Maintenance, 2 to review'],
    ] as const) {
      mock.now = null;
      const reviews = () => (mock.now === null ? { toReview: 0, ...next } : { toReview: 2 });
      mock.overrides.set('GET /maintenance/*', () => ok({ windows: [], ...reviews() }));
      mock.overrides.set('GET /dashboard/*', () => {
        const { toReview: windowsToReview, ...later } = reviews();
        return ok({ ...dashboard(mock.world), windowsToReview, ...later });
      });
      const page = await open('/login');
      await page.clock.install();
      await page.goto(mock.url + path);
      await page.locator('main').getByText(place, { exact: true }).waitFor();
      await live(page);
      t.equal(await page.getByText(after).count(), 0, path);
      mock.now = endsAt + HALF_MINUTE_MS;
      await page.clock.fastForward(mock.now - Date.now());
      await page.getByText(after).first().waitFor();
      await page.context().close();
    }
  },
);

consoleTest(
  'an alert that moves from one device to another moves the counts of both',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    const table = page.getByRole('table', { name: 'Devices' });
    await table.waitFor();
    await page.getByRole('button', { name: 'View' }).click();
    await page
      .getByRole('dialog', { name: 'View of devices' })
      .getByLabel('Active alerts', { exact: true })
      .check();
    await page.keyboard.press('Escape');
    const head = await table.getByRole('columnheader').allInnerTexts();
    const countOf = (name: string) =>
      table
        .getByRole('row', { name })
        .locator(`td:nth-child(${head.indexOf('Active alerts') + 1})`)
        .innerText();
    const active = mock.world.alerts.find(({ status }) => status === 'ACTIVE');
    const from = mock.world.devices.find(({ id }) => id === active?.deviceId);
    const to = mock.world.devices.find(({ id }) =>
      mock.world.alerts.every(({ deviceId }) => deviceId !== id),
    );
    if (active === undefined || from === undefined || to === undefined) throw new Error('a world');
    await until(async () => (await countOf(to.name)) === '0', 'no alert yet');
    await live(page);
    const before = await countOf(from.name);
    // One is handled and one is raised within a second: the totals of the organisation stay the same.
    Object.assign(active, { deviceId: to.id, deviceName: to.name });
    for (const device of [from, to])
      for (const file of device.files) Object.assign(file, { activeAlerts: 0 });
    const orgId = mock.session.orgId;
    const counted = { [from.id]: Number(before) - 1, [to.id]: 1 };
    const others = mock.overrides;
    others.set('GET /dashboard/*/devices', () =>
      ok({
        devices: Object.entries(counted).map(([id, activeAlerts]) => ({
          id,
          activeAlerts,
          filesWithoutContact: 0,
        })),
      }),
    );
    mock.send('alert', { ...active, orgId, rev: 9 });
    await until(async () => (await countOf(to.name)) === '1', 'the device with the alert');
    t.equal(await countOf(from.name), String(Number(before) - 1));
  },
);

consoleTest(
  'the public page of an alert that is handled, or shared no more, says so',
  async ({ mock, open }, t) => {
    const alert = mock.world.alerts.find(({ status }) => status === 'ACTIVE');
    if (alert === undefined) throw new Error('an alert');
    const page = await open('/login', { signedIn: false });
    await page.clock.install();
    await page.goto(`${mock.url}/share/alert/${alert.id}`);
    await page.getByText('Active', { exact: true }).waitFor();
    Object.assign(alert, { status: 'RESOLVED', note: 'A patch', overrideUserEmail: 'ada@example.org' });
    await page.clock.fastForward(HALF_MINUTE_MS);
    await page.getByText('Resolved', { exact: true }).waitFor();
    mock.overrides.set('GET /alerts/link/shared/data/*', () => problem('NOT_FOUND'));
    await page.clock.fastForward(HALF_MINUTE_MS);
    await page.getByText('There is no shared alert here.').waitFor();
    t.equal(await page.getByText('Check this yourself').count(), 0, 'nobody has begun a check');
  },
);

consoleTest(
  'a form without its categories says so, and gets them when the server answers',
  async ({ mock, open }, t) => {
    mock.overrides.set('GET /devices/category/intervals', () => problem('UNAVAILABLE'));
    const page = await open('/add-device');
    await page.getByText('The categories could not be loaded. Trying again.').waitFor();
    mock.overrides.clear();
    const options = page.getByLabel('Device category').locator('option');
    await until(async () => (await options.count()) === 2, 'the category is offered');
    t.equal(await page.getByText('could not be loaded').count(), 0);
  },
);

consoleTest(
  'a choice of devices that could not be read says so, and gets them when the server answers',
  async ({ mock, open }, t) => {
    for (const [path, covers] of [
      ['/define-maintenance', 'Covers'],
      ['/define-expected-changes', 'Covers'],
      ['/define-service-token', 'Limited to'],
    ] as const) {
      mock.overrides.set('GET /devices/*', () => problem('UNAVAILABLE'));
      const page = await open(path);
      await page.getByLabel(covers).selectOption('DEVICES');
      await page.getByText('The devices could not be loaded. Trying again.').waitFor();
      mock.overrides.clear();
      await until(async () => (await page.getByText('could not be loaded').count()) === 0, `${path}: read`);
      await page.getByRole('combobox', { name: 'Add a device' }).click();
      t.ok(await page.getByRole('option', { name: 'ledger-db-01' }).isVisible(), path);
      await page.context().close();
    }
  },
);

consoleTest(
  'what the server refuses is not asked for again and again, and the screen says why it is missing',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    await page.clock.install();
    const refused = 'could not be loaded. Your role does not allow this.';
    for (const [path, call, prefix, what] of [
      ['/add-device', 'GET /devices/category/intervals', '/devices/category', 'The categories'],
      ['/define-maintenance', 'GET /devices/*', '/devices/', 'The devices'],
      ['/alerts-history', 'GET /alerts/counts/*', '/alerts/counts/', 'The numbers of alerts'],
    ] as const) {
      mock.overrides.set(call, () => problem('FORBIDDEN'));
      mock.calls.length = 0;
      await page.goto(mock.url + path);
      if (path === '/define-maintenance') await page.getByLabel('Covers').selectOption('DEVICES');
      await page.getByText(`${what} ${refused}`).waitFor();
      for (let n = 0; n < 4; n += 1) {
        await page.clock.fastForward(4_000);
        await framesAfter(page);
      }
      // A call of the page comes before this one.
      await page.evaluate(() => fetch('/console-config.json'));
      t.equal(callsTo(mock, 'GET', prefix).length, 1, `${path}: asked once`);
      t.equal(await page.getByText('Trying again.').count(), 0, path);
      mock.overrides.clear();
    }
  },
);

consoleTest(
  'a mail that is given up, and a rule that tells nobody any more, are told on an open page',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    await page.clock.install();
    await page.goto(`${mock.url}/notifications`);
    await page.getByRole('table', { name: 'Rules' }).waitFor();
    t.equal(await page.getByText('Tells nobody').count(), 0);
    const made = new Date(mock.world.now).toISOString();
    mock.world.undeliveredMails = [
      { to: 'gone@example.org', subject: 'An alert', made, why: 'REFUSED', givenUp: made },
    ];
    const gaps = { tellsNobody: true, notReached: [], neverTold: [] };
    Object.assign(mock.world.notificationRules[0] ?? {}, { gaps });
    await page.clock.fastForward(HALF_MINUTE_MS);
    await page.getByText('1 mail not delivered').waitFor();
    await page.getByText('Tells nobody').waitFor();
  },
);

consoleTest('a list that may not be read any more is not shown any more', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.clock.install();
  await page.goto(`${mock.url}/service-tokens`);
  await page.getByText('Valid', { exact: true }).first().waitFor();
  mock.overrides.set('GET /service-tokens/*', () => problem('FORBIDDEN'));
  await page.clock.fastForward(HALF_MINUTE_MS);
  await page.getByText('Service tokens cannot be shown').waitFor();
  t.equal(await page.getByText('Valid', { exact: true }).count(), 0);
});

consoleTest(
  'what is read again without ever being answered is not shown as current',
  async ({ mock, open }, t) => {
    const alert = mock.world.alerts.find(({ status }) => status === 'RESOLVED');
    if (alert === undefined) throw new Error('an alert');
    const page = await open('/users');
    await page.clock.install();
    for (const [path, good, addresses, said] of [
      [`/share/alert/${alert.id}`, 'Resolved', '**/alerts/link/**', 'The server cannot be reached.'],
      ['/service-tokens', 'Valid', '**/service-tokens/**', 'Parts of this page may be out of date'],
    ] as const) {
      await page.goto(mock.url + path);
      await page.getByText(good, { exact: true }).first().waitFor();
      let reads = 0;
      const release = await holdAnswers(page, `**/api/v1${addresses.slice(2)}`);
      page.on('request', (request) => (reads += request.url().includes(addresses.slice(3, -3)) ? 1 : 0));
      for (let n = 0; n < 2; n += 1) {
        await page.clock.fastForward(HALF_MINUTE_MS);
        await framesAfter(page);
      }
      await page.clock.fastForward(NO_ANSWER_MS - HALF_MINUTE_MS);
      await page.getByText(said).first().waitFor();
      t.equal(reads, 1, `${path}: one read at a time`);
      release();
      await page.unrouteAll();
    }
  },
);
