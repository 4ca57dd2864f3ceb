/** Many files are added at once, with a preview and the errors of each line. */
import type { FileInput } from '@sentinel-node/contracts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import { callsOnceQuiet, callsTo, consoleTest, pathOf } from './support.ts';

const machine = uuid(101);
const address = `/device/${machine}/add-files`;
const FEES =
  'Number of monitored files will increase above the threshold of 20 files. Additional fees will be charged.';

consoleTest('pasted paths are previewed, mended and added', async ({ mock, open }, t) => {
  const page = await open(address);
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  const many = page.getByRole('group', { name: 'Many files at once' });
  await many.waitFor();
  t.equal(
    await page.getByRole('group', { name: 'File 1', exact: true }).count(),
    0,
    'the empty form gives way',
  );
  await page.getByRole('button', { name: 'Add files' }).click();
  await many.getByText('Enter at least one path').waitFor();
  await many.getByLabel('Paths or CSV').fill('/etc/hosts\nsettings.json\n/etc/hosts\n/etc/fstab');
  await many.getByText('2 files can be added, 2 lines have errors.').waitFor();
  await many.getByText('Line 2: The device has this path already.').waitFor();
  await many.getByText('Line 3: The same path as line 1.').waitFor();
  await page.getByRole('button', { name: 'Add files' }).click();
  t.equal(callsTo(mock, 'PUT', '/devices/files/').length, 0, 'not with errors');
  await many.getByRole('button', { name: 'Leave out the lines with errors' }).click();
  await many.getByText('2 files can be added.').waitFor();
  await many.getByLabel('Editable, all').selectOption('No');
  await many.getByLabel('Interval of all (seconds)').fill('0');
  await many.getByText('0 files can be added, 2 lines have errors.').waitFor();
  await many.getByLabel('Interval of all (seconds)').fill('60');
  await many.getByText('2 files can be added.').waitFor();
  await page.getByRole('button', { name: 'Add another file +' }).click();
  await page.getByRole('button', { name: 'Delete File 1' }).click();
  await page.getByRole('button', { name: 'Add files' }).click();
  await page.getByText('2 files have been added to this device.').waitFor();
  const sent = callsTo(mock, 'PUT', '/devices/files/')[0]?.body['files'] as FileInput[];
  matchList(t, sent, [
    {
      name: 'hosts',
      path: '/etc/hosts',
      type: 'TEXT',
      interval: 60,
      modifiable: false,
      watchAttributes: true,
    },
    { name: 'fstab', path: '/etc/fstab', rolled: false, enabled: true },
  ]);
});

consoleTest('a CSV file is read; fees are counted over its lines', async ({ open }, t) => {
  const page = await open(address);
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  const chooser = page.getByLabel('Or choose a CSV file');
  const lines = Array.from({ length: 12 }, (_, n) => `/srv/${n}.log;continuous`).join('\n');
  const file = (text: string | Buffer) => ({
    name: 'files.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text),
  });
  await chooser.setInputFiles(file(`path;frequency\n${lines}`));
  await page.getByText('12 files can be added.').waitFor();
  t.equal(await page.getByText(FEES).count(), 0, 'eight and twelve are twenty');
  await chooser.setInputFiles(file(`path;frequency\n${lines}\n/srv/one-more.log;continuous`));
  await page.getByText(FEES).waitFor();
  const preview = page.getByRole('region', { name: 'Preview of the files' });
  t.match(
    await preview.getByRole('row').nth(1).innerText(),
    /2\s+0\.log\s+\/srv\/0\.log\s+Text, continuous, editable/,
  );
  await chooser.setInputFiles(file(`path;colour\n/a;red`));
  await page.getByText(/The first line names a column that is not known: colour\./).waitFor();
  t.equal(await page.getByText(FEES).count(), 0, 'gone with the lines');
  await chooser.setInputFiles(file(Buffer.from([0xff, 0xfe, 0x00])));
  await page.getByText('The file is not a text in UTF-8.').waitFor();
});

consoleTest('what could not be saved is there when the person tries again', async ({ mock, open }, t) => {
  mock.overrides.set('PUT /devices/files/*/*', () => problem('UNAVAILABLE'));
  const page = await open(address);
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  await page.getByLabel('Paths or CSV').fill('/etc/hosts\n/etc/fstab');
  await page.getByText('2 files can be added.').waitFor();
  await page.getByRole('button', { name: 'Add files' }).click();
  await page.getByText('Files were not added, please try again.').waitFor();
  t.equal(pathOf(page), `/device/${machine}`);
  await page
    .getByRole('status')
    .or(page.getByRole('alert'))
    .getByRole('button', { name: 'Add files' })
    .click();
  t.equal(await page.getByLabel('Paths or CSV').inputValue(), '/etc/hosts\n/etc/fstab');
  await page.getByText('It may be saved already: there was no answer.').waitFor();
  mock.overrides.delete('PUT /devices/files/*/*');
  await page.getByText('2 files can be added.').waitFor();
  await page.locator('#main footer').getByRole('button', { name: 'Add files' }).click();
  await page.getByText('2 files have been added to this device.').waitFor();
  await page.getByRole('link', { name: 'Add files' }).click();
  await page.getByRole('group', { name: 'File 1', exact: true }).waitFor();
  t.equal(await page.getByLabel('Paths or CSV').count(), 0, 'once they are saved they are forgotten');
});

