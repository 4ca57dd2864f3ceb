/** Lists of expected changes in the console. */
import t from 'tap';
import { expectedErrors, expectedRequest, newExpected } from '../src/expected/expected-values.ts';
import { hash, uuid } from './fixtures.ts';
import { invalid, problem } from './mock-routes.ts';
import { callsTo, consoleTest, pathOf, until } from './support.ts';

const A = hash('a');

consoleTest('a list is pasted or chosen, shown, and ended', async ({ mock, open }, t) => {
  const page = await open('/maintenance');
  await page.getByRole('link', { name: 'Expected changes' }).click();
  await page.getByRole('link', { name: 'Add a list' }).click();
  const add = page.getByRole('button', { name: 'Add the list' });
  await add.click();
  await page.getByText('Paste the list, or choose a file').waitFor();
  await page.getByRole('textbox', { name: 'Reason' }).fill('Release 5');
  await page.getByRole('textbox', { name: 'Contents' }).fill('[{"path": 1}]');
  await page.getByText('It is no JSON list of objects with path and sha256').waitFor();
  t.equal(callsTo(mock, 'POST', '/expected').length, 0, 'nothing is sent');
  const buffer = Buffer.from(`${A}  ./shop.js\n`);
  const chooser = page.getByLabel('Choose a file with the contents');
  await chooser.setInputFiles({ name: 'SHA256SUMS', mimeType: 'text/plain', buffer });
  await page.getByRole('textbox', { name: 'Folder' }).fill('/srv/web');
  await page.getByLabel('Covers').selectOption('EVERYTHING');
  mock.overrides.set('POST /expected/*', () => problem('LIMIT_REACHED', 'At most 100 lists.'));
  await add.click();
  await page.getByText('At most 100 lists.').waitFor();
  const message = 'line 713 is no SHA-256 (64 hex digits) with a path';
  mock.overrides.set('POST /expected/*', () => invalid({ path: '/checksums', message }));
  await add.click();
  const refusal = page.getByRole('alert').filter({ hasText: 'The list was not added.' });
  await refusal.getByText(`The request is not valid. Checksums: ${message}.`, { exact: true }).waitFor();
  mock.overrides.set('POST /expected/*', () => problem('UNAVAILABLE'));
  await add.click();
  await page.getByText('It is not known whether the list was added: look before you try again.').waitFor();
  mock.overrides.clear();
  await add.click();
  await until(async () => pathOf(page) === '/expected-changes', 'back at the lists');
  t.match(callsTo(mock, 'POST', '/expected').at(-1)?.body, {
    reason: 'Release 5',
    scope: { everything: true },
    checksums: `${A}  ./shop.js\n`,
    folder: '/srv/web',
    end: String,
  });
  const rows = page.getByRole('table', { name: 'Expected changes' }).locator('tbody tr');
  await rows.first().getByRole('button', { name: 'End Release 4.2 of the shop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
  await rows.first().getByText('Ended').waitFor();
  await rows.first().getByRole('link', { name: 'Release 4.2 of the shop' }).click();
  await page.getByRole('table', { name: 'Contents' }).getByText('/srv/web/shop.js').waitFor();
});

consoleTest('an alert leads to its list; empty and failed', async ({ mock, open }, t) => {
  const expected = { listId: uuid(801), reason: 'Release 4.2 of the shop' };
  Object.assign(mock.world.alerts[0] ?? {}, { expected });
  const page = await open('/alerts-history?expected=yes');
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await until(async () => (await rows.count()) === 1, 'the expected one');
  await rows.first().getByRole('link').click();
  await page.getByRole('link', { name: 'Release 4.2 of the shop' }).click();
  await page.getByRole('heading', { name: 'Release 4.2 of the shop' }).waitFor();
  mock.world.expected = [];
  await page.goto(`${mock.url}/expected-changes`);
  await page.getByText('Add a list of paths and SHA-256 before a rollout.').waitFor();
  mock.overrides.set('GET /expected/*', () => problem('UNAVAILABLE'));
  await page.reload();
  await page.getByText('Expected changes cannot be shown').waitFor();
  mock.overrides.clear();
  await page.goto(`${mock.url}/expected-changes/${uuid(899)}`);
  await page.getByText('There is no such list of expected changes.').waitFor();
  t.equal(callsTo(mock, 'DELETE', '/expected').length, 0);
});

t.test('what is pasted', (t) => {
  const values = { ...newExpected, reason: 'x', covers: 'EVERYTHING' };
  const entries = [{ path: '/a', sha256: A }];
  const json = { ...values, contents: JSON.stringify({ entries, more: 1 }) };
  t.equal(expectedErrors(json).contents, undefined);
  t.match(expectedRequest(json, 0), { entries, end: '1970-01-02T00:00:00.000Z' });
  const list = { ...values, contents: JSON.stringify(entries) };
  t.equal(expectedErrors(list).contents, undefined, 'a list without an object around it');
  t.match(expectedRequest(list, 0), { entries });
  const word = { ...values, contents: '["/a"]' };
  t.equal(expectedErrors(word).contents, 'It is no JSON list of objects with path and sha256');
  t.equal(expectedErrors({ ...values, contents: 'x'.repeat(1_048_577) }).contents, 'At most 1 MiB at once');
  t.equal(expectedErrors({ ...values, hours: '721' }).hours, 'A number from 1 to 720');
  t.end();
});
