import { type Link, shownDateTime } from '@sentinel-node/contracts';
import type { Locator, Page } from 'playwright-core';
import { timeId } from './fixtures.ts';
import { callsTo, consoleTest, live, MID_HOUR, setTime, until } from './support.ts';
import { ok, problem } from './mock-routes.ts';
import type { Mock } from './mock-api.ts';

async function openFirst(page: Page) {
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const panel = page.getByRole('dialog', { name: 'Hash breach' });
  await panel.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  return panel;
}

/** The value beside a term. */
async function fact(place: Page | Locator, term: string): Promise<string> {
  return (await place.locator(`dl > div:has(> dt:text-is("${term}")) > dd`).innerText()).trim();
}

const turnOffs = (mock: Mock) => callsTo(mock, 'PUT', '/alerts/turnoff/');

consoleTest('[S2.29] [S9.10] [S9.11] alerts are listed, searched and filtered', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  const table = page.getByRole('table', { name: 'Alerts' });
  await table.waitFor();
  t.equal(await table.getByRole('columnheader').getByRole('button').count(), 0, 'not sortable');
  const order = await table.locator('tbody tr').allInnerTexts();
  for (const header of await table.getByRole('columnheader').all()) await header.click();
  // A click may scroll to the end of the list, which loads the rows after these.
  const after = (await table.locator('tbody tr').allInnerTexts()).slice(0, order.length);
  t.same(after, order, 'a click on a header changes nothing');
  const status = page.getByLabel('Status');
  const device = page.getByRole('combobox', { name: 'Device' });
  const chosen = (label: string) =>
    page.getByLabel(label, { exact: true }).locator('option:checked').innerText();
  t.same(
    [await chosen('Status'), await device.inputValue(), await chosen('Date')],
    ['All statuses', 'All devices', 'All time'],
  );
  await page.getByLabel('Date', { exact: true }).selectOption('Last hour');
  await until(async () => (await table.locator('tbody tr').count()) === 2, 'two alerts of the last hour');
  await page.getByLabel('Date', { exact: true }).selectOption('All time');
  t.same(await status.locator('option').allInnerTexts(), [
    'All statuses',
    'Active',
    'Resolved',
    'Deactivated',
  ]);
  await page.getByText('2 active, 21 resolved, 1 deactivated').waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('Deactivated');
  await page.locator('.alert-total').getByText('1 alert', { exact: true }).waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('All statuses');
  await device.click();
  t.equal(await page.getByRole('listbox').getByRole('option').first().innerText(), 'All devices');
  await page.keyboard.press('Escape');
  await status.selectOption('Deactivated');
  await until(async () => (await table.locator('tbody tr').count()) === 1, 'one reset alert');
  await status.selectOption('All statuses');
  await device.fill('this mach');
  await device.press('Enter');
  await until(async () => (await table.locator('tbody tr').count()) === 3, 'three alerts of the machine');
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('settings');
  await until(async () => (await table.locator('tbody tr').count()) === 1, 'one alert is found');
  await setTime(page, mock, new Date('2026-03-09T12:00:00'));
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  t.equal((await download).suggestedFilename(), 'Alerts_03_09_2026.csv', 'month, day, year');
  const call = mock.calls.find(({ query }) => query.get('toExport') === 'true');
  const days = ['2026-02-09T00:00:00.000', '2026-03-09T23:59:59.999'];
  const ends = await page.evaluate((all) => all.map((day) => new Date(day).toISOString()), days);
  t.same([call?.query.get('timestampFrom'), call?.query.get('timestampTo')], ends, 'the chosen range');
  t.equal(call?.query.get('search'), 'settings', 'of what the table shows');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const only = page.getByRole('checkbox', { name: 'Only alerts that match the filter and the search' });
  await only.uncheck();
  const all = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  await all;
  const last = mock.calls.findLast(({ query }) => query.get('toExport') === 'true');
  t.same([last?.query.get('search'), last?.query.get('timestampFrom')], [null, ends[0]], 'all of the range');
});

