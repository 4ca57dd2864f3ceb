/** What is shown and logged when something cannot be read. */
import type { Page } from 'playwright-core';
import { timeId, uuid } from './fixtures.ts';
import { ok, problem } from './mock-routes.ts';
import { callsOnceQuiet, callsTo, consoleTest, framesAfter, live, until } from './support.ts';

const machine = uuid(101);

/** Errors that the console writes, without the browser's own lines about answers. */
function logged(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && message.text().includes('request ')) lines.push(message.text());
  });
  return lines;
}

consoleTest(
  '[S8.24] a chain that cannot be read is logged, emptied, and never looks like an empty chain',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const lines = logged(page);
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const panel = page.getByRole('dialog', { name: 'Hash breach' });
    const links = panel.locator('.chain-link');
    await links.first().waitFor();
    await live(page);
    mock.overrides.set('PUT /files/chain/*/*/*', () => problem('INTERNAL'));
    const { fileId, deviceId, orgId } = { ...mock.world.alerts[0], orgId: mock.world.orgId };
    mock.send('file', { id: fileId, deviceId, orgId, number: 99, rev: 1 });
    await panel.getByText('The chain could not be read').waitFor();
    t.equal(await links.count(), 0, 'the list is empty');
    t.equal(await panel.getByText('No links').count(), 0);
    await until(() => lines.some((line) => /getChain.*request r-1/.test(line)), 'it is logged');
    await framesAfter(page);
    t.equal(await page.locator('.notices .notice').count(), 0, 'no notice');
    mock.overrides.clear();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await links.first().waitFor();
    mock.overrides.set('PUT /files/chain/*/*/*', () => problem('FORBIDDEN'));
    await panel.getByRole('button', { name: 'Load older links' }).click();
    await panel.getByText('The chain could not be read').waitFor();
    t.equal(await links.count(), 0);
  },
);

consoleTest(
  '[S8.24] loads and updates that fail are logged with their request, and no notice is shown',
  async ({ mock, open }, t) => {
    const loads: [path: string, call: string, name: string][] = [
      ['/devices', 'GET /devices/*', 'getDevices'],
      [`/device/${machine}`, 'GET /devices/*/*', 'getDevice'],
      [`/device/${machine}/file/${mock.world.devices[0]?.files[0]?.id}`, 'GET /files/*/*/*', 'getFile'],
      ['/dashboard', 'GET /events/*', 'getEvents'],
      ['/users', 'GET /orgs/*', 'getOrganization'],
    ];
    for (const [path, call, name] of loads) {
      mock.overrides.set(call, () => problem('INTERNAL'));
      const page = await open('/login');
      const lines = logged(page);
      await page.goto(mock.url + path);
      await until(
        () => lines.some((line) => line.includes(name) && line.includes('r-1')),
        `${name} is logged`,
      );
      await framesAfter(page);
      t.equal(await page.locator('.notices .notice').count(), 0, `${name}: no notice`);
      mock.overrides.clear();
    }
    const page = await open('/users');
    const lines = logged(page);
    mock.overrides.set('PUT /users/*/*', () => problem('INTERNAL'));
    mock.overrides.set('PUT /orgs/*', () => problem('INTERNAL'));
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Stripe ID').fill('cus_1');
    await page.getByRole('button', { name: 'Add Stripe ID' }).click();
    for (const name of ['updateUser', 'updateOrganization'])
      await until(() => lines.some((line) => line.includes(name)), `${name} is logged`);
    await framesAfter(page);
    t.equal(await page.locator('.notices .notice').count(), 0);
    await page.goto(`${mock.url}/devices`);
    mock.overrides.set('PUT /devices/*/*', () => problem('INTERNAL'));
    await page.getByRole('switch', { name: 'Monitoring of build-runner-7' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await until(() => lines.some((line) => line.includes('updateDevice')), 'updateDevice is logged');
    await framesAfter(page);
    t.equal(await page.locator('.notices .notice').count(), 0);
  },
);

consoleTest('a device that does not exist is told by its forms too', async ({ open }) => {
  for (const path of [`/edit-device/${uuid(999)}`, `/device/${uuid(999)}/add-files`]) {
    const page = await open(path);
    await page.getByRole('heading', { level: 1, name: 'There is no such device.' }).waitFor();
    await page.getByRole('link', { name: 'Go to the devices' }).waitFor();
  }
});

consoleTest(
  '[S3.1] [S3.3] a user without active and a device NONACTIVE are read as the specification says',
  async ({ mock, open }, t) => {
    const { users, devices } = mock.world;
    for (const user of users) if (user.name === 'Jonas Lind') delete (user as { active?: boolean }).active;
    for (const device of devices)
      if (device.status === 'NON_ACTIVE') Object.assign(device, { status: 'NONACTIVE' });
    const page = await open('/users');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    t.match(await row('Jonas Lind').innerText(), /Invited/);
    await page.goto(`${mock.url}/devices`);
    await row('edge-gateway-fra').getByText('Issue detected').waitFor();
    await row('edge-gateway-fra').getByRole('link', { name: 'edge-gateway-fra', exact: true }).click();
    await page.getByText('Connection problem!').waitFor();
  },
);

consoleTest(
  '[S8.24] an organisation that could not be read is not one without a name',
  async ({ mock, open }, t) => {
    mock.overrides.set('GET /orgs/*', () => problem('INTERNAL'));
    const page = await open('/users');
    const card = page.getByRole('region', { name: 'Organization', exact: true });
    await card.getByText('The organization cannot be shown').waitFor();
    t.equal(await card.getByText('Organization name').count(), 0);
    t.equal(await card.getByLabel('Stripe ID').count(), 0);
    await callsOnceQuiet(page, mock);
    mock.overrides.clear();
    await card.getByRole('button', { name: 'Try again' }).click();
    await card.getByText('Northlight Ledger Works').waitFor();
    await card.getByLabel('Stripe ID').waitFor();
  },
);

consoleTest(
  'a search of events that has not looked at all of them does not say that none matches',
  async ({ mock, open }, t) => {
    const lastId = timeId(mock.world.now, 1);
    mock.overrides.set('GET /events/*', ({ query }) => {
      if (query.get('search') === null) return ok({ events: mock.world.events, lastId: null });
      // The server looks at so many a page; the next page fails at first, so that this state stays.
      return query.get('lastId') === null ? ok({ events: [], lastId }) : problem('UNAVAILABLE');
    });
    const page = await open('/dashboard?search=needle');
    await page.getByText('No event matches so far.').waitFor();
    t.equal(await page.getByText('No event matches.', { exact: true }).count(), 0);
    await callsOnceQuiet(page, mock);
    const more = (): Promise<void> =>
      page.evaluate(() => document.querySelector<HTMLElement>('.load-more button')?.click());
    await more();
    // The words of a button are not said when they change.
    await page.getByRole('status').filter({ hasText: 'Loading more rows failed.' }).waitFor();
    mock.overrides.set('GET /events/*', () => ok({ events: [], lastId: null }));
    // The list also goes on by itself once its end is in view, and the button is gone then.
    await more();
    await page.getByText('No event matches.', { exact: true }).waitFor();
  },
);

consoleTest(
  'the failure of the users is told once, however often they are tried again',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    await page.clock.install();
    await page.goto(`${mock.url}/users`);
    await page.getByRole('table', { name: 'Users' }).waitFor();
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            if (node.textContent?.includes('Get users error') === true) told.push(node.textContent);
      }).observe(document.body, { childList: true, subtree: true });
    });
    const calls = (): number => callsTo(mock, 'GET', '/users/').length;
    await live(page);
    const before = calls();
    mock.overrides.set('GET /users/*', () => problem('UNAVAILABLE'));
    mock.send('resync', {});
    await until(async () => {
      await page.clock.fastForward(1_000);
      return calls() >= before + 3;
    }, 'tried three times');
    t.equal(await page.evaluate(() => (window as unknown as { told: string[] }).told.length), 1);
    await page.getByText('Parts of this page may be out of date').waitFor();
  },
);

