/** Many alerts handled at once: chosen by clicks or by the filter, one note, an answer for each. */
import { AxeBuilder } from '@axe-core/playwright';
import { alert, hash, uuid } from './fixtures.ts';
import { problem, routes } from './mock-routes.ts';
import type { Mock } from './mock-api.ts';
import { callsTo, consoleTest, pathOf, until, type Assertions } from './support.ts';
import type { Page } from 'playwright-core';

/** Active alerts, newer than all others. */
function manyAlerts(mock: Mock, count: number): void {
  const of = mock.world.devices[1];
  const file = of?.files[1];
  if (of === undefined || file === undefined) throw new Error('a device with a file');
  const raised = Array.from({ length: count }, (_, n) =>
    alert(1_000 + n, 'UNEXPECTED_CHANGE', of, file, mock.world.now - n * 1_000),
  );
  mock.world.alerts.unshift(...raised);
}

const calls = (mock: Mock) => callsTo(mock, 'PUT', '/alerts/turnoff/');

consoleTest(
  'rows are chosen by click and shift-click, and handled with one note',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 6);
    const page = await open('/alerts-history');
    const boxes = page.getByRole('checkbox', {
      name: 'Select Unexpected change of pg_hba.conf on ledger-db-01',
    });
    await boxes.first().waitFor();
    t.equal(await page.getByRole('checkbox').count(), 8, 'only active alerts can be chosen');
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    await bar.getByText('4 alerts selected').waitFor();
    await boxes.nth(2).click();
    await bar.getByText('3 alerts selected').waitFor();
    t.equal(await page.getByRole('dialog').count(), 0, 'no panel was opened');
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    const question = page.getByRole('alertdialog', { name: 'Are you sure you want to dismiss 3 alerts?' });
    await question.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await question.count()) === 0, 'No closes');
    t.equal(calls(mock).length, 0);
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await question.getByRole('button', { name: 'Yes', exact: true }).click();
    const note = page.getByRole('dialog', { name: 'Please submit a note' });
    await note.getByRole('button', { name: 'Submit' }).click();
    await note.getByText('Note required').waitFor();
    t.equal(calls(mock).length, 0);
    // Somebody else is faster with one of them.
    Object.assign(mock.world.alerts[3] ?? {}, { status: 'RESOLVED' });
    await note.getByRole('textbox', { name: 'Note' }).fill('Planned deployment');
    await note.getByRole('button', { name: 'Submit' }).click();
    const answer = page.getByRole('alertdialog', { name: '2 of 3 alerts dismissed' });
    const failures = answer.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
    await answer.waitFor();
    t.equal(await failures.count(), 1);
    t.match(await failures.innerText(), /Unexpected change pg_hba\.conf on ledger-db-01/);
    t.match(await failures.innerText(), /Somebody else has handled this alert meanwhile\./);
    const body = calls(mock)[0]?.body;
    t.match(body, { note: 'Planned deployment', status: 'RESOLVED' });
    t.same(
      body?.['ids'],
      [1, 3, 4].map((n) => mock.world.alerts[n]?.id),
    );
    await answer.getByRole('button', { name: 'Done' }).click();
    await until(async () => (await bar.count()) === 0, 'all are handled, and none is chosen');
    await until(async () => (await page.getByRole('checkbox').count()) === 5, 'the rows say so');
    await boxes.first().click();
    await bar.getByRole('button', { name: 'Clear' }).click();
    await until(async () => (await bar.count()) === 0, 'nothing is chosen');
  },
);

consoleTest('all that match are chosen across pages, and nothing else', async ({ mock, open }, t) => {
  manyAlerts(mock, 230);
  const page = await open('/alerts-history?search=ledger-db-01');
  await page.getByRole('checkbox').first().click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('230 alerts selected').waitFor();
  await bar.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('New release');
  await page.getByRole('button', { name: 'Submit' }).click();
  const answer = page.getByRole('alertdialog', { name: '230 of 230 alerts reset' });
  await answer.waitFor();
  t.equal(await answer.getByRole('list', { name: 'Not handled' }).count(), 0);
  t.equal(calls(mock).length, 10, 'some at a time');
  t.equal(mock.world.alerts.filter(({ status }) => status === 'ACTIVE').length, 2, 'those of other devices');
});

