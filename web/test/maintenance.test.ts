/** Maintenance windows in the console: made, ended, reviewed. */
import { uuid } from './fixtures.ts';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { problem } from './mock-routes.ts';
import { callsTo, consoleTest, pathOf, until } from './support.ts';

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
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There is no maintenance window yet.').waitFor();
  await page.goto(`${mock.url}/maintenance/${uuid(799)}`);
  await page.getByText('There is no such maintenance window.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Review' }).count(), 0);
});