consoleTest(
  'counts that could not be read at first are not known, and are read again by themselves',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    const table = page.getByRole('table', { name: 'Devices' });
    await table.waitFor();
    await live(page);
    mock.overrides.set('GET /dashboard/*/devices', () => problem('UNAVAILABLE'));
    await page.getByRole('button', { name: 'View' }).click();
    const view = page.getByRole('dialog', { name: 'View of devices' });
    await view.getByLabel('Active alerts', { exact: true }).check();
    await page.keyboard.press('Escape');
    const head = await table.getByRole('columnheader').allInnerTexts();
    const count = table.locator(`tbody tr:first-child td:nth-child(${head.indexOf('Active alerts') + 1})`);
    await until(() => callsTo(mock, 'GET', '/dashboard/').length > 0, 'asked');
    t.equal(await count.innerText(), '–', 'not known');
    mock.overrides.clear();
    await until(async () => /^\d+$/.test(await count.innerText()), 'known now');

    mock.overrides.set('GET /alerts/counts/*', () => problem('UNAVAILABLE'));
    await page.goto(`${mock.url}/alerts-history`);
    await page.getByRole('table').waitFor();
    await until(() => callsTo(mock, 'GET', '/alerts/counts/').length > 0, 'asked');
    mock.overrides.clear();
    await page.getByText(/^\d+ alerts: /).waitFor();
  },
);

consoleTest(
  'an alert that could not be read when it was opened is not shown as its newest state',
  async ({ mock, open }, t) => {
    mock.overrides.set('GET /alerts/*/*/*', () => problem('UNAVAILABLE'));
    const page = await open('/users');
    await page.clock.install();
    await page.goto(`${mock.url}/alerts-history`);
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const panel = page.getByRole('dialog', { name: 'Hash breach' });
    const notice = panel.getByRole('status').filter({ hasText: 'Shown as the list has it' });
    const unread = 'The newest state of the alert could not be loaded.';
    await notice.getByText(`${unread} Trying again.`).waitFor();
    mock.overrides.set('GET /alerts/*/*/*', () => problem('FORBIDDEN'));
    const refused = notice.getByText(`${unread} Your role does not allow this.`);
    await until(async () => {
      await page.clock.fastForward(1_000);
      return (await refused.count()) === 1;
    }, 'the next try is refused');
    const reads = () => mock.calls.filter(({ path }) => /^\/alerts(\/[^/]+){3}$/.test(path)).length;
    const asked = reads();
    mock.overrides.clear();
    for (let n = 0; n < 4; n += 1) {
      await page.clock.fastForward(4_000);
      await framesAfter(page);
    }
    // A call of the page comes before this one.
    await page.evaluate(() => fetch('/console-config.json'));
    t.equal(reads(), asked, 'a refusal is not asked for again');
    mock.send('resync', {});
    await until(async () => (await notice.count()) === 0, 'it is read');
  },
);
