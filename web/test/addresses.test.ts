/** The address says what is looked at: it can be sent, Back works, and it outlives signing in. */
import { uuid } from './fixtures.ts';
import { callsTo, consoleTest, holdAnswers, pathOf, until } from './support.ts';

consoleTest('filters and search stand in the address, and Back takes them back', async ({ open }, t) => {
  const page = await open('/alerts-history');
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await rows.first().waitFor();
  await page.getByLabel('Status').selectOption('Active');
  await until(async () => (await rows.count()) === 2, 'active alerts');
  await page.getByLabel('Date', { exact: true }).selectOption('Last hour');
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('settings');
  await until(async () => (await rows.count()) === 1, 'one alert');
  const address = new URL(page.url());
  t.same(Object.fromEntries(address.searchParams), { status: 'ACTIVE', date: '60', search: 'settings' });
  const copy = await open(address.pathname + address.search);
  const copied = copy.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await copied.first().waitFor();
  t.equal(await copied.count(), 1, 'the same list from the address');
  t.equal(await copy.getByRole('searchbox', { name: 'Search alerts' }).inputValue(), 'settings');
  t.equal(await copy.getByLabel('Status').inputValue(), 'ACTIVE');
  await page.goBack();
  await until(
    async () => (await page.getByLabel('Date', { exact: true }).inputValue()) === 'ALL',
    'the date',
  );
  t.equal(await page.getByRole('searchbox', { name: 'Search alerts' }).inputValue(), '');
  await page.goBack();
  await until(async () => (await page.getByLabel('Status').inputValue()) === '', 'the status');
});

consoleTest('rows are links; Back closes what a click opened', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  const link = page.getByRole('link', { name: 'Hash breach', exact: true }).first();
  const [raised] = mock.world.alerts;
  t.equal(await link.getAttribute('href'), `/alerts-history?alert=${raised?.id}&in=${raised?.deviceId}`);
  const popup = page.context().waitForEvent('page');
  await link.click({ modifiers: ['ControlOrMeta'] });
  const other = await popup;
  await other.getByRole('dialog', { name: 'Hash breach' }).waitFor();
  t.equal(await page.getByRole('dialog').count(), 0, 'this page stays as it is');
  await other.close();
  const middle = page.context().waitForEvent('page');
  await page.getByRole('row').filter({ hasText: 'settings.json' }).first().click({ button: 'middle' });
  await (await middle).getByRole('dialog', { name: 'Unexpected change' }).waitFor();
  await link.click();
  const panel = page.getByRole('dialog', { name: 'Hash breach' });
  await panel.waitFor();
  await page.goBack();
  await until(async () => (await panel.count()) === 0, 'Back closes the panel');
  t.equal(new URL(page.url()).search, '');
  await link.click();
  await panel.getByRole('button', { name: 'Close', exact: true }).click();
  await until(async () => new URL(page.url()).search === '' && (await panel.count()) === 0, 'closed');
});

consoleTest('every thing has an address and names the tab', async ({ mock, open }, t) => {
  const { alerts, devices, events } = mock.world;
  const far = alerts.at(-1);
  const told = events.find(({ type }) => type === 'AGENT_ERROR');
  const file = devices[0]?.files[0];
  const entry = mock.world.chains.get(file?.id ?? '')?.[20];
  if (!far || !told || !file || !entry) throw new Error('things to show');
  const at = (device: number) => `/device/${uuid(100 + device)}`;
  const places: [path: string, dialog: string, title: RegExp][] = [
    [
      `/alerts-history?alert=${far.id}&in=${far.deviceId}`,
      'Hash breach',
      /^Hash breach on pg_hba.conf · Alerts/,
    ],
    [`/dashboard?event=${told.id}&in=${told.deviceId}`, 'Agent error', /^Agent error on .* · Dashboard/],
    [`${at(1)}?file=${file.id}`, file.name, /^application log · This machine · Sentinel Node$/],
    [`${at(1)}?file=${file.id}&entry=${entry.id}`, file.name, /^application log/],
  ];
  for (const [path, name, title] of places) {
    const page = await open(path);
    const panel = page.getByRole('dialog', { name });
    await panel.waitFor();
    await until(async () => title.test(await page.title()), `${path}: ${await page.title()}`);
    if (path.includes('entry=')) {
      const current = panel.locator('.chain-link[aria-current=true]');
      await current.waitFor();
      t.match(await current.innerText(), new RegExp(`#${entry.number}\\b`));
    }
    await page.keyboard.press('Escape');
    await until(async () => (await panel.count()) === 0, 'closed');
    t.notMatch(page.url(), /alert=|event=|file=/);
  }
  const page = await open(`/alerts-history?alert=${far.id.slice(0, -1)}X&in=${far.deviceId}`);
  await page.getByText('There is no such alert.').waitFor();
  const none = await open(`${at(1)}?file=${uuid(999)}`);
  await none.getByText('There is no such file.').waitFor();
});

