/** An event's row says what happened, and how the alert that it raised stands now. */
import { shownDateTime, type Alert, type EventType } from '@sentinel-node/contracts';
import { ok } from './mock-routes.ts';
import { consoleTest, live, until } from './support.ts';

consoleTest(
  '[S2.21] [S2.27] an alert in the events table has its type and its present state',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    await live(page);
    const rows = page.getByRole('table', { name: 'Events', exact: true }).locator('tbody tr');
    const row = rows.filter({ hasText: 'Hash breach' }).first();
    await row.getByText('Active', { exact: true }).waitFor();
    t.equal(await row.getAttribute('data-tone'), 'danger');
    const [raised] = mock.world.alerts;
    if (raised === undefined) throw new Error('no alert');
    const handled: Alert = {
      ...raised,
      status: 'RESOLVED',
      note: 'Planned',
      overrideUserEmail: 'a@example.org',
    };
    mock.send('alert', { ...handled, orgId: mock.world.orgId, rev: 5 });
    await row.getByText('Dismissed', { exact: true }).waitFor();
    t.equal(await row.getAttribute('data-tone'), null, 'not red for ever');
    await row.click();
    const panel = page.getByRole('dialog', { name: 'Hash breach' });
    await panel.getByText('Dismissed', { exact: true }).first().waitFor();
    await panel.getByText('The hashes of the previous version of the file do not match').waitFor();
    t.notMatch(await panel.innerText(), /HASH_BREACH/, 'in words');
  },
);

consoleTest(
  'the note of an event is words, times and settings, as the pages show them',
  async ({ mock, open }) => {
    const [first] = mock.world.events;
    if (first === undefined) throw new Error('no event');
    const expires = '2026-12-02T10:00:00.000Z';
    const weekly = { days: ['SAT', 'SUN'], from: '02:30', minutes: 90, timeZone: 'Europe/Vienna' };
    const cases: [EventType, unknown, string][] = [
      [
        'MODIFY_FILE',
        { changed: ['monitoringFrequency', 'name'], enabled: false },
        'Changed: monitoring frequency, name\nEnabled: no',
      ],
      [
        'MODIFY_WEBHOOK',
        { webhook: 'onDuty', changed: ['name from onCall to onDuty'] },
        'Webhook: onDuty\nChanged: name from onCall to onDuty',
      ],
      [
        'CREATE_SERVICE_TOKEN',
        { serviceToken: 'Night', role: 'REGULAR', readOnly: true, expires },
        `Service token: Night\nRole: Regular user\nRead only: yes\nExpires: ${shownDateTime(expires, 'UTC')}`,
      ],
      [
        'OPEN_MAINTENANCE',
        { maintenance: 'Patches', weekly },
        'Maintenance: Patches\nWeekly: Saturday, Sunday at 2:30 AM (Europe/Vienna) for 1 h 30 min',
      ],
    ];
    for (const [type, note, text] of cases) {
      mock.world.events.splice(0, Infinity, { ...first, type, note: JSON.stringify(note) });
      const page = await open('/dashboard', { timeZone: 'UTC' });
      await page.locator('.event-name').click();
      const shown = page.getByRole('dialog').locator('.preserve').first();
      await until(async () => (await shown.innerText()) === text, `${type}: ${text}`);
      await page.close();
    }
  },
);

consoleTest('a missing file is called that', async ({ mock, open }) => {
  const [raised] = mock.world.alerts;
  if (raised === undefined) throw new Error('no alert');
  mock.world.alerts.splice(0, Infinity, { ...raised, type: 'EMPTY' });
  const page = await open('/alerts-history');
  const table = page.getByRole('table', { name: 'Alerts' });
  await table.getByText('File missing', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('file missing');
  await until(() => page.url().includes('search=file+missing'), 'the search is in the address');
  await until(async () => (await table.locator('tbody tr').count()) === 1, 'it is found');
});

consoleTest('the panel of an event that no list has follows its alert', async ({ mock, open }) => {
  const raised = mock.world.alerts[0]!;
  const found = mock.world.events.find(({ alertId }) => alertId === raised.id)!;
  mock.overrides.set('GET /events/*', () => ok({ events: [], lastId: null }));
  const alert = { type: raised.type, status: raised.status };
  mock.overrides.set('GET /events/single/*/*/*', () => ok({ ...found, alert }));
  const page = await open(`/dashboard?event=${found.id}&in=${found.deviceId}`);
  const panel = page.getByRole('dialog', { name: 'Hash breach' });
  await panel.getByText('Active', { exact: true }).waitFor();
  await live(page);
  mock.send('alert', {
    ...{ ...raised, status: 'RESOLVED', note: 'Planned', overrideUserEmail: 'a@example.org' },
    ...{ orgId: mock.world.orgId, rev: 5 },
  });
  await panel.getByText('Dismissed', { exact: true }).waitFor();
});
