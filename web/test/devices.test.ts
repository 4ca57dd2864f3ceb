import { readFile } from 'node:fs/promises';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { callsTo, consoleTest, live, MID_HOUR, pathOf, until } from './support.ts';
import { file, uuid } from './fixtures.ts';
import { ok, problem } from './mock-routes.ts';

const machine = uuid(101);

/** What an update of a device sends besides the switch. */
const wholeDevice = {
  name: 'This machine',
  description: 'The machine that this server runs on',
  path: '/srv/demonstration',
  healthInterval: 60,
  category: 'MISSION_CRITICAL',
  files: [],
  updateDeviceData: true,
};

/** What the agent of the machine is given. */
const configurationOf = (orgId: string, apiKey: string | undefined) => ({
  orgId,
  devId: machine,
  apiKey,
  healthInterval: 60,
  workingDirectory: '/srv/demonstration',
  sentinelAddress: 'http://localhost:8443/api/v1',
  clearOrphanedProcesses: true,
  files: [
    {
      id: uuid(1001),
      path: 'logs/application.log',
      type: 'FOLLOW',
      rolled: false,
      modifiable: true,
      data: 'text',
    },
    {
      id: uuid(1002),
      path: 'logs/access.log',
      type: 'FOLLOW',
      rolled: true,
      rolledfilenameregexp: 'access\\.log\\.\\d+(\\.gz)?',
      modifiable: true,
      data: 'text',
    },
    {
      id: uuid(1003),
      path: 'settings.json',
      type: 'PROBE',
      interval: 5,
      rolled: false,
      modifiable: false,
      data: 'text',
    },
    {
      id: uuid(1004),
      path: 'notes.txt',
      type: 'PROBE',
      interval: 30,
      rolled: false,
      modifiable: true,
      data: 'text',
    },
  ],
});

consoleTest(
  '[S2.32] the devices page has its columns, its search and its links',
  async ({ mock, open }, t) => {
    Object.assign(mock.world.devices[0] ?? {}, { creationDate: '2026-03-05T02:30:00.000Z' });
    const page = await open('/devices', { timeZone: 'America/New_York' });
    const table = page.getByRole('table', { name: 'Devices' });
    await table.waitFor();
    const headers = ['Device name', 'ID', 'Category', 'Description', 'Creation date', 'Monitoring'];
    t.same(await table.getByRole('columnheader').allInnerTexts(), headers);
    t.equal(await table.getByRole('row').nth(3).getByRole('cell').nth(3).innerText(), '-');
    const cells = table.getByRole('row').nth(1).getByRole('cell');
    t.equal(await cells.nth(0).innerText(), 'This machine');
    await cells.nth(1).getByTitle(machine).waitFor();
    t.equal(await cells.nth(2).innerText(), 'Mission critical');
    t.equal(await cells.nth(3).innerText(), 'The machine that this server runs on');
    t.equal(await cells.nth(4).innerText(), 'Mar 4, 2026', 'of the zone of the person');
    await cells.nth(5).getByRole('switch').waitFor();
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('ledger');
    await until(async () => (await table.locator('tbody tr').count()) === 1, 'one device is found');
    await table.getByRole('cell', { name: 'Primary database of the ledger team' }).click();
    t.equal(pathOf(page), `/device/${uuid(102)}`, 'a click anywhere in the row');
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
    await page.getByRole('link', { name: 'Add device' }).click();
    t.equal(pathOf(page), '/add-device');
    mock.world.devices.length = 0;
    const empty = await open('/devices');
    await empty.getByText('There are no devices added yet.').waitFor();
    await empty.getByRole('link', { name: 'Add device' }).click();
    t.equal(pathOf(empty), '/add-device');
  },
);