consoleTest(
  'what the tab cannot store is there too, at the address of the form',
  async ({ mock, open }, t) => {
    mock.overrides.set('PUT /devices/files/*/*', () => problem('UNAVAILABLE'));
    const like = `${address}?like=${uuid(1003)}`;
    const page = await open(like);
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await page.getByLabel('File name').fill('hosts');
    await page.getByLabel('File path').fill('/etc/hosts');
    await page.getByRole('button', { name: 'Add files' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Files were not added, please try again.' });
    await notice.getByRole('button', { name: 'Add files' }).click();
    await page.getByText('What you typed is back.').waitFor();
    t.equal(page.url(), `${mock.url}${like}`);
    t.equal(await page.getByLabel('File path').inputValue(), '/etc/hosts');
  },
);

consoleTest('a file takes the settings of another, but its own name and path', async ({ open }, t) => {
  const page = await open(`/device/${machine}/file/${uuid(1003)}`);
  await page.getByRole('link', { name: 'Add one like it' }).click();
  const first = page.getByRole('group', { name: 'File 1', exact: true });
  await first.waitFor();
  t.equal(await first.getByLabel('Is file editable').inputValue(), 'no');
  t.equal(await first.getByLabel('Interval (seconds)').inputValue(), '5');
  t.equal(await first.getByLabel('File path').inputValue(), '');
  await first.getByLabel('Interval (seconds)').fill('7');
  await first.getByRole('button', { name: 'Same settings + as File 1' }).click();
  const second = page.getByRole('group', { name: 'File 2', exact: true });
  t.equal(await second.getByLabel('Interval (seconds)').inputValue(), '7');
  t.equal(await second.getByLabel('File name').inputValue(), '');
  t.equal(await second.getByText(/ is required/).count(), 0, 'nothing is wrong before it was touched');
});

consoleTest('long lists are previewed in part and stay inside, also on a phone', async ({ open }, t) => {
  const page = await open(address, { width: 390, height: 800 });
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  const lines = Array.from({ length: 9_990 }, (_, n) => `/srv/${'long'.repeat(20)}/${n}/<b>سجل🗒</b>.log`);
  const choose = (paths: string[]) =>
    page.getByLabel('Or choose a CSV file').setInputFiles({
      name: 'paths.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(paths.join('\n')),
    });
  await choose(lines);
  await page.getByText('9,990 files can be added.').waitFor();
  await page.getByText(/And 9,890 more lines/).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  t.ok(wide <= 0, `${wide} pixels beside the screen`);
  await choose([...lines, '/x', '/y', '/z', '/w', '/v', '/u', '/t']);
  await page.getByText(/Line 9997: A device has at most 10,000 files\./).waitFor();
});

consoleTest('an administrator takes the files of an enrolment token', async ({ mock, open }, t) => {
  const { files } = mock.world.enrolments[0]!.template;
  files.push({ ...files[0]!, name: 'Accounts', path: '/etc/passwd', modifiable: false });
  const page = await open(address);
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  const many = page.getByRole('group', { name: 'Many files at once' });
  const template = many.getByLabel('Or the files of an enrolment token');
  const text = many.getByLabel('Paths or CSV');
  await text.fill('/etc/hosts');
  await many.getByText('Empty the text above to choose a token.').waitFor();
  t.equal(await template.isDisabled(), true, 'what was typed stays');
  await text.fill('');
  await template.selectOption('Web servers of Frankfurt (2 files)');
  await many.getByText('2 files can be added.').waitFor();
  await template.selectOption('None');
  t.equal(await text.inputValue(), '');
  await template.selectOption('Web servers of Frankfurt (2 files)');
  await page.getByRole('button', { name: 'Add files' }).click();
  await page.getByText('2 files have been added to this device.').waitFor();
  const sent = callsTo(mock, 'PUT', '/devices/files/')[0]?.body['files'] as FileInput[];
  matchList(
    t,
    sent,
    files.map(({ name, path, modifiable, enabled }) => ({ name, path, modifiable, enabled })),
  );
});

consoleTest('templates that cannot be read, and people who may not', async ({ mock, open }, t) => {
  mock.overrides.set('GET /enrolments/*', () => problem('UNAVAILABLE'));
  const page = await open(address);
  await page.getByRole('button', { name: 'Add many files at once' }).click();
  const many = page.getByRole('group', { name: 'Many files at once' });
  await many.getByText('The templates of the organization could not be read.').waitFor();
  await callsOnceQuiet(page, mock);
  mock.overrides.clear();
  await many.getByRole('button', { name: 'Try again' }).click();
  await many.getByLabel('Or the files of an enrolment token').waitFor();
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  const reads = callsTo(mock, 'GET', '/enrolments').length;
  const theirs = await open(address);
  await theirs.getByRole('button', { name: 'Add many files at once' }).click();
  await theirs.getByLabel('Or choose a CSV file').waitFor();
  t.equal(await theirs.getByLabel('Or the files of an enrolment token').count(), 0);
  t.equal(callsTo(mock, 'GET', '/enrolments').length, reads, 'nothing is asked');
});
