/** Filters with counts, groups, assignment, comments and saved views of alerts. */
import type { Locator, Page } from 'playwright-core';
import { violationsOf } from '@sentinel-node/test-kit/axe';
import { hash, uuid } from './fixtures.ts';
import { manyAlerts } from './many-alerts.ts';
import { ok, problem, routes } from './mock-routes.ts';
import {
  type Assertions,
  callsOnceQuiet,
  callsTo,
  consoleTest,
  holdAnswers,
  live,
  pathOf,
  until,
} from './support.ts';

async function hasNoFault(page: Page, t: Assertions, what: string): Promise<void> {
  const violations = await violationsOf(page);
  t.same(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
    what,
  );
}

const rows = (page: Page) => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');

consoleTest('a filter says when it does not offer all values', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?search=ledger-db-01');
  await page.getByRole('button', { name: 'More filters' }).click();
  const file = page.getByRole('combobox', { name: 'File' });
  await file.click();
  await page.keyboard.type('no such file');
  await page.getByText('Which files have alerts is not known now, as during a search.').waitFor();
  t.equal(await page.getByText('Nothing matches.').count(), 0);
  await hasNoFault(page, t, 'an open list');

  const counted = Array.from({ length: 100 }, (_, n) => ({
    value: uuid(3_000 + n),
    name: `f${n}`,
    alerts: 9,
  }));
  mock.overrides.set('GET /alerts/counts/*', (request) => {
    const { body } = routes['GET /alerts/counts/*']!(mock.world, request, []);
    return ok({ ...(body as object), fileId: counted });
  });
  await page.goto(`${mock.url}/alerts-history`);
  await page.getByText(/^24 alerts:/).waitFor();
  await page.getByRole('button', { name: 'More filters' }).click();
  await file.click();
  await page.keyboard.type('no such file');
  await page.getByText('Only the 100 files with most alerts are offered.').waitFor();
  t.equal(await page.getByText('Nothing matches.').count(), 0);
});

consoleTest(
  'what a choice does not find is said by a status, and never while the values are being read',
  async ({ mock, open }, t) => {
    const type = async (page: Page, label: string): Promise<Locator> => {
      const box = page.getByRole('combobox', { name: label, exact: true });
      // A screen reader may miss a status that comes with its words.
      const status = page.locator('.combobox', { has: box }).getByRole('status');
      t.equal(await status.count(), 1, `${label}: it is there before its words`);
      await box.click();
      await page.keyboard.type('no such thing');
      return status;
    };
    for (const [path, calls, prepare, label, reading] of [
      ['/alerts-history', 'devices/*', noPreparation, 'Device', 'The devices are being read.'],
      ['/define-maintenance', 'devices/*', coverDevices, 'Add a device', 'The devices are being read.'],
      ['/alerts-history', 'users/*', askAssignee, 'Person', 'The other users are being read.'],
    ] as const) {
      const page = await open('/notifications');
      const release = await holdAnswers(page, `**/api/v1/${calls}`);
      await page.goto(mock.url + path);
      await prepare(page);
      const status = await type(page, label);
      await status.getByText(reading, { exact: true }).waitFor();
      t.equal(await page.getByText('Nothing matches.').count(), 0, `${label}: nothing is known yet`);
      release();
      await status.getByText('Nothing matches.', { exact: true }).waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    }
  },
);

consoleTest(
  'a choice whose values could not be read does not say that nothing matches',
  async ({ mock, open }, t) => {
    for (const [path, call, prepare, label, said] of [
      [
        '/define-maintenance',
        'GET /devices/*',
        coverDevices,
        'Add a device',
        'The devices could not be loaded.',
      ],
      ['/alerts-history', 'GET /users/*', askAssignee, 'Person', 'The other users could not be read.'],
    ] as const) {
      mock.overrides.set(call, () => problem('FORBIDDEN'));
      const page = await open(path);
      await prepare(page);
      const box = page.getByRole('combobox', { name: label, exact: true });
      await box.click();
      await page.keyboard.type('no such thing');
      await page.locator('.combobox', { has: box }).getByRole('status').filter({ hasText: said }).waitFor();
      t.equal(await page.getByText('Nothing matches.').count(), 0, label);
      mock.overrides.clear();
      await page.context().close();
    }
  },
);