consoleTest(
  '[S4.13] [S2.46] [S9.6] the date filter has its ranges; custom is a popover, or a modal when narrow',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const filter = page.getByLabel('Date', { exact: true });
    await filter.waitFor();
    const options = ['All time', 'Last 30min', 'Last hour', 'Last day', 'Last week', 'Last month', 'Custom'];
    t.same(await filter.locator('option').allInnerTexts(), options);
    const now = Date.parse('2026-11-21T12:00:00.000Z');
    await setTime(page, mock, now);
    const minutes = [30, 60, 1_440, 10_080, 43_200];
    for (const [n, back] of minutes.entries()) {
      mock.calls.length = 0;
      await filter.selectOption(options[n + 1] ?? '');
      const from = new Date(now - back * 60_000).toISOString();
      // More of the range before, or its counts, may be asked for only now.
      const sent = () => mock.calls.find(({ query }) => query.get('timestampFrom') === from);
      await until(() => sent() !== undefined, `${back} minutes are sent`);
      t.equal(sent()?.query.get('timestampTo'), null, `${back} minutes, until now`);
    }
    mock.calls.length = 0;
    await filter.selectOption('All time');
    const isWhole = ({ query }: (typeof mock.calls)[0]) =>
      !query.has('timestampFrom') && !query.has('timestampTo');
    await until(() => callsTo(mock, 'GET', '/alerts/').some(isWhole), 'all of it');
    const dashboard = await open('/dashboard');
    const events = dashboard.getByLabel('Date', { exact: true });
    await events.waitFor();
    t.same(await events.locator('option').allInnerTexts(), options, 'events have the same ranges');
    await setTime(dashboard, mock, now);
    for (const [n, back] of minutes.entries()) {
      mock.calls.length = 0;
      await events.selectOption(options[n + 1] ?? '');
      const from = new Date(now - back * 60_000).toISOString();
      const isSent = ({ query }: (typeof mock.calls)[0]) => query.get('timestampFrom') === from;
      await until(() => callsTo(mock, 'GET', '/events/').some(isSent), `${back} minutes of events`);
    }
    await filter.selectOption('Custom');
    const popover = page.getByRole('dialog', { name: 'Date filter' });
    await popover.getByRole('button', { name: 'Apply filter' }).click();
    await popover.getByText('Field cannot be empty').nth(3).waitFor();
    t.equal(await popover.getByLabel('Period from').inputValue(), 'AM');
    t.equal(await popover.evaluate((element) => element.tagName), 'DIV');
    const wide = await open('/alerts-history', { width: 601 });
    await wide.getByLabel('Date', { exact: true }).selectOption('Custom');
    const above = wide.getByRole('dialog', { name: 'Date filter' });
    await above.waitFor();
    t.equal(await above.evaluate((element) => element.tagName), 'DIV', 'one pixel wider');
    const narrow = await open('/alerts-history', { width: 600 });
    await narrow.getByLabel('Date', { exact: true }).selectOption('Custom');
    const modal = narrow.getByRole('dialog', { name: 'Date filter' });
    await modal.waitFor();
    t.equal(await modal.evaluate((element) => element.tagName), 'DIALOG');
  },
);

