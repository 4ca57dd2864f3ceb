/** From a new device to its first report, new keys, and files that are not looked at. */
import { readFile } from 'node:fs/promises';
import { uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { problem } from './mock-routes.ts';
import { callsTo, consoleTest, holdAnswers, live, loseAnswers, until } from './support.ts';

const id = uuid(102);
const WAITING = { lastContact: null, contact: 'WAITING' } as const;

function deviceOf(mock: Mock) {
  const device = mock.world.devices[1];
  if (device === undefined) throw new Error('the world has two devices');
  return device;
}

consoleTest(
  'a device that was never heard of says how its agent starts, and shows the first report',
  async ({ mock, open }, t) => {
    const device = deviceOf(mock);
    Object.assign(device, { name: "Ann's <b>box</b>", lastContact: null });
    for (const file of device.files) Object.assign(file, WAITING);
    const page = await open(`/device/${id}`);
    const card = page.getByRole('region', { name: 'Start the agent' });
    await card.getByText('Waiting for the first contact').waitFor();
    const name = "Ann's _b_box__b__configuration.json";
    t.equal(
      await card.locator('.hash-full').textContent(),
      `sentinel agent --config 'Ann'\\''s _b_box__b__configuration.json'`,
      'quoted for a shell',
    );
    const downloading = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download' }).click();
    const download = await downloading;
    t.equal(download.suggestedFilename(), name);
    t.match(JSON.parse(await readFile(await download.path(), 'utf8')), { devId: id });
    await until(async () => (await card.locator('li[data-done]').count()) === 2, 'two steps are done');
    await live(page);
    const { files, apiKey: _key, ...listed } = device;
    const lastContact = new Date().toISOString();
    const own = { orgId: mock.world.orgId };
    mock.send('device', { ...listed, filesCount: 2, ...own, lastContact, rev: 9 });
    await card.getByText('The agent has called').waitFor();
    await card.getByText('0 of 2 files have reported.').waitFor();
    mock.send('file', { ...files[0], ...own, deviceId: id, number: 1, lastContact, contact: 'OK', rev: 9 });
    await card.getByText('1 of 2 files have reported.').waitFor();
    mock.send('file', { ...files[1], ...own, deviceId: id, number: 1, lastContact, contact: 'OK', rev: 9 });
    const good = page.getByText('The first reports of 2 files have arrived.');
    await good.waitFor();
    t.equal(await card.count(), 0);
    const told = { ...listed, filesCount: 2, ...own, lastContact };
    mock.send('device', { ...told, keyRefusedAt: lastContact, rev: 10 });
    await page.getByText('The agent is shut out!').waitFor();
    t.equal(await good.count(), 0, 'its key is refused');
    mock.send('device', { ...told, rev: 11 });
    await good.waitFor();
    mock.send('device', { ...told, status: 'NON_ACTIVE', rev: 12 });
    await page.getByText('Connection problem!').waitFor();
    t.equal(await good.count(), 0, 'it was in contact, and is not now');
    mock.send('device', { ...told, status: 'NON_ACTIVE', keyRefusedAt: lastContact, rev: 13 });
    await page.getByText('The agent is shut out!').waitFor();
    t.equal(await page.getByText('Connection problem!').count(), 1, 'both are said');
  },
);

consoleTest('a device that comes back by one report brings all its files back', async ({ mock, open }) => {
  const device = deviceOf(mock);
  Object.assign(device, { status: 'NON_ACTIVE' });
  for (const file of device.files) Object.assign(file, { contact: 'LOST' });
  const page = await open(`/device/${id}`);
  await page.getByText('Connection problem!').waitFor();
  await page.getByText('Contact lost').first().waitFor();
  await live(page);
  Object.assign(device, { status: 'ACTIVE' });
  for (const file of device.files) Object.assign(file, { contact: 'OK' });
  const { files, apiKey: _key, ...listed } = device;
  mock.send('device', { ...listed, filesCount: files.length, orgId: mock.world.orgId, rev: 9 });
  await until(async () => (await page.getByText('Connection problem!').count()) === 0, 'the notice is gone');
  await until(async () => (await page.getByText('Contact lost').count()) === 0, 'no file is lost');
});

consoleTest('a file that is on again says that a check is due, not its first', async ({ mock, open }) => {
  const device = deviceOf(mock);
  for (const file of device.files) Object.assign(file, WAITING);
  Object.assign(device.files[0]!, { lastContact: new Date(0).toISOString() });
  const page = await open(`/device/${id}`);
  await page.getByText('Waiting for the first contact').first().waitFor();
  await page.getByText('Waiting for a check').waitFor();
});

consoleTest(
  'a device that is heard of has no steps; its download says what to do next',
  async ({ open }, t) => {
    const page = await open(`/device/${id}`);
    await page.getByRole('heading', { level: 1, name: 'ledger-db-01' }).waitFor();
    t.equal(await page.getByRole('region', { name: 'Start the agent' }).count(), 0);
    await page.getByRole('button', { name: 'Configuration' }).click();
    await page.getByText('The configuration was downloaded').waitFor();
    await page.getByText(/the agent reads it within seconds, without a restart/).waitFor();
  },
);

consoleTest('an administrator makes a new key and hears what follows', async ({ mock, open }, t) => {
  const page = await open(`/device/${id}`);
  const ask = async () => {
    await page.getByRole('button', { name: 'Actions for ledger-db-01' }).click();
    await page.getByRole('menuitem', { name: 'New key' }).click();
  };
  const modal = page.getByRole('dialog', { name: 'A new key for ledger-db-01' });
  mock.overrides.set('POST /devices/key/*/*', () => problem('OVERLOADED'));
  await ask();
  await modal.getByRole('button', { name: 'Make a new key' }).click();
  await modal.getByText('The device has no new key.').waitFor();
  mock.overrides.delete('POST /devices/key/*/*');
  await modal.getByRole('button', { name: 'Make a new key' }).click();
  await page.getByText(/The key before it works for 24 hours more/).waitFor();
  await ask();
  await modal.getByRole('checkbox', { name: 'End the present key at once' }).click();
  await modal.getByRole('button', { name: 'Make a new key' }).click();
  await page.getByText(/the agent is shut out, and its reports wait/).waitFor();
  t.same(
    callsTo(mock, 'POST', '/devices/key/').map(({ body }) => body),
    [{ now: false }, { now: false }, { now: true }],
  );
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download configuration' }).click();
  await downloading;
});

consoleTest('a new key whose answer is lost or late is told as what it is', async ({ mock, open }, t) => {
  const page = await open(`/device/${id}`);
  const addresses = '**/api/v1/devices/key/**';
  const modal = page.getByRole('dialog', { name: 'A new key for ledger-db-01' });
  const make = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for ledger-db-01' }).click();
    await page.getByRole('menuitem', { name: 'New key' }).click();
    await modal.getByRole('button', { name: 'Make a new key' }).click();
  };
  const leave = async (): Promise<void> => {
    await modal.press('Escape');
    await modal.waitFor({ state: 'detached' });
  };
  const told = (title: string) => page.locator('.notices').getByRole('alert').filter({ hasText: title });
  const reads = (): number => callsTo(mock, 'GET', `/devices/${mock.world.orgId}/${id}`).length;
  const before = reads();
  await loseAnswers(page, addresses);
  await make();
  const lost = modal
    .getByRole('alert')
    .filter({ hasText: 'It is not known whether the device has a new key.' });
  await lost.getByText(/if the key of the agent was replaced, it works for 24 hours at most\./).waitFor();
  await lost.getByText(/^The server cannot be reached\./).waitFor();
  await until(() => reads() > before, 'the device is read again');
  t.equal(await page.getByText('The device has no new key.').count(), 0);
  const downloading = page.waitForEvent('download');
  await lost.getByRole('button', { name: 'Download configuration' }).click();
  await downloading;
  await leave();
  await page.unrouteAll();

  const release = await holdAnswers(page, addresses);
  await make();
  await leave();
  await page.getByRole('button', { name: 'Actions for ledger-db-01' }).click();
  await page.getByRole('menuitem', { name: 'New key' }).click();
  await modal.waitFor();
  const readsBefore = reads();
  release();
  await told('The device has a new key.')
    .getByText(/The key before it works for 24 hours more/)
    .waitFor();
  await until(() => reads() > readsBefore, 'the device is read again');
  t.equal(await modal.count(), 1, 'the dialog that was opened meanwhile stays');
  await leave();
  await page.unrouteAll();

  mock.overrides.set('POST /devices/key/*/*', () => problem('FORBIDDEN'));
  const releaseRefusal = await holdAnswers(page, addresses);
  await make();
  await leave();
  releaseRefusal();
  await told('The device has no new key.').waitFor();
});

