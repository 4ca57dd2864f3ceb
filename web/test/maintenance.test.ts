/** Maintenance windows in the console: made, ended, reviewed. */
import { hash, uuid } from './fixtures.ts';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { manyAlerts } from './many-alerts.ts';
import type { Mock } from './mock-api.ts';
import { ok, problem, routes, type MockRequest } from './mock-routes.ts';
import {
  callsOnceQuiet,
  callsTo,
  consoleTest,
  holdAnswers,
  live,
  loseAnswers,
  pathOf,
  until,
} from './support.ts';

/** The window that is over, with so many active alerts. */
function endedWindow(mock: Mock, alerts: number): void {
  manyAlerts(mock, alerts);
  const planned = { windowId: uuid(702), reason: 'New release of the application', reviewed: false };
  for (const one of mock.world.alerts.slice(0, alerts)) Object.assign(one, { planned });
}

consoleTest(
  'alerts without content are in no group, and a window with such alerts has not gone by without one',
  async ({ mock, open }, t) => {
    const window = mock.world.windows[0];
    const [missing, changed] = mock.world.alerts;
    if (window === undefined || missing === undefined) throw new Error('a window and an alert');
    Object.assign(missing, { contentHash: undefined });
    Object.assign(changed ?? {}, { contentHash: hash('changed') });
    Object.assign(missing, { planned: { windowId: window.id, reason: window.reason, reviewed: false } });
    const page = await open(`/maintenance/${window.id}`);
    const changes = page.getByRole('region', { name: 'The same change on many devices' });
    const without = 'Alerts without content, as of a missing file, are in no group.';
    await changes.getByText('No alert with content was raised in it so far.').waitFor();
    await changes.getByText(without).waitFor();
    t.equal(await page.getByText('No alert was raised in it so far.').count(), 0);
    await page.goto(`${mock.url}/alerts-history?group=CHANGE&window=${window.id}`);
    await page.getByText('No alert with content matches.').waitFor();
    await page.getByText(without).waitFor();
    await page.goto(`${mock.url}/alerts-history?group=CHANGE`);
    await page.getByRole('table', { name: 'Groups of alerts' }).waitFor();
    await page.getByText(without).waitFor();
    await page.goto(`${mock.url}/alerts-history?group=DEVICE`);
    await page.getByRole('table', { name: 'Groups of alerts' }).waitFor();
    t.equal(await page.getByText(without).count(), 0, 'by device they are in groups');
  },
);

consoleTest('a window is made, for some hours or each week', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Maintenance, 1 to review' }).click();
  await page.getByRole('status').getByText('1 window to be reviewed').waitFor();
  const table = page.getByRole('table', { name: 'Maintenance windows' });
  await table.getByText('Saturday, Sunday at 2:30 AM (Europe/Vienna) for 1 h 30 min').waitFor();
  await page.getByRole('link', { name: 'Make a window' }).click();
  const make = page.getByRole('button', { name: 'Make the window' });
  await make.click();
  await page.getByText('Reason is required').waitFor();
  await page.getByText('Choose at least one device').waitFor();
  t.equal(callsTo(mock, 'POST', '/maintenance').length, 0);
  await page.getByLabel('Reason').fill('Kernel update');
  await page.getByRole('combobox', { name: 'Add a device' }).click();
  await page.getByRole('option', { name: 'ledger-db-01' }).click();
  await page.getByRole('button', { name: 'Leave out ledger-db-01' }).waitFor();
  mock.overrides.set('POST /maintenance/*', () => problem('LIMIT_REACHED', 'At most 100 windows.'));
  await make.click();
  await page.getByText('At most 100 windows.').waitFor();
  mock.overrides.clear();
  await make.click();
  await until(async () => pathOf(page) === '/maintenance', 'back at the list');
  const [, sent] = callsTo(mock, 'POST', '/maintenance');
  matchWhole(t, sent?.body, { reason: 'Kernel update', scope: { deviceIds: [uuid(102)] }, end: String });
  t.notOk('start' in (sent?.body ?? {}), 'from now on');

  const weekly = await open('/define-maintenance');
  await weekly.getByLabel('Reason').fill('Patches');
  await weekly.getByLabel('When').selectOption('WEEKLY');
  await weekly.getByLabel('Covers').selectOption('LABELS');
  await weekly.getByLabel('Labels').fill('site:graz');
  await weekly.getByRole('button', { name: 'Make the window' }).click();
  await weekly.getByText('Choose at least one day').waitFor();
  await weekly.getByLabel('Sunday').check();
  await weekly.getByLabel('Saturday').check();
  await weekly.getByLabel('From').fill('02:30');
  await weekly.getByLabel('Until').fill('2099-01-01T10:00');
  await weekly.getByRole('button', { name: 'Make the window' }).click();
  await until(async () => callsTo(mock, 'POST', '/maintenance').length === 3, 'it is sent');
  matchWhole(t, callsTo(mock, 'POST', '/maintenance')[2]?.body, {
    scope: { labels: ['site:graz'] },
    weekly: { days: ['SAT', 'SUN'], from: '02:30', minutes: 120, timeZone: String },
  });
});