consoleTest(
  '[S2.30] [S8.21] the panel shows the alert, its chain and its actions',
  async ({ mock, open }, t) => {
    mock.config['explorerUrl'] = 'https://explorer.example/tx/{txid}';
    const page = await open('/alerts-history', { timeZone: 'UTC' });
    const panel = await openFirst(page);
    const title = panel.getByRole('heading', { level: 2 });
    t.ok(await title.evaluate((one) => one === document.activeElement), 'its title is read first');
    const alert = mock.world.alerts[0];
    for (const [term, value] of [
      ['File', alert?.fileName],
      ['Device', alert?.deviceName],
      ['Time', `${shownDateTime(alert?.timestamp ?? '', 'UTC')} UTC (4 minutes ago)`],
      ['Alert ID', alert?.id],
    ] as const)
      t.equal(await fact(panel, term), value, term);
    await panel.locator('.over').getByText('Active', { exact: true }).waitFor();
    await panel
      .getByText('The hashes of the previous version of the file do not match those in the ledger.')
      .waitFor();
    for (const name of ['Share', 'Dismiss', 'Reset'])
      await panel.getByRole('button', { name, exact: true }).waitFor();
    const link = panel.locator(
      `a[href="https://explorer.example/tx/${mock.world.alerts[0]?.bsvTransactionID}"]`,
    );
    t.equal(await link.getAttribute('target'), '_blank');
    await panel.getByText('received').first().waitFor();
    await page.keyboard.press('Escape');
    await until(async () => (await panel.count()) === 0, 'Escape closes');
    const focused = await page.evaluate(() => document.activeElement?.className);
    t.equal(focused, 'row-button', 'the focus goes back');
    await page.getByRole('link', { name: 'File missing', exact: true }).click();
    const handled = page.getByRole('dialog', { name: 'File missing' });
    await handled.getByText('Reset by').waitFor();
    for (const name of ['Share', 'Dismiss', 'Reset'])
      t.equal(await handled.getByRole('button', { name, exact: true }).count(), 0, `${name}: not ACTIVE`);
  },
  { at: MID_HOUR },
);

consoleTest('[S8.19] [S8.20] [S8.22] [S8.23] the panel says what a type means', async ({ mock, open }) => {
  const [raised] = mock.world.alerts;
  if (raised === undefined) throw new Error('no alert');
  const meanings = {
    EMPTY: ['File missing', 'There was no data in a request from the agent.'],
    UNEXPECTED_CHANGE: [
      'Unexpected change',
      'A file change was detected but the file is defined as uneditable.',
    ],
    ROLLED_FILE_CHANGED: ['Rolled file changed', 'Unexpected change of the archived version of the file.'],
    HASH_BREACH_IN_REQ: [
      'Hash breach in request',
      'The file version lengths in the request are inconsistent.',
    ],
  } as const;
  for (const [type, [name, meaning]] of Object.entries(meanings)) {
    mock.world.alerts.splice(0, Infinity, { ...raised, type: type as keyof typeof meanings });
    const page = await open('/alerts-history');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('dialog', { name }).getByText(meaning, { exact: true }).waitFor();
  }
});

consoleTest(
  '[S3.12] [S4.1] [S4.2] [S5.22] dismissing needs a confirmation and a note',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'No closes');
    t.equal(turnOffs(mock).length, 0);
    await panel.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    const note = page.getByRole('dialog', { name: 'Please submit a note' });
    t.equal(await note.getByText('Note required').count(), 0);
    await note.getByRole('button', { name: 'Submit' }).click();
    await note.getByText('Note required').waitFor();
    t.equal(turnOffs(mock).length, 0);
    await note.getByRole('textbox', { name: 'Note' }).fill('Planned deployment');
    await note.getByRole('button', { name: 'Submit' }).click();
    await panel.getByText('Dismissed by').waitFor();
    t.equal(await fact(panel, 'Dismissed by'), 'ada@example.org');
    t.equal(await fact(panel, 'Note'), 'Planned deployment');
    await panel.locator('.over').getByText('Dismissed', { exact: true }).waitFor();
    t.same(turnOffs(mock)[0]?.body, { note: 'Planned deployment', status: 'RESOLVED', occurrences: 1 });
  },
);

consoleTest(
  '[S3.12] [S4.1] [S4.2] [S2.46] resetting asks in red, and says who did it',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Reset', exact: true }).click();
    const yes = page.getByRole('button', { name: 'Yes', exact: true });
    t.match(await yes.getAttribute('class'), /button-danger/);
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'No closes');
    await panel.getByRole('button', { name: 'Reset', exact: true }).click();
    await yes.click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Note required').waitFor();
    t.equal(turnOffs(mock).length, 0);
    await page.getByRole('textbox', { name: 'Note' }).fill('New baseline');
    await page.getByRole('button', { name: 'Submit' }).click();
    await panel.getByText('Reset by').waitFor();
    t.equal(await fact(panel, 'Reset by'), 'ada@example.org');
    t.equal(await fact(panel, 'Note'), 'New baseline');
    await panel.locator('.over').getByText('Reset', { exact: true }).waitFor();
    t.same(turnOffs(mock)[0]?.body, { note: 'New baseline', status: 'DEACTIVATED', occurrences: 1 });
  },
);