consoleTest('intervals are shown in units that people use', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  if (device === undefined) throw new Error('a device');
  Object.assign(device, { healthInterval: 90 });
  device.files.forEach((one, at) =>
    Object.assign(one, { monitoringFrequency: 'PROBE', interval: [1, 3_600, 86_400, 5_400][at] }),
  );
  const page = await open(`/device/${machine}`);
  const table = page.getByRole('table', { name: 'Files of This machine' });
  for (const words of ['Every second', 'Every hour', 'Every day', 'Every 1 h 30 min'])
    await table.getByText(words, { exact: true }).waitFor();
  t.match(await page.locator('.subheader').innerText(), /Health interval\s+Every 1 min 30 s/);

  await page.goto(`${mock.url}/edit-device/${machine}`);
  const health = page.getByLabel('Health interval (seconds)');
  t.equal(await health.inputValue(), '90', 'typed in seconds');
  await page.getByText('Every 1 min 30 s', { exact: true }).waitFor();
  await health.fill('3600');
  await page.getByText('Every hour', { exact: true }).waitFor();
  await health.fill('1.5');
  t.equal(await page.getByText(/^Every /).count(), 0, 'nothing is said of what is no interval');

  await page.goto(`${mock.url}/device/${machine}/edit-file/${device.files[2]?.id}`);
  t.equal(await page.getByLabel('Interval (seconds)').inputValue(), '86400');
  await page.getByText('Every day', { exact: true }).waitFor();
});

consoleTest('[S4.5] [S3.6] stopping a device asks in red, then for a note', async ({ mock, open }, t) => {
  const page = await open('/devices');
  await page.getByRole('switch', { name: 'Monitoring of This machine' }).click();
  await page.getByText('Are you sure you want to stop monitoring This machine device?').waitFor();
  const yes = page.getByRole('button', { name: 'Yes', exact: true });
  t.match(await yes.getAttribute('class'), /button-danger/);
  await yes.click();
  const modal = page.getByRole('dialog', { name: 'Please submit a note' });
  await modal.getByText('Please explain why this device no longer should be monitored').waitFor();
  await modal.getByRole('button', { name: 'Submit' }).click();
  await modal.getByText('Note required').waitFor();
  t.equal(callsTo(mock, 'PUT', '/devices/').length, 0, 'not without a note');
  await modal.getByRole('textbox', { name: 'Note' }).fill('Moved to another rack');
  await modal.getByRole('button', { name: 'Submit' }).click();
  await until(
    async () =>
      (await page
        .getByRole('switch', { name: 'Monitoring of This machine' })
        .getAttribute('aria-checked')) === 'false',
    'off',
  );
  const body = callsTo(mock, 'PUT', '/devices/')[0]?.body;
  const note = { disabledNote: 'Moved to another rack', emailAddress: 'ada@example.org' };
  t.same(body, { ...wholeDevice, enabled: false, ...note });
  t.equal(pathOf(page), '/devices');
});

consoleTest('[S4.6] [S3.6] starting a device asks in blue and clears the note', async ({ mock, open }, t) => {
  const page = await open('/devices');
  await page.getByRole('switch', { name: 'Monitoring of build-runner-7' }).click();
  await page.getByText('Are you sure you want to start monitoring build-runner-7 device?').waitFor();
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'No closes');
  t.equal(callsTo(mock, 'PUT', '/devices/').length, 0);
  const isOn = () =>
    page.getByRole('switch', { name: 'Monitoring of build-runner-7' }).getAttribute('aria-checked');
  t.equal(await isOn(), 'false', 'No changes nothing');
  await page.getByRole('switch', { name: 'Monitoring of build-runner-7' }).click();
  const yes = page.getByRole('button', { name: 'Yes', exact: true });
  t.match(await yes.getAttribute('class'), /button-primary/);
  await yes.click();
  await until(() => callsTo(mock, 'PUT', '/devices/').length === 1, 'saved');
  const body = callsTo(mock, 'PUT', '/devices/')[0]?.body ?? {};
  matchWhole(t, body, { enabled: true, emailAddress: null, files: [], updateDeviceData: true });
  t.notOk('disabledNote' in body, 'only a device that is disabled has a note');
  await until(async () => (await isOn()) === 'true', 'on');
});