consoleTest('a window that is over is reviewed with one note for all', async ({ mock, open }, t) => {
  const window = { windowId: uuid(702), reason: 'New release of the application', reviewed: false };
  const [one, other] = mock.world.alerts;
  for (const alert of [one, other]) Object.assign(alert ?? {}, { planned: window });
  const page = await open('/maintenance');
  await page.getByRole('link', { name: 'New release of the application' }).click();
  await page.getByRole('region', { name: 'The window' }).getByText('2 alerts').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  const modal = page.getByRole('dialog', { name: 'Review of New release of the application' });
  await modal.getByRole('button', { name: 'Submit' }).click();
  await modal.getByText('Note required').waitFor();
  await modal.getByRole('textbox', { name: 'Note' }).fill('All of it was the release.');
  t.ok(await modal.getByLabel('Dismiss its 2 active alerts with this note').isChecked());
  await modal.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Reviewed by').waitFor();
  const [dismissed] = callsTo(mock, 'PUT', '/alerts/turnoff');
  t.match(dismissed?.body, { note: 'All of it was the release.', status: 'RESOLVED' });
  t.same(dismissed?.body['ids'], [one?.id, other?.id]);
  t.match(callsTo(mock, 'PUT', '/maintenance/review')[0]?.body, { note: 'All of it was the release.' });
});