consoleTest('a regular user is not offered a new key', async ({ mock, open }, t) => {
  Object.assign(mock.session, { userRole: 'REGULAR' });
  const page = await open(`/device/${id}`);
  await page.getByRole('button', { name: 'Actions for ledger-db-01' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
  t.equal(await page.getByRole('menuitem', { name: 'New key' }).count(), 0);
});

consoleTest(
  'files that are not looked at or not judged are named with the reason',
  async ({ mock, open }, t) => {
    const { files } = deviceOf(mock);
    const [audit, hba] = files;
    if (audit !== undefined)
      files.push({ ...audit, id: uuid(299), path: '/gone', activeAlerts: 0, contact: 'OK', missing: true });
    Object.assign(audit ?? {}, { contact: 'LOST', problem: 'SPOOL_FULL' });
    Object.assign(hba ?? {}, { contact: 'OK', parked: { since: null, cause: null, waiting: 1 } });
    const page = await open(`/device/${id}`);
    await page.getByText('The agent does not look at 1 file').waitFor();
    await page.getByText(/Too many reports wait at the agent\./).waitFor();
    await page.getByText('1 file is parked: a record could not be judged').waitFor();
    await page.getByText(/Nothing of it was judged yet; one record waits, and none is lost\./).waitFor();
    const table = page.getByRole('table', { name: 'Files of ledger-db-01' });
    await table.getByText('Agent cannot look').waitFor();
    await table.getByText('Parked').waitFor();
    await table.getByText('Missing', { exact: true }).waitFor();
    t.equal(await table.getByText('In contact').count(), 0);
  },
);