const noPreparation = (page: Page): Promise<void> => page.getByRole('table', { name: 'Alerts' }).waitFor();

const coverDevices = async (page: Page): Promise<void> => {
  await page.getByLabel('Covers').selectOption('DEVICES');
};

async function askAssignee(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click();
}

consoleTest('every filter stands in the address, with what each value leaves', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.getByText(/^24 alerts:/).waitFor();
  await page.getByRole('button', { name: 'More filters' }).click();
  const type = page.getByLabel('Type', { exact: true });
  t.strictSame(await type.locator('option').allInnerTexts(), [
    'All types',
    'File missing (1)',
    'Unexpected change (13)',
    'Hash breach (8)',
    'Rolled file changed (1)',
    'Hash breach in request (1)',
  ]);
  await type.selectOption('HASH_BREACH');
  await page.getByText(/^8 alerts:/).waitFor();
  await until(async () => (await rows(page).count()) === 8, 'those of the type');
  const file = page.getByRole('combobox', { name: 'File' });
  await file.focus();
  await page.keyboard.press('ArrowDown');
  const listed = page.getByRole('listbox', { name: 'File' }).getByRole('option');
  t.equal(await listed.first().innerText(), 'All files');
  await hasNoFault(page, t, 'an open list');
  await page.keyboard.type('no such file');
  await page.getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Escape');
  t.equal(await file.inputValue(), 'All files', 'nothing was chosen');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(() => new URL(page.url()).searchParams.has('file'), 'the file is in the address');
  const params = new URL(page.url()).searchParams;
  const other = await open(`/alerts-history?${params}`);
  const shown = await rows(page).count();
  await until(async () => (await rows(other).count()) === shown, 'the address shows the same');
  // The names of files come after the alerts.
  const named = other.getByRole('combobox', { name: 'File' });
  await until(async () => (await named.inputValue()) === (await file.inputValue()), 'it names the file');
  await page.goBack();
  await until(async () => (await rows(page).count()) === 8, 'Back takes the file back');
  const wide = await open(`/alerts-history?handled=${uuid(1)}&category=MISSION_CRITICAL`);
  const critical = mock.world.devices.filter(({ category }) => category === 'MISSION_CRITICAL');
  const isCritical = (id: string): boolean => critical.some((of) => of.id === id);
  const handled = mock.world.alerts.filter((one) => one.overrideUser !== null && isCritical(one.deviceId));
  t.ok(handled.length > 0 && handled.length < 22, 'some of those that were handled');
  await wide.getByText(new RegExp(`^${handled.length} alerts:`)).waitFor();
  const before = callsTo(mock, 'GET', '/alerts/counts/').length;
  const found = await open('/alerts-history?search=ledger-db-01');
  await rows(found).first().waitFor();
  t.equal(callsTo(mock, 'GET', '/alerts/counts/').length, before, 'nothing is counted of a search');
  t.equal(await found.getByLabel('Status').locator('option').nth(1).innerText(), 'Active');
});

consoleTest('the words of a filter can be read whole', async ({ mock, open }, t) => {
  const name = 'Zahlungsverkehrsüberwachungsserver in Graz';
  Object.assign(mock.world.devices[0] ?? {}, { name });
  for (const width of [1440, 390]) {
    const page = await open('/alerts-history', { width });
    await page.getByRole('button', { name: 'More filters' }).click();
    const filters = page.locator('.alert-filters').getByRole('combobox');
    t.ok((await filters.count()) > 10);
    const cut = (): Promise<string[]> =>
      filters.evaluateAll((all) =>
        all
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map((one) => one.getAttribute('aria-label') ?? ''),
      );
    t.strictSame(await cut(), [], `there is room at ${width}`);
    await page.goto(`${mock.url}/alerts-history?device=${uuid(101)}`);
    const device = page.getByRole('combobox', { name: 'Device' });
    await until(async () => (await device.inputValue()) === name, 'the device is named');
    t.equal(await device.getAttribute('title'), name, 'a pointer over it shows all of it');
    await device.click();
    t.equal(await device.getAttribute('title'), null, 'an open list shows it');
    await page.getByRole('option', { name }).waitFor();
    await page.close();
  }
});