consoleTest(
  'an alert that is handled already: the person is told, and sees it as it is',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    await panel.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    const first = mock.world.alerts[0];
    if (first)
      Object.assign(first, { status: 'RESOLVED', note: 'Mine', overrideUserEmail: 'jonas@example.org' });
    mock.overrides.set('PUT /alerts/turnoff/*/*/*/*', () => problem('ALERT_NOT_ACTIVE'));
    await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('The alert is handled already. It shows by whom.', { exact: true }).waitFor();
    t.equal(await page.getByText('was not dismissed').count(), 0, 'an own try may have dismissed it');
    await page.keyboard.press('Escape');
    await panel.getByText('jonas@example.org').waitFor();
  },
);

consoleTest(
  'what occurs again under the dialog is not handled before the person has looked at it',
  async ({ mock, open }, t) => {
    const [first] = mock.world.alerts;
    if (first === undefined) throw new Error('no alert');
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    await live(page);
    const ask = async (): Promise<void> => {
      await panel.getByRole('button', { name: 'Reset', exact: true }).click();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
    };
    const note = page.getByRole('textbox', { name: 'Note' });
    const submit = page.getByRole('button', { name: 'Submit' });
    await ask();
    Object.assign(first, { occurrences: 2 });
    mock.send('alert', { ...first, orgId: mock.world.orgId, rev: 9 });
    await panel.getByText('Occurrences').waitFor();
    await note.fill('New release');
    await submit.click();
    await page.getByText('The alert occurred again since you opened it.').waitFor();
    t.same(turnOffs(mock)[0]?.body, { note: 'New release', status: 'DEACTIVATED', occurrences: 1 });
    t.equal(first.status, 'ACTIVE');
    await submit.focus();
    await page.keyboard.press('Enter');
    await submit.click({ force: true });
    t.equal(await submit.getAttribute('aria-disabled'), 'true');
    t.equal(turnOffs(mock).length, 1, 'the open dialog sends no more');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await until(async () => (await submit.count()) === 0, 'the dialog is closed');
    t.match(await fact(panel, 'Occurrences'), /^2, last/);
    await ask();
    t.equal(await note.inputValue(), 'New release', 'the note is kept');
    await submit.click();
    await panel.getByText('Reset by').waitFor();
    t.match(turnOffs(mock)[1]?.body, { occurrences: 2 });
  },
);

consoleTest(
  '[S2.28] [S4.4] [S4.12] the chain loads both ways and ends at its ends',
  async ({ mock, open }, t) => {
    const chain = mock.world.chains.get(mock.world.alerts[0]?.fileId ?? '') ?? [];
    const handled = chain.find(({ number }) => number === 27)?.alerts;
    handled?.push({ id: 'A28', type: 'HASH_BREACH', status: 'DEACTIVATED' });
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    const links = panel.locator('.chain-link');
    t.equal(await links.first().getAttribute('data-type'), 'BREAK');
    await links.first().getByRole('img', { name: 'Break' }).waitFor();
    const toneOf = (place: Locator) =>
      place.evaluate((element) => getComputedStyle(element).getPropertyValue('--tone'));
    const alertTone = await toneOf(panel.locator('.over > *').first());
    t.equal(await toneOf(links.first()), alertTone, 'in the style of an alert');
    t.not(await toneOf(links.nth(1)), alertTone, 'another link is not');
    const first = links.filter({ hasText: '#27' });
    await first.getByRole('img', { name: 'Overridden, dismissed' }).waitFor();
    t.equal(
      await first.getByRole('img', { name: 'Overridden, reset' }).count(),
      0,
      'the first alert decides',
    );
    t.equal(await panel.getByRole('button', { name: 'Load newer links' }).count(), 0, 'nothing newer');
    await panel.getByRole('button', { name: 'Load older links' }).click();
    await until(async () => (await links.count()) === 20, 'ten more');
    await panel.getByRole('img', { name: 'Overridden, reset' }).waitFor();
    for (const count of [30, 34]) {
      await panel.getByRole('button', { name: 'Load older links' }).click();
      await until(async () => (await links.count()) === count, `${count} links`);
    }
    await panel.getByText('First hash').last().waitFor();
    t.equal(await panel.getByRole('button', { name: 'Load older links' }).count(), 0, 'first hash');
  },
);