consoleTest('[S4.7] [S8.18] a silent device has a marker, and its page a warning', async ({ open }, t) => {
  const page = await open('/devices');
  const row = page.getByRole('row').filter({ hasText: 'edge-gateway-fra' });
  await row.getByText('Issue detected').waitFor();
  await row.getByRole('img', { name: 'No signal from this device' }).waitFor();
  t.equal(await row.getByRole('switch').count(), 0);
  const active = page.getByRole('row').filter({ hasText: 'ledger-db-01' });
  await active.getByRole('switch').waitFor();
  t.equal(await active.getByText('Issue detected').count(), 0);
  await row.getByRole('link', { name: 'edge-gateway-fra', exact: true }).click();
  await page.getByText('Connection problem!', { exact: true }).waitFor();
  const text = 'Check that the agent is running and can reach the server.';
  await page
    .getByText(/^No signal from this device since \w{3} \d+, \d{4}, \d+:\d\d:\d\d [AP]M\. /)
    .waitFor();
  await page.getByText(text).waitFor();
  await page.getByText('Issue detected').waitFor();
  t.equal(await page.getByRole('switch', { name: 'Monitoring of edge-gateway-fra', exact: true }).count(), 0);
  const healthy = await open(`/device/${machine}`);
  await healthy.getByRole('heading', { level: 1, name: 'This machine' }).waitFor();
  await healthy.getByRole('switch', { name: 'Monitoring of This machine', exact: true }).waitFor();
  t.equal(await healthy.getByText('Connection problem!').count(), 0);
});

consoleTest(
  '[S2.33] [S4.8] [S9.12] files are switched and deleted, the configuration is downloaded',
  async ({ mock, open }, t) => {
    const page = await open(`/device/${machine}`);
    await page.getByRole('heading', { level: 1, name: 'This machine' }).waitFor();
    const facts = await page.locator('.subheader dt').allInnerTexts();
    t.same(facts, [
      'Category',
      'Working directory',
      'Health interval',
      'Last contact',
      'Creation date',
      'ID',
    ]);
    const table = page.getByRole('table', { name: 'Files of This machine' });
    t.equal(await table.locator('tbody tr').count(), 4);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Configuration' }).click();
    const download = await downloading;
    t.equal(download.suggestedFilename(), 'This machine_configuration.json');
    const saved: unknown = JSON.parse(await readFile(await download.path(), 'utf8'));
    t.strictSame(saved, configurationOf(mock.world.orgId, mock.world.devices[0]?.apiKey));
    const answer = (name: 'No' | 'Yes') => page.getByRole('button', { name, exact: true }).click();
    const toggle = page.getByRole('switch', { name: 'Monitoring of notes.txt' });
    const updates = () => callsTo(mock, 'PUT', '/devices/');
    const stop = page.getByText('Are you sure you want to stop monitoring notes.txt file?');
    await toggle.click();
    await stop.waitFor();
    await answer('No');
    await stop.waitFor({ state: 'detached' });
    t.equal(updates().length, 0, 'No changes nothing');
    await toggle.click();
    await answer('Yes');
    await until(async () => (await toggle.getAttribute('aria-checked')) === 'false', 'off');
    const sent: { files?: { name: string; enabled: boolean }[] } = updates()[0]?.body ?? {};
    const { files, ...device } = sent;
    t.same(
      files?.map((one) => one.enabled),
      [true, true, true, false],
    );
    const { files: _, ...whole } = wholeDevice;
    t.match(device, { ...whole, enabled: true, updateDeviceData: false }, 'the whole device');
    await toggle.click();
    await page.getByText('Are you sure you want to start monitoring notes.txt file?').waitFor();
    await answer('Yes');
    await until(async () => (await toggle.getAttribute('aria-checked')) === 'true', 'on again');
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for notes.txt' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('Are you sure you want to delete notes.txt file?').waitFor();
    };
    await remove();
    await answer('No');
    await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'No closes');
    t.equal(callsTo(mock, 'DELETE', '/files/').length, 0);
    await remove();
    await answer('Yes');
    await until(() => callsTo(mock, 'DELETE', '/files/').length === 1, 'deleted');
    const path = `/files/${mock.world.orgId}/${machine}/${uuid(1004)}`;
    t.equal(callsTo(mock, 'DELETE', '/files/')[0]?.path, path);
  },
);