consoleTest('counts follow what happens, and none is shown that is not known', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?status=ACTIVE');
  await page.getByText('2 alerts', { exact: true }).waitFor();
  await live(page);
  manyAlerts(mock, 1);
  mock.send('alert', { ...mock.world.alerts[0], orgId: mock.world.orgId, rev: 1 });
  await page.getByText('3 alerts', { exact: true }).waitFor();
  mock.overrides.set('GET /alerts/counts/*', () => problem('LIMIT_REACHED'));
  const asked = callsTo(mock, 'GET', '/alerts/counts/').length;
  const other = await open('/alerts-history?status=ACTIVE');
  await rows(other).first().waitFor();
  await callsOnceQuiet(other, mock);
  t.ok(callsTo(mock, 'GET', '/alerts/counts/').length > asked, 'the counts were asked for, and refused');
  t.equal(await other.getByText(/^\d+ alerts(:|$)/).count(), 0);
  t.equal(await other.getByLabel('Status').locator('option').nth(1).innerText(), 'Active');
});

consoleTest(
  'equal content on several files is one group, which leads to all of its alerts',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 3);
    for (const one of mock.world.alerts.slice(0, 3)) Object.assign(one, { contentHash: hash('rollout') });
    const page = await open('/alerts-history');
    await page.getByLabel('Group', { exact: true }).selectOption('By equal content');
    const groups = page.getByRole('table', { name: 'Groups of alerts' });
    await until(async () => (await groups.locator('tbody tr').count()) === 1, 'one group');
    t.match(await groups.locator('tbody tr').innerText(), /pg_hba\.conf\s+3\s+3\s+1\s+1/);
    await hasNoFault(page, t, 'groups');
    await groups.getByRole('link').click();
    await until(async () => (await rows(page).count()) === 3, 'its alerts');
    t.equal(new URL(page.url()).searchParams.get('content'), hash('rollout'));
    await page.getByRole('button', { name: /^Content/ }).click();
    await until(async () => (await rows(page).count()) > 3, 'all again');
    await page.goto(`${mock.url}/alerts-history?group=DEVICE&status=RESOLVED`);
    await until(async () => (await groups.locator('tbody tr').count()) === 3, 'the devices with such alerts');
    mock.overrides.set('GET /alerts/groups/*', () => problem('UNAVAILABLE'));
    await page.reload();
    await page.getByText('Groups cannot be shown').waitFor();
    await callsOnceQuiet(page, mock);
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await groups.waitFor();
  },
);

consoleTest('groups say that a search does not narrow them', async ({ open }) => {
  const page = await open('/alerts-history?group=TYPE&search=settings');
  await page.getByRole('table', { name: 'Groups of alerts' }).waitFor();
  const note = page.getByText('Groups are not searched: they are of all alerts that the filters leave.');
  await note.waitFor();
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('');
  await until(async () => (await note.count()) === 0, 'without a search there is nothing to say');
});

consoleTest('groups that are not counted any more are not shown any more', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?group=TYPE');
  const groups = page.getByRole('table', { name: 'Groups of alerts' });
  await groups.waitFor();
  await live(page);
  mock.overrides.set('GET /alerts/groups/*', () => problem('LIMIT_REACHED'));
  manyAlerts(mock, 1);
  mock.send('alert', { ...mock.world.alerts[0], orgId: mock.world.orgId, rev: 1 });
  await page.getByText('Groups cannot be shown').waitFor();
  t.equal(await groups.count(), 0);
});