consoleTest('an open window is ended, and its alerts lead to it', async ({ mock, open }, t) => {
  const planned = { windowId: uuid(701), reason: 'Update of the ledger', reviewed: false };
  Object.assign(mock.world.alerts[0] ?? {}, { planned });
  const page = await open('/alerts-history?planned=yes');
  const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
  await until(async () => (await rows.count()) === 1, 'the planned one');
  await rows.first().getByText('Planned').waitFor();
  await rows.first().getByRole('link').click();
  await page.getByRole('link', { name: 'Update of the ledger' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  const modal = page.getByRole('dialog', { name: 'Change of Update of the ledger' });
  await modal.getByLabel('End').fill('');
  await modal.getByRole('button', { name: 'Save changes' }).click();
  await modal.getByText('End is required').waitFor();
  await modal.getByLabel('End').fill('2099-01-01T10:00');
  await modal.getByLabel('Reason').fill('Longer update');
  await modal.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Longer update' }).waitFor();
  const [sent] = callsTo(mock, 'PUT', '/maintenance');
  matchWhole(t, sent?.body, { reason: 'Longer update', scope: { deviceIds: [uuid(101)] }, end: /^2099-/ });
  t.notOk('start' in (sent?.body ?? {}), 'it has begun');
  await page.getByRole('button', { name: 'End now' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('button', { name: 'Review' }).waitFor();
  t.equal(callsTo(mock, 'DELETE', '/maintenance').length, 1);
});

consoleTest('windows: nothing there, nothing to be had, none such', async ({ mock, open }, t) => {
  mock.world.windows = [];
  const page = await open('/maintenance');
  await page.getByText('There is no maintenance window yet.').waitFor();
  mock.overrides.set('GET /maintenance/*', () => problem('UNAVAILABLE'));
  await page.reload();
  await page.getByText('Maintenance windows cannot be shown').waitFor();
  await callsOnceQuiet(page, mock);
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There is no maintenance window yet.').waitFor();
  await page.goto(`${mock.url}/maintenance/${uuid(799)}`);
  await page.getByText('There is no such maintenance window.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Review' }).count(), 0);
});

consoleTest('a review that is stopped dismisses nothing more, and is not sent', async ({ mock, open }, t) => {
  endedWindow(mock, 58);
  const page = await open(`/maintenance/${uuid(702)}`);
  await page.getByRole('region', { name: 'The window' }).getByText('58 alerts').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  const modal = page.getByRole('dialog', { name: 'Review of New release of the application' });
  const note = modal.getByRole('textbox', { name: 'Note' });
  await note.fill('All of it was the release.');
  const release = await holdAnswers(page, '**/api/v1/alerts/turnoff/**');
  const sent = page.waitForRequest('**/api/v1/alerts/turnoff/**');
  await modal.getByRole('button', { name: 'Submit' }).click();
  await modal.getByRole('button', { name: 'Stop' }).waitFor();
  await sent;
  await page.keyboard.press('Escape');
  await modal.getByRole('button', { name: 'Cancel' }).waitFor();
  release();
  await modal.getByText('The window is not reviewed.').waitFor();
  await modal.getByText('It was stopped. Alerts that are dismissed already stay dismissed.').waitFor();
  await modal.getByText('25 of 58 alerts dismissed').waitFor();
  t.equal(callsTo(mock, 'PUT', '/alerts/turnoff').length, 1, 'the rest is not sent');
  t.equal(callsTo(mock, 'PUT', '/maintenance/review').length, 0);
  t.equal(await note.inputValue(), 'All of it was the release.');
  await modal.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Reviewed by').waitFor();
  t.equal(mock.world.alerts.filter(({ planned, status }) => planned && status === 'ACTIVE').length, 0);
  t.equal(callsTo(mock, 'PUT', '/maintenance/review').length, 1);
});

consoleTest('a review says for how many alerts it is not known what came of it', async ({ mock, open }) => {
  endedWindow(mock, 30);
  const page = await open(`/maintenance/${uuid(702)}`);
  await page.getByRole('region', { name: 'The window' }).getByText('30 alerts').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  const modal = page.getByRole('dialog', { name: 'Review of New release of the application' });
  await modal.getByLabel('Note', { exact: true }).fill('As planned');
  await loseAnswers(page, '**/api/v1/alerts/turnoff/**');
  await modal.getByRole('button', { name: 'Submit' }).click();
  const refusal = modal.getByRole('alert').filter({ hasText: 'The window is not reviewed.' });
  await refusal
    .getByText(
      'It is not known for 25 alerts whether the dismissal worked. 5 alerts could not be dismissed. The server cannot be reached. Check your connection.',
    )
    .waitFor();
});

consoleTest('an alert that is handled meanwhile holds up no review', async ({ mock, open }) => {
  endedWindow(mock, 3);
  const page = await open(`/maintenance/${uuid(702)}`);
  await page.getByRole('region', { name: 'The window' }).getByText('3 alerts').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  mock.overrides.set('PUT /alerts/turnoff/*', (request) => {
    Object.assign(
      mock.world.alerts.find(({ planned }) => planned)!,
      { status: 'RESOLVED' },
    );
    return routes['PUT /alerts/turnoff/*']!(mock.world, request, []);
  });
  await page.getByRole('textbox', { name: 'Note' }).fill('All of it was the release.');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Reviewed by').waitFor();
});

consoleTest('a review whose page is left goes no further', async ({ mock, open }, t) => {
  endedWindow(mock, 58);
  const page = await open('/maintenance');
  await page.getByRole('link', { name: 'New release of the application' }).click();
  await page.getByRole('region', { name: 'The window' }).getByText('58 alerts').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  const modal = page.getByRole('dialog', { name: 'Review of New release of the application' });
  await modal.getByRole('textbox', { name: 'Note' }).fill('All of it was the release.');
  const release = await holdAnswers(page, '**/api/v1/alerts/turnoff/**');
  const answered = page.waitForResponse('**/api/v1/alerts/turnoff/**');
  const sent = page.waitForRequest('**/api/v1/alerts/turnoff/**');
  await modal.getByRole('button', { name: 'Submit' }).click();
  await sent;
  await page.goBack();
  const row = page.getByRole('row').filter({ hasText: 'New release of the application' });
  await row.getByText('58 alerts').waitFor();
  release();
  await answered;
  await live(page);
  mock.send('resync', {});
  await row.getByText('33 alerts').waitFor();
  t.equal(callsTo(mock, 'PUT', '/alerts/turnoff').length, 1);
  t.equal(callsTo(mock, 'PUT', '/maintenance/review').length, 0);
});

consoleTest('alerts that cannot be counted are not “0 alerts”', async ({ mock, open }, t) => {
  endedWindow(mock, 3);
  mock.overrides.set('GET /alerts/counts/*', () => problem('LIMIT_REACHED'));
  const page = await open(`/maintenance/${uuid(702)}`);
  const facts = page.getByRole('region', { name: 'The window' });
  await facts.getByText('Not known').waitFor();
  t.equal(await facts.getByText('0 alerts').count(), 0);
  await page.getByRole('button', { name: 'Review' }).click();
  const dismiss = page.getByLabel('Dismiss its active alerts with this note; their number is not known');
  t.notOk(await dismiss.isChecked());
  await dismiss.check();
  await page.getByRole('textbox', { name: 'Note' }).fill('All of it was the release.');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Reviewed by').waitFor();
  const [dismissed] = callsTo(mock, 'PUT', '/alerts/turnoff');
  t.equal((dismissed?.body['ids'] as string[] | undefined)?.length, 3);
});

consoleTest('a window that is not among the counted ones has no number', async ({ mock, open }, t) => {
  endedWindow(mock, 3);
  const counted = Array.from({ length: 100 }, (_, n) => ({ value: uuid(3_000 + n), name: 'a', alerts: 900 }));
  mock.overrides.set('GET /alerts/counts/*', (request: MockRequest) => {
    const { body } = routes['GET /alerts/counts/*']!(mock.world, request, []);
    return ok({ ...(body as object), window: counted });
  });
  const page = await open('/maintenance');
  const row = page.getByRole('row').filter({ hasText: 'New release of the application' });
  await row.getByText('–', { exact: true }).waitFor();
  t.equal(await row.getByText('0 alerts').count(), 0);
  await row.getByRole('link').click();
  await page.getByRole('region', { name: 'The window' }).getByText('3 alerts').waitFor();
});

consoleTest(
  'a device whose name is not known, or that is new, is not called deleted',
  async ({ mock, open }, t) => {
    const [of] = mock.world.windows;
    Object.assign(of!, { scope: { deviceIds: [uuid(101), uuid(998)] } });
    mock.overrides.set('GET /devices/*', () => problem('UNAVAILABLE'));
    const page = await open(`/maintenance/${of!.id}`);
    const facts = page.getByRole('region', { name: 'The window' });
    await facts.getByText('2 devices', { exact: true }).waitFor();
    t.equal(await facts.getByText('deleted').count(), 0);
    mock.overrides.clear();
    await facts.getByText(/a deleted device/).waitFor();
    await live(page);
    const { apiKey: _key, files: _files, ...device } = mock.world.devices[0]!;
    mock.send('device', {
      ...device,
      id: uuid(998),
      name: 'newcomer',
      filesCount: 0,
      orgId: mock.world.orgId,
      rev: 1,
    });
    await facts.getByText(/newcomer/).waitFor();
    t.equal(await facts.getByText(/a deleted device/).count(), 0);
  },
);

consoleTest('windows to review that could not be read are not called none', async ({ mock, open }) => {
  mock.overrides.set('GET /maintenance/*', () => problem('FORBIDDEN'));
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Maintenance, not known what to review' }).waitFor();
});
