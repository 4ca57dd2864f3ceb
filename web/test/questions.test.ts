/** Questions that are open while the answer is slow, or while others change what they are about. */
import type { Device } from '@sentinel-node/contracts';
import type { Mock } from './mock-api.ts';
import { callsTo, consoleTest, holdAnswers, live, until } from './support.ts';

/** Changes a device, as the stream tells it. */
function tellDevice(mock: Mock, device: Device, change: Partial<Device>): void {
  const { apiKey: _key, files, ...item } = Object.assign(device, change);
  mock.send('device', { ...item, filesCount: files.length, orgId: mock.world.orgId, rev: 9 });
}

consoleTest('the note of a stop stays when the device falls silent', async ({ mock, open }, t) => {
  const device = mock.world.devices[0]!;
  const page = await open('/devices');
  await live(page);
  await page.getByRole('switch', { name: 'Monitoring of This machine' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  const note = page.getByRole('dialog', { name: 'Please submit a note' });
  await note.getByRole('textbox', { name: 'Note' }).fill('Moved to another rack');
  tellDevice(mock, device, { status: 'NON_ACTIVE', description: 'silent now' });
  await page.getByText('silent now').waitFor();
  t.equal(await note.getByRole('textbox', { name: 'Note' }).inputValue(), 'Moved to another rack');
  await note.getByRole('button', { name: 'Submit' }).click();
  await until(async () => (await note.count()) === 0, 'it is sent');
  const [sent] = callsTo(mock, 'PUT', '/devices/');
  t.match(sent?.body, { enabled: false, disabledNote: 'Moved to another rack' });
  const row = page.getByRole('row').filter({ hasText: 'This machine' });
  await row.getByText('Issue detected').waitFor();
  t.equal(await row.getByRole('switch').count(), 0);
});

consoleTest('a question about a file does not turn around', async ({ mock, open }, t) => {
  const device = mock.world.devices[0]!;
  const file = device.files[2]!;
  const page = await open(`/device/${device.id}`);
  await live(page);
  await page.getByRole('switch', { name: 'Monitoring of settings.json' }).click();
  const title = 'Are you sure you want to stop monitoring settings.json file?';
  await page.getByRole('alertdialog', { name: title }).waitFor();
  Object.assign(file, { enabled: false, path: 'other/settings.json' });
  mock.send('file', { ...file, deviceId: device.id, number: 40, orgId: mock.world.orgId, rev: 9 });
  await page.getByText('other/settings.json').waitFor();
  const question = page.getByRole('alertdialog');
  t.equal(await question.getByRole('heading').innerText(), title);
  const yes = question.getByRole('button', { name: 'Yes', exact: true });
  t.match(await yes.getAttribute('class'), /button-danger/);
  await yes.click();
  await until(async () => (await question.count()) === 0, 'it is answered');
  t.equal(file.enabled, false, 'it is not started');
});

consoleTest('only the first answer to a question counts', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const release = await holdAnswers(page, '**/api/v1/users/*/*');
  const question = page.getByRole('alertdialog');
  const yes = question.getByRole('button', { name: 'Yes', exact: true });
  await yes.click({ clickCount: 2 });
  t.equal(await yes.getAttribute('aria-busy'), 'true');
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'No', exact: true }).dispatchEvent('click');
  t.equal(await question.count(), 1, 'it stays until it is carried out');
  release();
  await until(async () => (await question.count()) === 0, 'it is carried out');
  t.equal(callsTo(mock, 'DELETE', '/users/').length, 1);
  t.equal(await page.getByText('Delete user error').count(), 0);
});