consoleTest(
  'an alert that matches by what only the server knows is in the list at once',
  async ({ mock, open }, t) => {
    mock.overrides.set('GET /devices/*', () => problem('UNAVAILABLE'));
    const of = mock.world.devices[1]!;
    mock.world.alerts = mock.world.alerts.filter(({ deviceId }) => deviceId !== of.id);
    const byCategory = await open(`/alerts-history?category=${of.category}&device=${of.id}`);
    const byLabel = await open('/alerts-history?label=file:own');
    const labelled = mock.world.alerts.slice();
    mock.overrides.set('GET /alerts/*', ({ query }) => {
      const fits = query.get('label') === null || labelled.length < mock.world.alerts.length;
      return ok({
        alerts: fits ? mock.world.alerts.filter(({ deviceId }) => deviceId === of.id) : [],
        lastId: null,
      });
    });
    for (const page of [byCategory, byLabel]) {
      await page.reload();
      await page.getByText('No alert matches.').waitFor();
      await live(page);
    }
    manyAlerts(mock, 1);
    mock.send('alert', { ...mock.world.alerts[0], orgId: mock.world.orgId, rev: 1 });
    for (const page of [byCategory, byLabel])
      await until(async () => (await rows(page).count()) === 1, 'the new alert is shown');
    t.equal(await byCategory.getByText('No alert matches.').count(), 0);
  },
);

consoleTest('groups by file and by type say how many alerts they have', async ({ open }, t) => {
  const page = await open('/alerts-history');
  const group = page.getByLabel('Group', { exact: true });
  const groups = page.getByRole('table', { name: 'Groups of alerts' });
  const shown = async (header: string): Promise<string[][]> => {
    await groups.getByRole('columnheader', { name: header, exact: true }).waitFor();
    const cells = await groups
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map(({ innerText }) => innerText)),
      );
    return cells.map((row) => row.slice(0, -1).map((text) => text.trim()));
  };
  await group.selectOption('By file');
  t.same(
    await shown('File'),
    [
      ['pg_hba.conf on ledger-db-01', '19', '0'],
      ['application log on This machine', '1', '1'],
      ['settings.json on This machine', '1', '1'],
      ['access log on This machine', '1', '0'],
      ['audit.log on ledger-db-01', '1', '0'],
      ['firewall rules on edge-gateway-fra', '1', '0'],
    ],
    'alerts, active',
  );
  await group.selectOption('By type');
  t.same(
    await shown('Alert'),
    [
      ['Unexpected change', '13', '1', '2', '2'],
      ['Hash breach', '8', '1', '2', '2'],
      ['Rolled file changed', '1', '0', '1', '1'],
      ['File missing', '1', '0', '1', '1'],
      ['Hash breach in request', '1', '0', '1', '1'],
    ],
    'alerts, active, devices, files',
  );
  await groups.getByRole('link', { name: 'Hash breach', exact: true }).click();
  await until(async () => (await rows(page).count()) === 8, 'its alerts');
});

consoleTest('chosen alerts are assigned to a person, and found again', async ({ mock, open }, t) => {
  manyAlerts(mock, 3);
  const page = await open('/alerts-history');
  await page.getByRole('checkbox').first().click();
  await page.getByRole('checkbox').nth(1).click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Assign' }).click();
  const dialog = page.getByRole('dialog', { name: 'Assign 2 alerts' });
  const person = dialog.getByRole('combobox', { name: 'Person' });
  t.equal(await person.inputValue(), 'ada@example.org (you)', 'the first thought is oneself');
  await hasNoFault(page, t, 'the dialog');
  await person.click();
  t.same(await dialog.getByRole('option').allInnerTexts(), [
    'Nobody',
    'ada@example.org (you)',
    'jonas@example.org',
  ]);
  await dialog.getByRole('option', { name: 'jonas@example.org' }).click();
  await dialog.getByRole('button', { name: 'Assign' }).click();
  const answer = page.getByRole('alertdialog', { name: '2 of 2 alerts assigned' });
  await answer.getByRole('button', { name: 'Done' }).click();
  t.equal(callsTo(mock, 'PUT', '/alerts/assign/')[0]?.body['userId'], uuid(2));
  await page.getByRole('columnheader', { name: 'Assigned to' }).waitFor();
  const other = await open(`/alerts-history?assigned=${uuid(2)}`);
  await until(async () => (await rows(other).count()) === 2, 'those of the person');
  t.match(await rows(other).first().innerText(), /jonas@example\.org/);
});

