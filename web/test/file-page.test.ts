/** All of one file on a page of its own. */
import { readFile } from 'node:fs/promises';
import type { File, FileHistory } from '@sentinel-node/contracts';
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { ok, problem, routes } from './mock-routes.ts';
import { callsOnceQuiet, callsTo, consoleTest, holdAnswers, pathOf, until } from './support.ts';

const device = uuid(101);
const log = uuid(1001);
const address = `/device/${device}/file/${log}`;

const reads = (mock: Mock) => callsTo(mock, 'GET', '/files/history/').length;
const rowsOf = (page: Page, name: string) =>
  page.getByRole('region', { name: `${name}, table` }).locator('tbody tr');

function fileOf(mock: Mock): File {
  const file = mock.world.devices[0]?.files[0];
  if (file === undefined) throw new Error('the world has a device with a file');
  return file;
}

/** As the stream tells of the file. */
const frame = (mock: Mock, rev: number, more: object) =>
  mock.send('file', { ...fileOf(mock), deviceId: device, orgId: mock.world.orgId, number: 33, rev, ...more });

consoleTest('a file has a page with its state, policy, pictures, breaks and chain', async ({ open }, t) => {
  const page = await open(address);
  await page.getByRole('heading', { level: 1, name: 'application log' }).waitFor();
  t.equal(await page.title(), 'application log · Sentinel Node');
  for (const name of [
    'State',
    'Policy',
    'Versions over time',
    'Size over time',
    'Breaks and handlings',
    'Link chain',
  ])
    await page.getByRole('region', { name, exact: true }).waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('32,163 B').waitFor();
  await state.getByText('1 active alert').waitFor();
  await page.getByRole('region', { name: 'Policy' }).getByText('Continuous').waitFor();
  const breaks = page.getByRole('table', { name: 'Breaks and handlings' });
  t.match(await breaks.locator('tbody tr').first().innerText(), /Hash breach\s*Active[\s\S]*Nobody yet/);
  await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  const pictures = page.locator('.file-chart svg.recharts-surface');
  await pictures.nth(1).waitFor();
  t.equal(await pictures.count(), 2, 'two pictures');
  await page.getByText('Versions over time as a table').click();
  const cells = await rowsOf(page, 'Versions over time').locator('td:nth-of-type(2)').allInnerTexts();
  t.equal(
    cells.reduce((total, text) => total + Number(text), 0),
    34,
    'the table has every version',
  );
  await page.getByText('Size over time as a table').click();
  t.equal(await rowsOf(page, 'Size over time').count(), 34);
  t.match(await rowsOf(page, 'Size over time').last().innerText(), /#33[\s\S]*32,163 B/);
});

consoleTest('the page is reached from the panels, the row and the entries', async ({ mock, open }, t) => {
  const page = await open(`/device/${device}?file=${log}`);
  await page
    .getByRole('dialog', { name: 'application log' })
    .getByRole('link', { name: 'Open its page' })
    .click();
  await page.getByRole('heading', { level: 1, name: 'application log' }).waitFor();
  t.equal(pathOf(page), address);
  await page.getByRole('link', { name: 'This machine', exact: true }).click();
  await page.getByRole('button', { name: 'Actions for application log' }).click();
  await page.getByRole('menuitem', { name: 'Open its page' }).click();
  await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  await page.getByRole('link', { name: 'Entry 30', exact: true }).click();
  await until(() => page.url().includes('?entry='), 'the entry has an address');
  t.equal(pathOf(page), address, 'on this page');
  await page.locator('.chain-link[aria-current]').getByText('#30').waitFor();
  await page
    .getByRole('table', { name: 'Breaks and handlings' })
    .getByRole('link', { name: 'Hash breach' })
    .first()
    .click();
  const panel = page.getByRole('dialog', { name: 'Hash breach' });
  await panel.getByRole('link', { name: 'application log' }).click();
  await page.getByRole('heading', { level: 1, name: 'application log' }).waitFor();
  t.equal(mock.world.alerts[0]?.fileId, log);
});

consoleTest('it follows the stream, and reads nothing while nothing happens', async ({ mock, open }, t) => {
  const page = await open(address);
  await page.clock.install();
  await page.goto(mock.url + address);
  await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  await callsOnceQuiet(page, mock);
  const before = reads(mock);
  t.ok(before > 0);
  frame(mock, 10, { name: 'renamed log', contact: 'LOST', problem: 'EACCES', activeAlerts: 0 });
  await page.getByRole('heading', { level: 1, name: 'renamed log' }).waitFor();
  await page.getByText('The agent does not look at this file').waitFor();
  await page.getByText('The agent may not read it.').waitFor();
  await page.getByText('Agent cannot look').waitFor();
  const parked = { since: '2026-11-21T10:00:00.000Z', cause: 'it has no form', waiting: 3 };
  frame(mock, 11, { name: 'renamed log', parked, activeAlerts: 0 });
  await page.getByText('The file is parked').waitFor();
  await page
    .getByText(/could not be judged: it has no form\. .*; 3 records wait, and none is lost\./)
    .waitFor();
  t.equal(await page.getByText('The agent does not look at this file').count(), 0);
  // A read that a frame asks for waits up to five seconds.
  await page.clock.fastForward(10_000);
  await callsOnceQuiet(page, mock);
  t.equal(reads(mock), before, 'all of it by frames');
  frame(mock, 12, { name: 'renamed log', number: 34 });
  await page.clock.fastForward(10_000);
  await until(() => reads(mock) === before + 1, 'more entries than were read');
});

consoleTest('what happens during a read is read too', async ({ mock, open }, t) => {
  const page = await open(address);
  await page.clock.install();
  await page.goto(mock.url + address);
  await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  await callsOnceQuiet(page, mock);
  const before = reads(mock);
  const histories = '**/api/v1/files/history/**';
  const release = await holdAnswers(page, histories);
  frame(mock, 10, { name: 'renamed log', number: 34 });
  await page.getByRole('heading', { level: 1, name: 'renamed log' }).waitFor();
  const asked = page.waitForRequest(histories);
  await page.clock.fastForward(10_000);
  await asked;
  frame(mock, 11, { name: 'renamed twice', number: 35 });
  await page.getByRole('heading', { level: 1, name: 'renamed twice' }).waitFor();
  const answered = page.waitForResponse(histories);
  release();
  await answered;
  t.equal(reads(mock), before + 1);
  await until(async () => {
    await page.clock.fastForward(10_000);
    return reads(mock) > before + 1;
  }, 'the frame that came during the read asks for another one');
});

consoleTest('a file that was lost with its device is back with it', async ({ mock, open }) => {
  const of = mock.world.devices[0]!;
  Object.assign(fileOf(mock), { contact: 'LOST' });
  const page = await open(address);
  const lost = page.getByText('Contact lost');
  await lost.waitFor();
  Object.assign(fileOf(mock), { contact: 'OK' });
  const { apiKey: _key, files, ...fields } = of;
  const told = { ...fields, filesCount: files.length, orgId: mock.world.orgId };
  mock.send('device', { ...told, status: 'ACTIVE', rev: 9 });
  await until(async () => (await lost.count()) === 0, 'it is back');
  await page.getByRole('heading', { level: 1, name: 'application log' }).waitFor();
});

consoleTest(
  'a file that is deleted while its page is open is not in contact any more',
  async ({ mock, open }, t) => {
    Object.assign(fileOf(mock), { activeAlerts: 0, contact: 'OK' });
    const page = await open(address);
    const good = page.getByText('In contact', { exact: true });
    await good.waitFor();
    mock.overrides.set('GET /files/*/*/*', () => problem('NOT_FOUND'));
    mock.send('file', { id: log, deviceId: device, orgId: mock.world.orgId, deleted: true, rev: 10 });
    await page.getByText('The file is no longer monitored: it was deleted.').waitFor();
    await until(async () => (await good.count()) === 0, 'nothing of it is green');
    await page.getByRole('region', { name: 'Policy' }).getByText('The file was deleted.').waitFor();
    t.equal(await page.getByText('could not be read').count(), 0);
  },
);

consoleTest('a chain that is exported with gaps is not called whole', async ({ mock, open }) => {
  const links = (mock.world.chains.get(log) ?? []).filter(({ number }) => number !== 20);
  mock.overrides.set('PUT /files/chain/*/*/*', () => ok({ links, entries: [], newer: false, older: false }));
  const page = await open(address);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Chain (CSV)' }).click();
  await page.getByText('Not the whole chain').waitFor();
});

consoleTest('a deleted file keeps its page; an unknown one has none', async ({ mock, open }, t) => {
  mock.overrides.set('GET /files/*/*/*', () => problem('NOT_FOUND'));
  mock.overrides.set('GET /files/history/*/*/*', () => {
    const body: FileHistory = {
      name: 'old log',
      path: '/var/old.log',
      deleted: true,
      device: { id: device, name: 'This machine', enabled: true },
      entries: 0,
      present: null,
      versions: [],
      whole: true,
      breaks: [],
      olderBreaks: false,
    };
    return { status: 200, body };
  });
  const page = await open(address);
  await page.getByText('The file is no longer monitored: it was deleted.').waitFor();
  await page.getByText('No version was reported yet.').waitFor();
  await page.getByText('Nothing was reported of this file, so no alert could be raised.').waitFor();
  t.equal(await page.getByText('No alert was raised for this file.').count(), 0, 'nobody looked');
  t.equal(await page.getByRole('link', { name: 'Edit file' }).count(), 0);
  mock.overrides.set('GET /files/history/*/*/*', () => problem('NOT_FOUND'));
  const none = await open(address);
  await none.getByRole('heading', { level: 1, name: 'There is no such file.' }).waitFor();
});

consoleTest('sizes of a sample are not called all sizes', async ({ mock, open }, t) => {
  mock.overrides.set('GET /files/history/*/*/*', (request) => {
    const ids = request.path.split('/').slice(3);
    const { body } = routes['GET /files/history/*/*/*']!(mock.world, request, ids);
    return ok({ ...(body as FileHistory), whole: false, entries: 5_000 });
  });
  const page = await open(address);
  const size = page.getByRole('region', { name: 'Size over time' });
  await size.getByText(/ B to [\d,]+ B in a sample of 34 of 5,000 entries$/).waitFor();
  await size.getByText('Size over time as a table').click();
  await size.getByText('A sample: 34 of 5,000 entries.').waitFor();
  mock.overrides.clear();
  const whole = await open(address);
  await whole
    .getByRole('region', { name: 'Size over time' })
    .getByText(/^[\d,]+ B to [\d,]+ B$/)
    .waitFor();
  t.equal(await whole.getByText('sample').count(), 0);
});

consoleTest('a read that fails says so, and can be tried again', async ({ mock, open }, t) => {
  mock.overrides.set('GET /files/history/*/*/*', () => problem('UNAVAILABLE'));
  mock.overrides.set('GET /files/*/*/*', () => problem('UNAVAILABLE'));
  const page = await open(address);
  await page.getByText('The file cannot be shown').waitFor();
  await callsOnceQuiet(page, mock);
  mock.overrides.delete('GET /files/history/*/*/*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Whether the file is in contact could not be read.').waitFor();
  await page.getByText('The policy could not be read.').waitFor();
  t.equal(await page.getByText('In contact', { exact: true }).count(), 0, 'nothing unknown is shown as good');
  mock.overrides.delete('GET /files/*/*/*');
  await page.getByRole('region', { name: 'State' }).getByRole('button', { name: 'Try again' }).click();
  await page.getByText('1 active alert').waitFor();
});

consoleTest('what is only being read is not called unread', async ({ mock, open }, t) => {
  const page = await open('/login');
  const release = await holdAnswers(page, `**/api/v1/files/*/*/${log}`);
  await page.goto(mock.url + address);
  await page.getByText('The policy is being read.').waitFor();
  await page.getByText('Whether the file is in contact is being read.').waitFor();
  t.equal(await page.getByText('could not be read').count(), 0);
  release();
  await page.getByText('1 active alert').waitFor();
  t.equal(await page.getByText('being read').count(), 0);
});

consoleTest('chain and events are exported', async ({ mock, open }, t) => {
  const page = await open(address);
  const save = async (name: string): Promise<string> => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name }).click();
    const download = await downloading;
    t.match(download.suggestedFilename(), /^(Chain|Events)_\d\d_\d\d_\d{4}\.csv$/);
    return readFile(await download.path(), 'utf8');
  };
  const [head = '', newest = '', ...others] = (await save('Chain (CSV)')).trimEnd().split('\r\n');
  t.match(head, /^\ufeffNumber;Id;Kind;Timestamp;Content hash;/);
  t.match(newest, /^33;[^;]+;BREAK;[^;]+;[0-9a-f]{64};32163;[0-9a-f]{64};Hash breach ACTIVE;RECEIVED;-;0;-$/);
  t.equal(others.length, 33, 'to the first entry');
  t.match(await save('Events (CSV)'), /^Id;Timestamp/);
  t.equal(callsTo(mock, 'GET', `/events/${mock.world.orgId}/${device}/${log}`).length, 1);
});