consoleTest(
  'a device with a file that is not judged does not look well',
  async ({ mock, open }, t) => {
    const [, device] = mock.world.devices;
    Object.assign(device?.files[0] ?? {}, { parked: { since: null, cause: null, waiting: 3 } });
    Object.assign(device ?? {}, { lastContact: new Date(MID_HOUR).toISOString() });
    const page = await open('/devices');
    await page.getByRole('button', { name: 'View' }).click();
    const view = page.getByRole('dialog', { name: 'View of devices' });
    for (const column of ['Status', 'Files not judged'])
      await view.getByLabel(column, { exact: true }).check();
    await page.keyboard.press('Escape');
    const row = page.getByRole('row').filter({ hasText: 'ledger-db-01' });
    await row.getByText('Not all judged', { exact: true }).waitFor();
    t.equal(await row.getByText('In contact', { exact: true }).count(), 0);
    t.equal(await row.locator('.cell-number strong').innerText(), '1');
    // No other total moves with a record that is parked: the frame that tells of it has the counts read again.
    const counted = (filesNotJudged: number, more: object = {}): void => {
      const counts = { activeAlerts: 0, filesWithoutContact: 0, filesNotJudged };
      mock.overrides.set('GET /dashboard/*/devices', () =>
        ok({ devices: [{ id: device?.id, ...counts }], ...more }),
      );
    };
    const tell = (rev: number, notJudged: object): void =>
      mock.send('summary', {
        id: mock.world.orgId,
        orgId: mock.world.orgId,
        rev,
        activeAlerts: 0,
        performance: { numberOfFilesWithoutContact: 0 },
        notJudged,
      });
    const shown = (text: string): Promise<void> =>
      until(async () => (await row.locator('.cell-number strong').allInnerTexts()).join() === text, text);
    counted(1);
    await page.reload();
    await live(page);
    await shown('1');
    counted(2);
    tell(1, { files: 2, atLeast: false, named: [] });
    await shown('2');
    counted(2, { notJudgedAtLeast: true });
    tell(2, { files: 2, atLeast: true, named: [] });
    await shown('at least 2');
    // With more parked files than the server looks at nobody can say that all of a device are judged.
    mock.overrides.set('GET /dashboard/*/devices', () => ok({ devices: [], notJudgedAtLeast: true }));
    await page.reload();
    await row.getByText('at least 0', { exact: true }).waitFor();
    await row.getByText('Not all judged', { exact: true }).waitFor();
    t.equal(await page.getByText('In contact', { exact: true }).count(), 0);
  },
  { at: MID_HOUR },
);

consoleTest(
  'of a silent device the time of the last contact is said, not its age',
  async ({ mock, open }, t) => {
    const lastContact = new Date(MID_HOUR).toISOString();
    for (const device of mock.world.devices.slice(1, 3)) Object.assign(device, { lastContact });
    const page = await open('/devices');
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByRole('dialog', { name: 'View of devices' }).getByLabel('Last contact').check();
    await page.keyboard.press('Escape');
    const contactOf = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).locator('td time').nth(1);
    t.equal(await contactOf('ledger-db-01').innerText(), 'just now');
    const exact = await page.evaluate((at) => new Date(at).toLocaleTimeString('en-US'), lastContact);
    t.ok((await contactOf('edge-gateway-fra').innerText()).endsWith(exact), 'the table says the time');
    t.notMatch(await contactOf('edge-gateway-fra').getAttribute('title'), /just now/);
    await page.goto(`${mock.url}/device/${uuid(103)}`);
    const fact = page.locator('.subheader > div').filter({ hasText: 'Last contact' }).locator('dd');
    t.ok((await fact.innerText()).endsWith(exact), 'the page of the device says the time');
    await page.goto(`${mock.url}/device/${uuid(102)}`);
    t.equal(await fact.innerText(), 'just now');
  },
  { at: MID_HOUR },
);