consoleTest('an alert of a person who was deleted is nobody’s at once', async ({ mock, open }, t) => {
  manyAlerts(mock, 3);
  const { alerts, orgId, users } = mock.world;
  const jonas = users.find(({ id }) => id === uuid(2))!;
  for (const one of alerts.slice(0, 2))
    Object.assign(one, { assignee: { userId: jonas.id, email: jonas.emailAddress } });
  const ada = { userId: uuid(1), email: 'ada@example.org' };
  Object.assign(alerts[2]!, { assignee: ada });
  const page = await open('/alerts-history');
  const table = page.getByRole('table', { name: 'Alerts' });
  const ofJonas = table.getByText(jonas.emailAddress);
  await until(async () => (await ofJonas.count()) === 2, 'they are assigned');
  await page.getByRole('button', { name: 'More filters' }).click();
  const filter = page.getByRole('combobox', { name: 'Assigned to' });
  const offered = page.getByRole('option', { name: /jonas@example\.org/ });
  await filter.click();
  await offered.waitFor();
  await page.keyboard.press('Escape');
  const other = await open(`/alerts-history?alert=${alerts[0]!.id}&in=${alerts[0]!.deviceId}`);
  const panel = other.getByRole('dialog');
  await panel.getByText(`${jonas.emailAddress} Change`).waitFor();
  const grouped = await open(`/alerts-history?assigned=${jonas.id}&group=TYPE`);
  const groups = grouped.getByRole('table', { name: 'Groups of alerts' });
  await groups.waitFor();
  const ofNobody = await open(`/alerts-history?assigned=NOBODY&status=ACTIVE&file=${alerts[0]!.fileId}`);
  await ofNobody.getByText('No alert matches.').waitFor();
  for (const one of [page, other, grouped, ofNobody]) await live(one);
  for (const one of alerts.slice(0, 2)) Reflect.deleteProperty(one, 'assignee');
  mock.world.users = users.filter(({ id }) => id !== jonas.id);
  mock.send('user', { id: jonas.id, orgId, rev: 9, deleted: true });
  await until(async () => (await ofJonas.count()) === 0, 'the list names nobody');
  t.equal(await table.getByText(ada.email).count(), 1, 'the alerts of others stay theirs');
  await filter.click();
  await until(async () => (await offered.count()) === 0, 'nor does the filter');
  await panel.getByText('Nobody Assign').waitFor();
  await panel.getByRole('button', { name: 'Assign' }).click();
  const dialog = other.getByRole('dialog', { name: 'Assign this alert' });
  await dialog.getByRole('combobox', { name: 'Person' }).click();
  await dialog.getByRole('option', { name: 'Nobody' }).waitFor();
  t.equal(await dialog.getByRole('option', { name: jonas.emailAddress }).count(), 0);
  await grouped.getByText('No alert matches.').waitFor();
  await until(async () => (await rows(ofNobody).count()) === 2, 'who looks for those of nobody finds them');
});

consoleTest('an alert is taken and commented in its panel; text stays text', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('.row-button').first().click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Assign' }).click();
  await page
    .getByRole('dialog', { name: 'Assign this alert' })
    .getByRole('button', { name: 'Assign' })
    .click();
  await panel.getByText('ada@example.org Change').waitFor();
  const history = panel.getByRole('list', { name: 'History of the alert, newest first' });
  await history.getByText('The alert was raised').waitFor();
  await panel.getByRole('button', { name: 'Add comment' }).click();
  await panel.getByText('Comment required').waitFor();
  const text = '<img src=x onerror="document.title=1"> שלום 😀';
  const box = panel.getByRole('textbox', { name: 'Comment' });
  await box.fill(text);
  mock.overrides.set('POST /alerts/comments/*/*/*', () => problem('UNAVAILABLE'));
  await panel.getByRole('button', { name: 'Add comment' }).click();
  await panel.getByRole('alert').waitFor();
  t.equal(await box.inputValue(), text, 'what was typed is kept');
  mock.overrides.clear();
  await panel.getByRole('button', { name: 'Add comment' }).click();
  await history.getByText(text).waitFor();
  t.equal(await box.inputValue(), '');
  t.equal(await panel.locator('img').count(), 0);
  t.match(await history.getByRole('listitem').first().innerText(), /ada@example\.org commented .*2/);
  await hasNoFault(page, t, 'the panel');
  // Somebody else says something.
  const [alertNow] = mock.world.alerts;
  mock.world.histories.get(alertNow?.id ?? '')?.unshift({
    id: 'of-jonas',
    kind: 'COMMENTED',
    timestamp: new Date(mock.world.now).toISOString(),
    by: 'jonas@example.org',
    text: 'I look at it.',
    to: [],
  });
  await live(page);
  mock.send('alert', { ...alertNow, comments: 2, orgId: mock.world.orgId, rev: 9 });
  await history.getByText('I look at it.').waitFor();
});

