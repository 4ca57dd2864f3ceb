/** What the devices page tells of a device that was updated or deleted. */
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import { callsTo, consoleTest, pathOf, until } from './support.ts';

const machine = uuid(101);
const withoutFiles = uuid(105);

consoleTest(
  '[S2.32] [S3.6] [S8.3] [S8.4] a device that was updated or deleted is told on the devices page',
  async ({ mock, open }, t) => {
    const page = await open(`/edit-device/${machine}`);
    const name = page.getByLabel('Device name');
    await until(async () => (await name.inputValue()) === 'This machine', 'the form holds the device');
    await name.fill('Another machine');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Device was updated successfully!', { exact: true }).waitFor();
    await page.getByText('Do you want to add files to Another machine device?', { exact: true }).waitFor();
    t.equal(pathOf(page), '/devices');
    await page.getByRole('button', { name: 'Add files' }).click();
    t.equal(pathOf(page), `/device/${machine}/add-files`);
    t.same(await page.evaluate(() => history.state as unknown), { name: 'Another machine' });
    await page.goto(`${mock.url}/device/${machine}`);
    await page.getByRole('button', { name: 'Actions for Another machine' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByText('Success!', { exact: true }).waitFor();
    await page.getByText('Device was deleted successfully.', { exact: true }).waitFor();
    t.equal(pathOf(page), '/devices');
    const [sent] = callsTo(mock, 'PUT', '/devices/delete/');
    t.same([sent?.path, sent?.body], [`/devices/delete/${mock.world.orgId}/${machine}`, { forced: true }]);
  },
);

consoleTest(
  '[S3.6] a device without files is deleted unforced, and the refusal of files that came meanwhile is shown',
  async ({ mock, open }, t) => {
    mock.overrides.set('PUT /devices/delete/*/*', () => problem('DEVICE_HAS_FILES'));
    const page = await open(`/device/${withoutFiles}`);
    await page.getByRole('button', { name: 'Actions for payment-terminal-gateway' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Device was not deleted, please try again.' });
    await notice.getByText('The device still has files', { exact: true }).waitFor();
    const [sent] = callsTo(mock, 'PUT', '/devices/delete/');
    t.same(
      [sent?.path, sent?.body],
      [`/devices/delete/${mock.world.orgId}/${withoutFiles}`, { forced: false }],
    );
  },
);