consoleTest(
  'of a lost file the time of the last contact is said, not its age',
  async ({ mock, open }, t) => {
    const lastContact = new Date(MID_HOUR).toISOString();
    for (const one of mock.world.devices[1]?.files ?? []) Object.assign(one, { lastContact });
    const page = await open(`/device/${uuid(102)}`);
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByRole('dialog', { name: /^View/ }).getByLabel('Last contact').check();
    await page.keyboard.press('Escape');
    const contactOf = (name: string) => page.getByRole('row').filter({ hasText: name }).locator('td time');
    t.equal(await contactOf('audit.log').innerText(), 'just now');
    const exact = await page.evaluate((at) => new Date(at).toLocaleTimeString('en-US'), lastContact);
    t.ok((await contactOf('pg_hba.conf').innerText()).endsWith(exact), 'the table says the time');
    await page.goto(`${mock.url}/device/${uuid(102)}/file/${uuid(1006)}`);
    const fact = page.locator('dl > div').filter({ hasText: 'Last contact' }).locator('dd');
    t.ok((await fact.innerText()).endsWith(exact), 'the page of the file says the time');
  },
  { at: MID_HOUR },
);

consoleTest('a file of a device that is off says why it is not monitored', async ({ mock, open }, t) => {
  mock.world.devices[3]?.files.push(file(9, 'agent.toml', '/etc/agent.toml', mock.world.now));
  const page = await open(`/device/${uuid(104)}`);
  const table = page.getByRole('table', { name: 'Files of build-runner-7' });
  const stateOf = async (name: string): Promise<string[]> => {
    const row = table.getByRole('row').filter({ hasText: name });
    const cells = [row.locator('.cell-state'), row.getByRole('switch')];
    return Promise.all(cells.map((cell) => cell.innerText()));
  };
  await table.waitFor();
  t.same(await stateOf('agent.toml'), ['Not monitored: device is off', 'Paused']);
  t.same(await stateOf('runner.toml'), ['Not monitored', 'Off']);
  const toggle = page.getByRole('switch', { name: 'Monitoring of agent.toml' });
  t.equal(await toggle.getAttribute('aria-checked'), 'true', 'it is watched once the device is on');
  await table.getByRole('link', { name: 'agent.toml', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'agent.toml' });
  await panel.getByText('Not monitored: device is off').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('switch', { name: 'Monitoring of build-runner-7' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await table.getByText('In contact').waitFor();
  t.same(await stateOf('agent.toml'), ['In contact', 'On']);
});

consoleTest('a file takes at most four lines of a phone', async ({ open }, t) => {
  const page = await open(`/device/${machine}`, { width: 390, height: 844 });
  const rows = page.getByRole('table', { name: 'Files of This machine' }).locator('tbody tr');
  await rows.first().waitFor();
  const lines = await rows.evaluateAll((all) =>
    all.map((row) => {
      const { height } = row.getBoundingClientRect();
      const { paddingTop, paddingBottom } = getComputedStyle(row);
      const line = parseFloat(getComputedStyle(row.querySelector('.cell-text') ?? row).lineHeight);
      return (height - parseFloat(paddingTop) - parseFloat(paddingBottom)) / line;
    }),
  );
  t.equal(lines.length, 4);
  t.ok(Math.max(...lines) <= 4, `lines of each file: ${lines.map((count) => count.toFixed(1)).join(', ')}`);
});

consoleTest('[S2.35] a file opens beside its table with its chain', async ({ open }) => {
  const page = await open(`/device/${machine}`);
  await page.getByRole('link', { name: 'access log' }).first().click();
  const panel = page.getByRole('dialog', { name: 'access log' });
  await panel.getByText('logs/access.log').waitFor();
  await panel.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
});

consoleTest(
  '[S5.1] [S5.2] [S5.3] [S5.4] [S5.5] [S5.6] [S5.26] [S7.15] [S8.3] [S9.1] a device is added',
  async ({ mock, open }, t) => {
    const page = await open('/add-device');
    const name = page.getByLabel('Device name');
    await name.waitFor();
    t.equal(await page.getByLabel('Health interval (seconds)').inputValue(), '60');
    t.equal(await page.getByRole('switch', { name: 'Monitoring' }).getAttribute('aria-checked'), 'true');
    const errors = page.getByText(/ is required$/);
    t.equal(await errors.count(), 0, 'nothing before a touch');
    await name.focus();
    await page.getByLabel('Device path').focus();
    await page.getByText('Device name is required').waitFor();
    t.equal(await errors.count(), 1, 'only the field that was touched');
    await page.getByLabel('Health interval (seconds)').fill('');
    await page.getByText('Positive interval number equal or higher than ten is required').waitFor();
    t.equal(await errors.count(), 3, 'and those that were left or changed');
    await page.getByLabel('Health interval (seconds)').fill('86401');
    await page.getByText('At most 86400 seconds', { exact: true }).waitFor();
    await page.getByLabel('Health interval (seconds)').fill('9');
    await page.getByRole('button', { name: 'Add device' }).click();
    for (const text of [
      'Device name is required',
      'Device path is required',
      'Positive interval number equal or higher than ten is required',
      'Device category is required',
    ]) {
      await page.getByText(text).waitFor();
    }
    t.equal(await errors.count(), 4, 'a description is not enforced');
    t.equal(callsTo(mock, 'POST', '/devices/').length, 0);
    await name.fill('web-07');
    await page.getByLabel('Device path').fill('/srv');
    await page.getByLabel('Health interval (seconds)').fill('10');
    const categories = page.getByLabel('Device category').locator('option');
    await categories.nth(1).waitFor({ state: 'attached' });
    t.same(await categories.allInnerTexts(), ['Choose a category', 'Mission critical [60 sec.]']);
    await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
    await page.getByRole('button', { name: 'Add device' }).click();
    await page.getByText('New device was added successfully!').waitFor();
    await page.getByText('Do you want to add files to web-07 device?').waitFor();
    t.same(callsTo(mock, 'POST', '/devices/')[0]?.body, {
      name: 'web-07',
      description: '',
      path: '/srv',
      healthInterval: 10,
      monitoring: true,
      category: 'MISSION_CRITICAL',
    });
    await page.getByRole('button', { name: 'Add files' }).click();
    t.equal(pathOf(page), `/device/${uuid(105)}/add-files`);
  },
);

consoleTest(
  '[S8.11] a device that cannot be added is told on the devices page',
  async ({ mock, open }, t) => {
    mock.overrides.set('POST /devices/*', () => problem('INTERNAL'));
    const page = await open('/add-device');
    await page.getByLabel('Device name').fill('web-07');
    await page.getByLabel('Device path').fill('/srv');
    await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
    await page.getByRole('button', { name: 'Add device' }).click();
    await page.getByText('Device was not added, please try again.').waitFor();
    t.equal(pathOf(page), '/devices');
  },
);

consoleTest(
  '[S2.46] leaving entered files asks first, by link and by the back button',
  async ({ open }, t) => {
    const page = await open('/devices');
    await page.getByRole('link', { name: 'This machine', exact: true }).click();
    await page.getByRole('link', { name: 'Add files' }).click();
    await page.getByLabel('File name').fill('x');
    const question = page.getByRole('alertdialog', { name: 'Do you want to quit adding files?' });
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await question.getByText('The data you entered will be lost.').waitFor();
    await question.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await question.count()) === 0, 'No closes');
    await page.goBack();
    await question.waitFor();
    t.match(pathOf(page), /add-files$/);
    await question.getByRole('button', { name: 'Yes', exact: true }).click();
    await until(() => pathOf(page) === `/device/${machine}`, 'left');
  },
);