consoleTest('a person keeps views of the list', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?status=ACTIVE&group=TYPE');
  await page.getByRole('button', { name: 'Saved views' }).click();
  const dialog = page.getByRole('dialog', { name: 'Saved views' });
  await dialog.getByText('You have not saved a view yet.').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Name required').waitFor();
  const name = dialog.getByRole('textbox', { name: 'Name of what is shown now' });
  await name.fill('Open <b>by type</b>');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const views = dialog.getByRole('list', { name: 'Saved views' });
  await views.getByRole('link', { name: 'Open <b>by type</b>' }).waitFor();
  t.same(mock.world.savedViews, [{ name: 'Open <b>by type</b>', query: 'status=ACTIVE&group=TYPE' }]);
  await name.fill('open <B>by type</B>');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Another view has this name').waitFor();
  await hasNoFault(page, t, 'the dialog');
  const other = await open('/alerts-history');
  await other.getByRole('button', { name: 'Saved views' }).click();
  await other.getByRole('link', { name: 'Open <b>by type</b>' }).click();
  await other.getByRole('table', { name: 'Groups of alerts' }).waitFor();
  t.equal(pathOf(other), '/alerts-history');
  t.equal(new URL(other.url()).search, '?status=ACTIVE&group=TYPE');
  await views.getByRole('button', { name: /^Delete the view/ }).click();
  await dialog.getByText('You have not saved a view yet.').waitFor();
});

consoleTest('devices with one name are told apart where one is chosen', async ({ mock, open }, t) => {
  const [one, other] = mock.world.devices;
  if (one === undefined || other === undefined) throw new Error('two devices');
  for (const device of [one, other]) Object.assign(device, { name: 'Twin' });
  const page = await open('/alerts-history');
  const field = page.getByRole('combobox', { name: 'Device' });
  await field.click();
  await field.fill('twin');
  const options = page.getByRole('listbox').getByRole('option');
  await until(async () => (await options.count()) === 2, 'both are offered');
  const texts = await options.locator('.grow').allInnerTexts();
  t.same(new Set(texts), new Set([one, other].map(({ id }) => `Twin (${id.slice(0, 8)}…${id.slice(-6)})`)));
  await options.filter({ hasText: other.id.slice(-6) }).click();
  t.match(await field.inputValue(), other.id.slice(-6));
  t.equal(new URL(page.url()).searchParams.get('device'), other.id);

  await page.goto(`${mock.url}/define-maintenance`);
  const add = page.getByRole('combobox', { name: 'Add a device' });
  await add.click();
  await page
    .getByRole('option')
    .filter({ hasText: one.id.slice(-6) })
    .click();
  await page
    .getByRole('listitem')
    .filter({ hasText: one.id.slice(-6) })
    .waitFor();
  await add.click();
  t.equal(
    await page
      .getByRole('option')
      .filter({ hasText: other.id.slice(-6) })
      .count(),
    1,
    'the rest too',
  );
});

consoleTest('the further filters stay when the last of them is emptied', async ({ open }, t) => {
  const page = await open('/alerts-history?type=HASH_BREACH');
  await page.getByLabel('Type').selectOption('');
  await until(() => !page.url().includes('type='), 'it is emptied');
  await page.getByRole('button', { name: 'Fewer filters' }).waitFor();
  t.equal(await page.getByLabel('Type').count(), 1);
  await page.getByRole('button', { name: 'Fewer filters' }).click();
  await until(async () => (await page.getByLabel('Type').count()) === 0, 'they go when asked');
});