consoleTest(
  '[S2.28] [S4.12] a chain entered in its middle loads newer links up to its end',
  async ({ mock, open }, t) => {
    const handled = mock.world.alerts[2];
    const chain = mock.world.chains.get(handled?.fileId ?? '') ?? [];
    const middle = chain.find(({ number }) => number === 15);
    if (handled === undefined || middle === undefined) throw new Error('a chain with a middle');
    Object.assign(handled, { hashId: middle.id });
    const page = await open('/alerts-history');
    const show = async () => {
      await page.getByRole('link', { name: 'Rolled file changed', exact: true }).first().click();
      await page.getByRole('dialog').locator('.chain-link').first().waitFor();
    };
    await show();
    const panel = page.getByRole('dialog', { name: 'Rolled file changed' });
    const newer = panel.getByRole('button', { name: 'Load newer links' });
    const first = panel.locator('.chain-link').first();
    const count = () => panel.locator('.chain-link').count();
    t.match(await first.innerText(), /#20/);
    await newer.click();
    await until(async () => (await count()) === 20, 'ten more');
    t.match(await first.innerText(), /#30/);
    await newer.click();
    await until(async () => (await count()) === 23, 'the last three');
    t.equal(await first.getAttribute('data-type'), 'END');
    t.equal(await newer.count(), 0, 'hidden at the end');
    await page.keyboard.press('Escape');
    await until(async () => (await panel.count()) === 0, 'closed');
    mock.overrides.set('PUT /files/chain/*/*/*', () =>
      ok({ links: chain.slice(0, 14), newer: true, older: true }),
    );
    await show();
    t.equal(await newer.count(), 0, 'the first link is END');
    t.equal(
      await panel.getByRole('button', { name: 'Load older links' }).count(),
      0,
      'the last is a first hash',
    );
    await panel.getByRole('button', { name: 'Earlier chain' }).waitFor();
  },
);

consoleTest('a chain of many loaded links is followed up to its newest', async ({ mock, open }, t) => {
  const fileId = mock.world.devices[1]?.files[0]?.id ?? '';
  const [model] = mock.world.chains.get(fileId) ?? [];
  const raised = mock.world.alerts.find((one) => one.fileId === fileId);
  if (model === undefined || raised === undefined) throw new Error('an alert of a file with links');
  const linkOf = (number: number, type: Link['type']): Link => ({
    ...model,
    ...{ id: timeId(mock.world.now, 9_000 + number), number, type, firstHash: number === 0 },
  });
  const chain = Array.from({ length: 600 }, (_, n) => linkOf(599 - n, n === 0 ? 'END' : 'LINK'));
  Object.assign(raised, { hashId: chain[0]?.id });
  // The server gives at most 500 links, those nearest to the one that is named.
  mock.overrides.set('PUT /files/chain/*/*/*', ({ body }) => {
    const at = chain.findIndex(({ id }) => id === body['hashId']);
    const after = Math.min(Number(body['after'] ?? 0), 499);
    const [from, to] = [Math.max(0, at - after), at + 1 + (after > 0 ? 0 : 499)];
    return ok({ links: chain.slice(from, to), newer: from > 0, older: to < chain.length });
  });
  const page = await open(`/alerts-history?alert=${raised.id}&in=${raised.deviceId}`);
  const panel = page.getByRole('dialog');
  const links = panel.locator('.chain-link');
  const older = panel.getByRole('button', { name: 'Load older links' });
  await live(page);
  await older.click();
  await until(async () => (await links.count()) === 600, 'all links');
  t.match(await links.first().innerText(), /#599/);
  Object.assign(chain[0] ?? {}, { type: 'LINK' });
  chain.unshift(linkOf(601, 'END'), linkOf(600, 'LINK'));
  mock.send('file', { id: fileId, deviceId: raised.deviceId, orgId: mock.world.orgId, number: 601, rev: 9 });
  await links.filter({ hasText: '#601' }).waitFor();
  t.equal(await links.count(), 602);
  t.same(
    await links.evaluateAll((all) => all.slice(0, 3).map((link) => link.getAttribute('data-type'))),
    ['END', 'LINK', 'LINK'],
    'only the newest is called so',
  );
});

consoleTest(
  '[S2.31] [S3.12] [S5.23] [S8.7] [S8.10] an alert is shared with addresses',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const panel = await openFirst(page);
    const share = async () => {
      await panel.getByRole('button', { name: 'Share', exact: true }).click();
      return page.getByRole('dialog', { name: 'Share alert' });
    };
    const modal = await share();
    t.equal(await modal.getByRole('button', { name: /^Remove/ }).count(), 0);
    await modal.getByRole('button', { name: 'Share' }).click();
    await modal.getByText('Email is required').waitFor();
    await modal.getByRole('textbox', { name: 'E-mail 1' }).fill('nobody');
    await modal.getByText('Invalid email address').waitFor();
    await modal.getByRole('textbox', { name: 'E-mail 1' }).fill('auditor@example.org');
    const more = modal.getByRole('button', { name: 'Add another e-mail +' });
    await more.click();
    t.equal(await modal.getByRole('button', { name: /^Remove/ }).count(), 2);
    await modal.getByRole('button', { name: 'Share' }).click();
    await modal.getByText('Email is required').waitFor();
    await modal.getByRole('textbox', { name: 'E-mail 2' }).fill('wrong@');
    await modal.getByRole('button', { name: 'Share' }).click();
    await modal.getByText('Invalid email address').waitFor();
    t.equal(callsTo(mock, 'POST', '/alerts/share/').length, 0, 'each address must be valid');
    await modal.getByRole('button', { name: 'Remove e-mail 2' }).click();
    t.equal(await modal.getByRole('button', { name: /^Remove/ }).count(), 0, 'the last one stays');
    await more.click();
    await modal.getByRole('textbox', { name: 'E-mail 2' }).fill('second@example.org');
    await modal.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Alert successfully shared. Links to alert details have been sent.').waitFor();
    const addresses = ['auditor@example.org', 'second@example.org'];
    t.same(callsTo(mock, 'POST', '/alerts/share/')[0]?.body, { sharedEmailAddresses: addresses });
    mock.overrides.set('POST /alerts/share/*/*/*', () => problem('RATE_LIMITED'));
    const again = await share();
    await again.getByRole('textbox', { name: 'E-mail 1' }).fill('auditor@example.org');
    await again.getByRole('button', { name: 'Share' }).click();
    const failure = again
      .getByRole('alert')
      .filter({ hasText: 'An error occurred while sharing the alert.' });
    await failure.getByText('Too many requests').waitFor();
    t.equal(await again.getByRole('textbox', { name: 'E-mail 1' }).inputValue(), 'auditor@example.org');
    mock.overrides.clear();
    await again.getByRole('button', { name: 'Share' }).click();
    await again.waitFor({ state: 'detached' });
    t.equal(callsTo(mock, 'POST', '/alerts/share/').length, 3);
  },
);

consoleTest('the dialog shows when a link ends, or ended, and renews it', async ({ mock, open }, t) => {
  const sharedData = [{ emailAddress: 'auditor@example.org', timestamp: '2020-01-01T00:00:00.000Z' }];
  for (const one of mock.world.alerts)
    Object.assign(one, { shared: false, sharedData, shareExpiresAt: '2020-01-31T00:00:00.000Z' });
  const page = await open('/alerts-history');
  const panel = await openFirst(page);
  await panel.getByText('Link ended').waitFor();
  await panel.getByRole('button', { name: 'Share', exact: true }).click();
  const modal = page.getByRole('dialog', { name: 'Share alert' });
  await modal.getByText('The link ends after 30 days.').waitFor();
  await modal.getByText('Shared with auditor@example.org. The link ended on').waitFor();
  t.equal(await modal.getByText('is mailed to').count(), 0, 'all of them are told');
  await modal.getByRole('button', { name: 'Renew' }).click();
  await page.getByText('Alert successfully shared. Links to alert details have been sent.').waitFor();
  const [call] = callsTo(mock, 'POST', '/alerts/share/');
  t.same(call?.body, { sharedEmailAddresses: ['auditor@example.org'] });
});

consoleTest('an alert that many have says how many, and whom a renewal tells', async ({ mock, open }, t) => {
  const addresses = Array.from({ length: 25 }, (_, n) => `auditor-${n}@example.org`);
  const sharedData = addresses.map((emailAddress) => ({
    emailAddress,
    timestamp: '2020-01-01T00:00:00.000Z',
  }));
  for (const one of mock.world.alerts)
    Object.assign(one, { shared: false, sharedData, shareExpiresAt: '2020-01-31T00:00:00.000Z' });
  const page = await open('/alerts-history');
  const panel = await openFirst(page);
  await panel.getByRole('button', { name: 'Share', exact: true }).click();
  const modal = page.getByRole('dialog', { name: 'Share alert' });
  const last = addresses.slice(-20);
  await modal.getByText(`Shared with ${last.join(', ')} and 5 others. The link ended on`).waitFor();
  await modal.getByText('The new end is mailed to these 20 only.').waitFor();
  await modal.getByRole('button', { name: 'Renew' }).click();
  await page.getByText('Alert successfully shared. Links to alert details have been sent.').waitFor();
  const [call] = callsTo(mock, 'POST', '/alerts/share/');
  t.same(call?.body, { sharedEmailAddresses: last });
});

consoleTest('the sharing of an alert is ended, also of a handled one', async ({ mock, open }, t) => {
  const sharedData = [{ emailAddress: 'auditor@example.org', timestamp: '2026-01-01T00:00:00.000Z' }];
  const shareExpiresAt = new Date(Date.now() + 86_400_000).toISOString();
  for (const one of mock.world.alerts) Object.assign(one, { shared: true, sharedData, shareExpiresAt });
  const page = await open('/alerts-history?status=RESOLVED');
  const panel = await openFirst(page);
  const question = page.getByRole('alertdialog', {
    name: 'Are you sure you want to end sharing this alert?',
  });
  const end = panel.getByRole('button', { name: 'End sharing' });
  await end.click();
  await question.getByText('auditor@example.org').waitFor();
  await question.getByRole('button', { name: 'No', exact: true }).click();
  await question.waitFor({ state: 'detached' });
  t.equal(callsTo(mock, 'DELETE', '/alerts/share/').length, 0);
  mock.overrides.set('DELETE /alerts/share/*/*/*', () => problem('FORBIDDEN'));
  await end.click();
  await question.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByText('The sharing was not ended.').waitFor();
  mock.overrides.clear();
  await end.click();
  await question.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByText('Sharing ended').waitFor();
  await until(async () => (await end.count()) === 0, 'nothing is left to end');
  t.equal(callsTo(mock, 'DELETE', '/alerts/share/').length, 2, 'one for each Yes, none for the No');
});

consoleTest('the page of a link that has ended says what to do', async ({ mock, open }) => {
  const detail =
    'The link to this alert ended on 2026-01-31 (UTC). Ask the person who sent it to share the alert again.';
  mock.overrides.set('GET /alerts/link/shared/data/*', () => problem('SHARE_ENDED', detail));
  const page = await open(`/share/alert/${mock.world.alerts[3]?.id}`, { signedIn: false });
  await page.getByText('This link has ended.').waitFor();
  await page.getByText(detail).waitFor();
});

consoleTest('[S2.3] [S6.10] the page of a shared alert needs no login', async ({ mock, open }, t) => {
  const page = await open(`/share/alert/${mock.world.alerts[3]?.id}`, { signedIn: false, timeZone: 'UTC' });
  await page.getByRole('heading', { name: 'Shared alert' }).waitFor();
  const shared = mock.world.alerts[3];
  if (shared === undefined) throw new Error('a reset alert');
  const facts = {
    'Alert ID': shared.id,
    Time: `${shownDateTime(shared.timestamp, 'UTC')} UTC (2 days ago)`,
    Status: 'Deactivated',
    Type: 'File missing. There was no data in a request from the agent.',
    'Reset by': 'a…@example.org',
    Note: 'Moved on purpose',
    'Device ID': shared.deviceId,
    'Device name': shared.deviceName,
    'File ID': shared.fileId,
    'File name': shared.fileName,
  };
  await page.locator('dl dt').first().waitFor();
  t.same(await page.locator('dl dt').allInnerTexts(), Object.keys(facts));
  for (const [term, value] of Object.entries(facts)) t.equal(await fact(page, term), value, term);
  t.equal(
    await page.getByLabel('Event request').innerText(),
    JSON.stringify(shared.eventRequest, null, 2),
    'formatted JSON',
  );
  await page.getByText('The time and this request are those of the first occurrence.').waitFor();
  t.equal(await page.getByRole('main').locator('input, textarea, select, form').count(), 0, 'read-only');
  t.equal(await page.getByRole('button', { name: /Dismiss|Reset|Share/ }).count(), 0);
  const call = callsTo(mock, 'GET', '/alerts/link/')[0];
  t.equal(call?.headers['x-access-token'], undefined);
  const dismissed = await open(`/share/alert/${mock.world.alerts[2]?.id}`, { signedIn: false });
  await dismissed.getByText('Dismissed by').waitFor();
  t.equal(await fact(dismissed, 'Status'), 'Resolved');
  t.equal(await fact(dismissed, 'Dismissed by'), 'a…@example.org');
  const active = await open(`/share/alert/${mock.world.alerts[0]?.id}`, { signedIn: false });
  await active.getByText('Alert ID', { exact: true }).waitFor();
  t.equal(await fact(active, 'Status'), 'Active');
  t.equal(await active.getByText(/(Reset|Dismissed) by/).count(), 0, 'nobody has handled it');
});

consoleTest('the history names who shared an alert, and who ended it', async ({ mock, open }, t) => {
  const [alert] = mock.world.alerts;
  if (alert === undefined) throw new Error('no alert');
  const timestamp = new Date(mock.world.now).toISOString();
  const jonas = { id: 'of-jonas', kind: 'SHARED', timestamp, by: 'jonas@example.org', text: null } as const;
  mock.world.histories.set(alert.id, [{ ...jonas, to: ['auditor@example.org', 'second@example.org'] }]);
  Object.assign(alert, {
    ...{ shared: true, sharedData: [{ emailAddress: 'auditor@example.org', timestamp }] },
    shareExpiresAt: new Date(mock.world.now + 86_400_000).toISOString(),
  });
  const page = await open('/alerts-history');
  const panel = await openFirst(page);
  const history = panel.getByRole('list', { name: 'History of the alert, newest first' });
  const tell = () => mock.send('alert', { ...alert, orgId: mock.world.orgId, rev: Date.now() });
  await panel.getByRole('button', { name: 'End sharing' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).click();
  await live(page);
  await page.getByText('Sharing ended').waitFor();
  tell();
  await history.getByText('ada@example.org ended the sharing').waitFor();
  await panel.getByRole('button', { name: 'Share', exact: true }).click();
  const modal = page.getByRole('dialog', { name: 'Share alert' });
  await modal.getByRole('textbox', { name: 'E-mail 1' }).fill('third@example.org');
  await modal.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Alert successfully shared.').waitFor();
  tell();
  await history.getByText('ada@example.org shared it with third@example.org').waitFor();
  t.same(await history.locator('.break').allInnerTexts(), [
    'ada@example.org shared it with third@example.org',
    'ada@example.org ended the sharing',
    'jonas@example.org shared it with auditor@example.org, second@example.org',
    'The alert was raised',
  ]);
});