consoleTest(
  '[S2.36] [S2.37] [S2.38] [S2.39] [S3.8] [S4.11] [S5.8] [S5.9] [S5.10] [S5.11] [S5.12] [S5.13] [S8.6] [S9.1] files are added in groups',
  async ({ mock, open }, t) => {
    const page = await open(`/device/${machine}/add-files`);
    await page.getByRole('heading', { name: 'Adding files' }).waitFor();
    const labels = page.locator('.file-group h2');
    await labels.first().waitFor();
    t.same(await labels.allInnerTexts(), ['File 1']);
    t.equal(await page.getByText('Delete -', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Add another file +' }).click();
    t.same(await labels.allInnerTexts(), ['File 1', 'File 2']);
    t.equal(await page.getByText('Delete -', { exact: true }).count(), 2, 'one for each');
    await page.getByRole('button', { name: 'Delete File 2' }).click();
    t.same(await labels.allInnerTexts(), ['File 1']);
    await page.getByRole('button', { name: 'Add files' }).click();
    for (const text of [
      'File name',
      'File path',
      'File type',
      'Is file editable',
      'Monitoring frequency',
      'Is file rolled',
    ]) {
      await page.getByText(`${text} is required`).waitFor();
    }
    const interval = page.getByLabel('Interval (seconds)');
    const pattern = page.getByLabel('Filename regexp');
    t.equal(await interval.count(), 0);
    t.equal(await pattern.count(), 0);
    const monitoring = page.getByRole('switch', { name: 'Monitoring of File 1' });
    t.equal(await monitoring.getAttribute('aria-checked'), 'true', 'monitored unless told otherwise');
    await page.getByLabel('Monitoring frequency').selectOption('FOLLOW');
    await page.getByLabel('Is file rolled').selectOption('no');
    t.equal(await interval.count(), 0, 'not for a file that is followed');
    t.equal(await pattern.count(), 0, 'not for a file that is not rolled');
    await page.getByLabel('Description').fill('Names of hosts');
    await page.getByLabel('File name').fill('hosts');
    await page.getByLabel('File path').fill('/etc/hosts');
    await page.getByLabel('File type').selectOption('TEXT');
    await page.getByLabel('Monitoring frequency').selectOption('PROBE');
    t.equal(await interval.inputValue(), '1');
    await interval.fill('0');
    await page.getByText('Positive interval number is required', { exact: true }).waitFor();
    await page.getByLabel('Is file editable').selectOption('no');
    await page.getByLabel('Is file rolled').selectOption('yes');
    await page.getByRole('button', { name: 'Add files' }).click();
    await page.getByText('Filename regexp is required').waitFor();
    await pattern.fill('hosts\\.\\d+');
    await page.getByRole('button', { name: 'Add files' }).click();
    t.equal(callsTo(mock, 'PUT', '/devices/files/').length, 0, 'the interval is still none');
    await interval.fill('1');
    await monitoring.click();
    await page.getByRole('button', { name: 'Add files' }).click();
    await page.getByText('1 files have been added to this device.').waitFor();
    t.equal(pathOf(page), `/device/${machine}`);
    const files = callsTo(mock, 'PUT', '/devices/files/')[0]?.body['files'];
    t.same(files, [
      {
        name: 'hosts',
        description: 'Names of hosts',
        path: '/etc/hosts',
        type: 'TEXT',
        monitoringFrequency: 'PROBE',
        interval: 1,
        rolled: true,
        rolledFilenameRegexp: 'hosts\\.\\d+',
        modifiable: false,
        watchAttributes: true,
        enabled: false,
      },
    ]);
  },
);

consoleTest(
  '[S4.15] [S9.2] [S1.5] the fee warning comes and goes with the number of files',
  async ({ mock, open }, t) => {
    const of = mock.world.devices[4];
    const one = mock.world.devices[0]?.files[0];
    if (of && one)
      Object.assign(of, { files: Array.from({ length: 11 }, (_, n) => ({ ...one, id: uuid(2000 + n) })) });
    const page = await open(`/device/${machine}/add-files`);
    await page.getByLabel('File name').waitFor();
    const above = (on: typeof page, files: number) =>
      on.getByText(
        `Number of monitored files will increase above the threshold of ${files} files. Additional fees will be charged.`,
        { exact: true },
      );
    const warning = above(page, 20);
    t.equal(await warning.count(), 0, '19 and 1 are 20');
    await page.getByRole('button', { name: 'Add another file +' }).click();
    await warning.waitFor();
    await page.getByRole('button', { name: 'Delete File 2' }).click();
    await until(async () => (await warning.count()) === 0, 'the warning goes');
    const fill = (count: number) =>
      Object.assign(of ?? {}, {
        files: Array.from({ length: count - 8 }, (_, n) => ({ ...one, id: uuid(2000 + n) })),
      });
    fill(20);
    await above(await open(`/device/${machine}/add-files`), 20).waitFor();
    fill(39);
    const more = await open(`/device/${machine}/add-files`);
    await more.getByLabel('File name').waitFor();
    t.equal(await more.getByText('Number of monitored files').count(), 0, '39 and 1 are 40');
    await more.getByRole('button', { name: 'Add another file +' }).click();
    await above(more, 40).waitFor();
  },
);

consoleTest(
  '[S5.7] [S7.15] a device with monitoring off is edited with a note, and keeps its category',
  async ({ mock, open }, t) => {
    const page = await open(`/edit-device/${uuid(104)}`);
    const note = page.getByLabel('Disabled note');
    await note.fill('');
    const options = page.getByLabel('Device category').locator('option');
    await until(async () => (await options.count()) === 3, 'the categories');
    t.same(await options.allInnerTexts(), [
      'Choose a category',
      'Advanced [600 sec.]',
      'Mission critical [60 sec.]',
    ]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Disabled note is required', { exact: true }).waitFor();
    t.equal(callsTo(mock, 'PUT', '/devices/').length, 0);
    await page.getByRole('switch', { name: 'Monitoring', exact: true }).click();
    t.equal(await note.count(), 0, 'not with monitoring on');
    await page.getByRole('switch', { name: 'Monitoring', exact: true }).click();
    await note.fill('In repair');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Device was updated successfully!', { exact: true }).waitFor();
    const body = callsTo(mock, 'PUT', '/devices/')[0]?.body;
    t.match(body, { enabled: false, disabledNote: 'In repair', category: 'ADVANCED' });
    const adding = await open('/add-device');
    await adding.getByRole('switch', { name: 'Monitoring', exact: true }).click();
    t.equal(await adding.getByLabel('Disabled note').count(), 0, 'not when a device is added');
  },
);

consoleTest('the form of a file says what its choices mean', async ({ open }, t) => {
  const page = await open(`/device/${machine}/add-files`);
  const hints = {
    'Monitoring frequency': /only grow/,
    'Is file editable': /any change raises an alert/,
    'Is file rolled': /archives/,
  };
  for (const [label, hint] of Object.entries(hints)) {
    const id = await page.getByLabel(label).getAttribute('aria-describedby');
    t.match(await page.locator(`[id="${id}"]`).innerText(), hint, label);
  }
});

const settings = uuid(1003);

consoleTest(
  '[S2.36] [S2.37] [S2.39] [S8.6] with a file id in the route the file is edited, and its device says so',
  async ({ mock, open }, t) => {
    const page = await open(`/device/${machine}/edit-file/${settings}`);
    await page.getByRole('heading', { level: 1, name: 'Editing file' }).waitFor();
    t.equal(await page.getByLabel('File name').inputValue(), 'settings.json');
    await page.getByRole('group', { name: 'settings.json', exact: true }).waitFor();
    t.equal(await page.getByText('File 1').count(), 0, 'nothing is numbered');
    t.equal(await page.getByLabel('Interval (seconds)').inputValue(), '5');
    t.equal(await page.getByLabel('Is file editable').inputValue(), 'no');
    t.equal(await page.getByRole('button', { name: 'Add another file +' }).count(), 0, 'one file');
    t.equal(await page.getByRole('button', { name: 'Add files' }).count(), 0);
    await page.getByRole('button', { name: 'Back' }).click();
    await until(() => pathOf(page) === `/device/${machine}`, 'back at the device');
    await page.goBack();
    await page.getByLabel('File path').fill('config/settings.json');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('File has been updated.', { exact: true }).waitFor();
    t.equal(pathOf(page), `/device/${machine}`);
    const body = callsTo(mock, 'PUT', '/devices/files/')[0]?.body;
    matchWhole(t, body, { files: [{ id: settings, path: 'config/settings.json', interval: 5 }] });
    mock.overrides.set('PUT /devices/files/*/*', () => problem('INTERNAL'));
    await page.goto(`${mock.url}/device/${machine}/edit-file/${settings}`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('File was not updated, please try again.').waitFor();
    t.equal(pathOf(page), `/device/${machine}`);
    mock.overrides.clear();
    const adding = await open(`/device/${machine}/add-files`);
    await adding.getByRole('heading', { level: 1, name: 'Adding files' }).waitFor();
    t.equal(await adding.getByLabel('File name').inputValue(), '', 'no file id: files are added');
    t.equal(await adding.getByRole('button', { name: 'Save changes' }).count(), 0);
  },
);