consoleTest(
  'pages that cannot be read are said, and those that were read stay chosen',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 230);
    const page = await open('/alerts-history?search=ledger-db-01');
    await page.getByRole('checkbox').first().click();
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    let pages = 0;
    mock.overrides.set('GET /alerts/*', (request) => {
      pages += 1;
      return pages === 1 ? routes['GET /alerts/*']!(mock.world, request, []) : problem('UNAVAILABLE');
    });
    await bar.getByRole('button', { name: 'Select all that match' }).click();
    await bar.getByRole('button', { name: 'Not all could be read. Try again' }).waitFor();
    await bar.getByText('200 alerts selected').waitFor();
    mock.overrides.clear();
    await bar.getByRole('button', { name: 'Not all could be read. Try again' }).click();
    await bar.getByText('230 alerts selected').waitFor();
    t.equal(pages, 2);
  },
);

consoleTest('what could not be sent is said, and stays chosen', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  mock.overrides.set('PUT /alerts/turnoff/*', () => problem('UNAVAILABLE'));
  const page = await open('/alerts-history?device=&status=ACTIVE');
  await page.getByRole('checkbox').first().click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('32 alerts selected').waitFor();
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
  await page.getByRole('button', { name: 'Submit' }).click();
  const answer = page.getByRole('alertdialog', { name: '0 of 32 alerts dismissed' });
  const failures = answer.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
  await until(async () => (await failures.count()) === 32, 'an answer for each');
  t.match(await failures.last().innerText(), /Not tried: the ones before it could not be sent\./);
  t.equal(calls(mock).length, 1, 'the rest is not sent');
  await answer.getByRole('button', { name: 'Done' }).click();
  await bar.getByText('32 alerts selected').waitFor();
});

async function hasNoFault(page: Page, t: Assertions, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  t.same(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
    what,
  );
}

const rows = (page: Page) => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');

consoleTest('every filter stands in the address, with what each value leaves', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.getByText('24 alerts', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More filters' }).click();
  const type = page.getByLabel('Type', { exact: true });
  t.match(await type.locator('option').allInnerTexts(), ['All types', 'File missing (1)']);
  await type.selectOption('HASH_BREACH');
  await page.getByText('8 alerts', { exact: true }).waitFor();
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
  t.equal(await other.getByRole('combobox', { name: 'File' }).inputValue(), await file.inputValue());
  await page.goBack();
  await until(async () => (await rows(page).count()) === 8, 'Back takes the file back');
  const wide = await open(`/alerts-history?handled=${uuid(1)}&category=MISSION_CRITICAL`);
  await wide.getByText('22 alerts', { exact: true }).waitFor();
  const before = callsTo(mock, 'GET', '/alerts/counts/').length;
  const found = await open('/alerts-history?search=ledger-db-01');
  await rows(found).first().waitFor();
  t.equal(callsTo(mock, 'GET', '/alerts/counts/').length, before, 'nothing is counted of a search');
  t.equal(await found.getByLabel('Status').locator('option').nth(1).innerText(), 'Active');
});

consoleTest('counts follow what happens, and none is shown that is not known', async ({ mock, open }, t) => {
  const page = await open('/alerts-history?status=ACTIVE');
  await page.getByText('2 alerts', { exact: true }).waitFor();
  manyAlerts(mock, 1);
  mock.send('alert', { ...mock.world.alerts[0], orgId: mock.world.orgId, rev: 1 });
  await page.getByText('3 alerts', { exact: true }).waitFor();
  mock.overrides.set('GET /alerts/counts/*', () => problem('LIMIT_REACHED'));
  const other = await open('/alerts-history?status=ACTIVE');
  await rows(other).first().waitFor();
  t.equal(await other.getByText(/^\d+ alerts$/).count(), 0);
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
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await groups.waitFor();
  },
);

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