consoleTest('names of any kind stay inside, also on a phone', async ({ mock, open }, t) => {
  const names = [
    'n'.repeat(200),
    'سجل التطبيق '.repeat(12),
    '🗒️👩‍👩‍👧‍👦'.repeat(30),
    '<img src=x onerror=alert(1)><b>bold</b>',
  ];
  for (const name of names) {
    Object.assign(fileOf(mock), { name, path: `/${name}/${'p'.repeat(900)}` });
    const page = await open(address, { width: 390, height: 800 });
    await page.getByRole('heading', { level: 1 }).waitFor();
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), name, 'as text');
    await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    t.ok(wide <= 0, `${name.slice(0, 12)}: ${wide} pixels beside the screen`);
  }
});

consoleTest('a picture that still has its first width stays inside a phone', async ({ open }, t) => {
  const page = await open(address, { width: 390, height: 800 });
  await page.locator('.file-chart .recharts-wrapper').first().waitFor();
  // As between its first drawing and its measuring, which a slow phone shows for a moment.
  await page.locator('.file-chart .recharts-wrapper').evaluateAll((charts) => {
    for (const chart of charts as HTMLElement[]) chart.style.setProperty('min-width', '560px');
  });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  t.ok(wide <= 0, `${wide} pixels beside the screen`);
});