consoleTest('[S4.16] whoever has to sign in comes back to the address', async ({ mock, open }, t) => {
  const file = mock.world.devices[0]?.files[0];
  const path = `/device/${uuid(101)}?file=${file?.id}`;
  const page = await open(path, { signedIn: false });
  await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
  await page.getByRole('dialog', { name: file?.name ?? '' }).waitFor();
  t.equal(page.url(), mock.url + path);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
  await until(() => pathOf(page) === '/dashboard', 'after a log out, the dashboard');
});

consoleTest(
  '[S4.16] another person does not come to the address of the one before',
  async ({ mock, open }, t) => {
    const path = `/device/${uuid(101)}`;
    const page = await open(path);
    await page.getByRole('heading', { name: mock.world.devices[0]?.name ?? '' }).waitFor();
    const end = async (): Promise<void> => {
      mock.revoked = true;
      mock.dropStreams();
      await page.waitForURL('**/login');
      mock.revoked = false;
    };
    await end();
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    await page.waitForURL(`**${path}`);
    await end();
    mock.session = { ...mock.session, email: 'bob@example.org', name: 'Bob' };
    await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    t.equal(pathOf(page), '/dashboard');
  },
);

consoleTest('pages and searches of tables stand in the address', async ({ mock, open }, t) => {
  const [first] = mock.world.devices;
  if (first === undefined) throw new Error('a device');
  for (let n = 20; n < 45; n++) mock.world.devices.push({ ...first, id: uuid(100 + n), name: `web-${n}` });
  const page = await open('/devices?page=2');
  const table = page.getByRole('table', { name: 'Devices' });
  await page.getByText('11–20 of 30 devices').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('21–30 of 30').waitFor();
  t.match(page.url(), /\?page=3$/);
  await page.goBack();
  await page.getByText('11–20 of 30').waitFor();
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-4');
  await until(async () => (await table.locator('tbody tr').count()) === 5, 'five devices');
  await until(() => page.url().endsWith('/devices?search=web-4'), 'from the first page');
  await table.getByRole('link', { name: 'web-41' }).click();
  await page.getByRole('heading', { name: 'web-41' }).waitFor();
  await page.goBack();
  t.equal(await page.getByRole('searchbox', { name: 'Search devices' }).inputValue(), 'web-4');
});

consoleTest('the chain of one file is not asked for in that of another', async ({ mock, open }, t) => {
  const [one, other] = [uuid(1001), uuid(1002)];
  mock.world.chains.set(
    other,
    (mock.world.chains.get(one) ?? []).map((link) => ({ ...link, id: `of-${link.id}` })),
  );
  const page = await open(`/device/${uuid(101)}?file=${one}`);
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Load older links' }).click();
  const links = panel.locator('.chain-link');
  await until(async () => (await links.count()) === 20, 'older links of the first file');
  await page.evaluate((to) => history.pushState(null, '', to), `/device/${uuid(101)}?file=${other}`);
  await until(
    () => callsTo(mock, 'PUT', '/files/chain/').some(({ path }) => path.endsWith(other)),
    'its chain',
  );
  await until(async () => (await links.count()) === 10, 'the newest links of the other file');
  const [call] = callsTo(mock, 'PUT', '/files/chain/').filter(({ path }) => path.endsWith(other));
  t.equal(call?.body['hashId'], undefined);
});

consoleTest('one shared alert is not shown under the address of another', async ({ mock, open }, t) => {
  const [one, other] = [mock.world.alerts[3]?.id ?? '', mock.world.alerts[4]?.id ?? ''];
  const page = await open(`/share/alert/${one}`, { signedIn: false });
  await page.getByText(one).waitFor();
  const release = await holdAnswers(page, `**/api/v1/alerts/link/shared/data/${other}`);
  await page.evaluate((to) => history.pushState(null, '', to), `/share/alert/${other}`);
  await page.getByRole('status', { name: 'Loading the alert' }).waitFor();
  t.equal(await page.getByText(one).count(), 0);
  release();
  await page.getByText(other).waitFor();
});
