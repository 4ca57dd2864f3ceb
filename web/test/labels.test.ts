/** Labels of devices: shown, searched for, written. */
import { labelsError, labelsOf } from '../src/forms/labels.ts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { uuid } from './fixtures.ts';
import { callsTo, consoleTest, until } from './support.ts';

const ledger = uuid(102);

consoleTest(
  'labels lead to the devices that have them, and a person changes them',
  async ({ mock, open }, t) => {
    const device = mock.world.devices.find(({ id }) => id === ledger);
    Object.assign(device ?? {}, { labels: ['env:prod', 'site:graz'] });
    const page = await open(`/device/${ledger}`);
    await page.getByRole('link', { name: 'site:graz' }).click();
    const table = page.getByRole('table', { name: 'Devices' });
    await until(async () => (await table.locator('tbody tr').count()) === 1, 'one device has it');
    t.equal(await page.getByRole('searchbox', { name: 'Search devices' }).inputValue(), 'site:graz');
    const edit = await open(`/edit-device/${ledger}`);
    const field = edit.getByRole('textbox', { name: 'Labels' });
    t.equal(await field.inputValue(), 'env:prod\nsite:graz');
    await field.fill('Env:prod');
    await edit.getByRole('button', { name: 'Save changes' }).click();
    await edit.getByText('Env:prod is not of the form key:value, with a key in lower case').waitFor();
    t.equal(callsTo(mock, 'PUT', '/devices/').length, 0);
    await field.fill('env:test, team:web servers');
    await edit.getByRole('button', { name: 'Save changes' }).click();
    await until(async () => callsTo(mock, 'PUT', '/devices/').length === 1, 'it is saved');
    matchWhole(t, callsTo(mock, 'PUT', '/devices/')[0]?.body, { labels: ['env:test', 'team:web servers'] });
  },
);

t.test('what is written as labels', (t) => {
  t.same(labelsOf(' a:1,\nb:2 \n\n'), ['a:1', 'b:2']);
  t.equal(labelsError('a:1, b:2', 2), undefined);
  t.equal(labelsError('a:1, a:2', 2), 'The key a stands twice');
  t.equal(labelsError('a:1, b:2', 1), 'At most 1 labels');
  t.end();
});
