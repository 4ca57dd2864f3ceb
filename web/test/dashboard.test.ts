import { shownDateTime, type Alert } from '@sentinel-node/contracts';
import { alert, event } from './fixtures.ts';
import { dashboard } from './mock-routes.ts';
import {
  callsOnceQuiet,
  callsTo,
  consoleTest,
  framesAfter,
  live,
  pathOf,
  setTime,
  until,
} from './support.ts';
import type { Mock } from './mock-api.ts';

function raise(mock: Mock): Alert {
  const of = mock.world.devices[1];
  const target = of?.files[0];
  if (of === undefined || target === undefined) throw new Error('no file');
  const raised = alert(900, 'UNEXPECTED_CHANGE', of, target, Date.now());
  mock.world.alerts.unshift(raised);
  const { orgId } = mock.world;
  const { id: deviceId, name: deviceName } = of;
  const told = event(900, 'ALERT', Date.now(), {
    deviceId,
    deviceName,
    fileName: target.name,
    alertId: raised.id,
    note: JSON.stringify({ type: raised.type }),
  });
  mock.send('alert', { ...raised, orgId, rev: 1 });
  mock.send('event', { ...told, orgId, rev: 1 });
  const { health, performance, activeAlerts, devices, notMonitored } = dashboard(mock.world);
  const summary = { health, performance, activeAlerts, devices, notMonitored };
  mock.send('summary', { ...summary, id: orgId, orgId, rev: Date.now() });
  return raised;
}

consoleTest(
  '[S1.6] [S2.21] [S2.9] the dashboard has its cards, its events and the navigation',
  async ({ open }, t) => {
    const page = await open('/dashboard');
    for (const name of ['Health', 'Performance', 'Notifications', 'Events']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    const headers = page.getByRole('table', { name: 'Events', exact: true }).getByRole('columnheader');
    await headers.first().waitFor();
    t.same(await headers.allInnerTexts(), ['Event name', 'File', 'Device', 'Time']);
    await page.getByRole('banner').getByText('Sentinel Node', { exact: true }).waitFor();
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    t.same(await links.allInnerTexts(), ['Dashboard', 'Alerts', 'Devices', 'Users management']);
    const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    t.same(targets, ['/dashboard', '/alerts-history', '/devices', '/users']);
  },
);

consoleTest(
  '[S4.19] [S6.4] [S8.16] [S9.3] [S9.4] figures and notifications say what is wrong',
  async ({ open }, t) => {
    const page = await open('/dashboard');
    await page.getByRole('img', { name: 'Health 80%' }).waitFor();
    await page.getByRole('img', { name: 'Performance 71%' }).waitFor();
    await page.getByText('Needs attention').waitFor();
    t.equal(await page.getByRole('list', { name: 'Latest active alerts' }).getByRole('listitem').count(), 2);
    const notifications = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');
    t.same(await notifications.locator('.item-button').allInnerTexts(), [
      'Lost connection with the file pg_hba.conf',
      'Lost connection with the file firewall rules',
      'Stripe ID is not set',
      'Monitoring of the build-runner-7 device is disabled',
      'Monitoring of the runner.toml file is disabled',
    ]);
    await page.getByRole('region', { name: 'Notifications' }).getByText('5', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Stripe ID is not set' }).click();
    await page.waitForURL('**/users');
  },
);

consoleTest('[S6.8] the stripe notification of a regular user leads nowhere', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  const page = await open('/dashboard');
  await page.getByText('Stripe ID is not set').waitFor();
  t.equal(await page.getByRole('link', { name: 'Stripe ID is not set' }).count(), 0);
});

consoleTest('a new alert appears without a reload, once', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByRole('table', { name: 'Events', exact: true }).waitFor();
  await live(page);
  raise(mock);
  await page.getByRole('img', { name: 'Health 60%' }).waitFor();
  const notice = page.getByRole('alert').filter({ hasText: 'audit.log on ledger-db-01' });
  await notice.waitFor();
  t.equal(await notice.count(), 1);
  const first = page.getByRole('table', { name: 'Events', exact: true }).getByRole('row').nth(1);
  t.match(await first.innerText(), /audit\.log/);
  await notice.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL('**/alerts-history?*');
  await page.getByRole('dialog', { name: 'Unexpected change' }).waitFor();
});

consoleTest('counts of another process, whose clock is behind, are shown', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await live(page);
  const { orgId } = mock.world;
  const tell = (devicesWithActiveAlert: number, rev: number): void => {
    const { health, performance, activeAlerts, setAside, devices, notMonitored } = dashboard(mock.world);
    const percent = 100 - (100 * devicesWithActiveAlert) / health.devices;
    const summary = { performance, activeAlerts, setAside, devices, notMonitored };
    const told = { ...summary, health: { ...health, percent, devicesWithActiveAlert } };
    mock.send('summary', { ...told, id: orgId, orgId, rev });
  };
  const reads = callsTo(mock, 'GET', '/dashboard/').length;
  tell(2, Date.now());
  await page.getByRole('img', { name: 'Health 60%' }).waitFor();
  tell(3, Date.now() - 60_000);
  await page.getByRole('img', { name: 'Health 40%' }).waitFor();
  t.equal(callsTo(mock, 'GET', '/dashboard/').length, reads, 'from the frames');
});

consoleTest('a lost connection is shown, and what was missed comes after it', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await live(page);
  mock.streaming = false;
  mock.dropStreams();
  await page.getByText('Connection lost.').waitFor();
  mock.streaming = true;
  await live(page);
  await until(async () => (await page.getByText('Connection lost.').count()) === 0, 'the banner goes');
  const reads = callsTo(mock, 'GET', '/dashboard/').length;
  mock.send('resync', {});
  await until(() => callsTo(mock, 'GET', '/dashboard/').length > reads, 'a resync reads again');
  t.ok(callsTo(mock, 'GET', '/stream/').some((call) => call.headers['last-event-id'] === 'e-0'));
  t.ok(
    callsTo(mock, 'GET', '/stream/').every((call) => call.query.size === 0),
    'no token in an address',
  );
});

consoleTest('[S2.20] [S9.7] the summary bar appears after 318 pixels', async ({ open }, t) => {
  const page = await open('/dashboard', { height: 500 });
  await page.getByRole('table', { name: 'Events', exact: true }).waitFor();
  const bar = page.getByRole('region', { name: 'Summary' });
  await page.evaluate(() => window.scrollTo(0, 318));
  await until(() => page.evaluate(() => window.scrollY === 318), 'scrolled');
  await framesAfter(page);
  t.equal(await bar.count(), 0);
  await page.evaluate(() => window.scrollTo(0, 319));
  await bar.waitFor();
  t.match(await bar.innerText(), /Health\s+80%/);
});

consoleTest('[S2.24] events load more at the bottom', async ({ mock, open }, t) => {
  const page = await open('/dashboard', { height: 700 });
  const rows = page.getByRole('table', { name: 'Events', exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  const before = await rows.count();
  const more = () => callsTo(mock, 'GET', '/events/').filter((call) => call.query.has('lastId'));
  await page.evaluate(() => window.scrollTo(0, 1));
  await callsOnceQuiet(page, mock);
  t.equal(more().length, 0, 'not before the bottom');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await until(async () => (await rows.count()) > before, 'more rows');
  t.ok(more().length > 0);
});

consoleTest('[S2.25] events can be searched by name, file, device, date and time', async ({ open }, t) => {
  const page = await open('/dashboard');
  const rows = page.getByRole('table', { name: 'Events', exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = await rows.nth(3).locator('td').allInnerTexts();
  const shown = cells.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  const [date = '', time = ''] = shown[3]?.split(/(?<=\d{4}) /) ?? [];
  t.match(date, /^\w{3} \d+, \d{4}$/);
  t.match(time, /^\d+:\d\d:\d\d [AP]M$/);
  for (const text of [...shown, date, time, `${date}, ${time}`]) {
    const answered = page.waitForResponse(
      (response) => new URL(response.url()).searchParams.get('search') === text,
    );
    await page.getByRole('searchbox', { name: 'Search events' }).fill(text);
    await answered;
    await framesAfter(page);
    const wanted = text.replace(/(\d{4}),/, '$1');
    await until(async () => {
      const found = await rows.allInnerTexts();
      return found.length > 0 && found.every((row) => row.replaceAll(/\s+/g, ' ').includes(wanted));
    }, `rows with ${text}`);
  }
  await page.getByRole('searchbox', { name: 'Search events' }).fill('no such thing');
  await page.getByText('No event matches.').waitFor();
  t.equal(await rows.count(), 0);
});

consoleTest(
  '[S2.26] [S2.46] [S5.24] [S7.37] [S9.11] events are exported for a range of days',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export events' });
    await dialog.getByLabel('Date from').fill('');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText('Field cannot be empty').waitFor();
    await dialog.getByLabel('Date to').fill('');
    await dialog.getByText('Field cannot be empty').nth(1).waitFor();
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await until(async () => (await dialog.count()) === 0, 'Cancel closes');
    t.notOk(
      mock.calls.some((one) => one.query.has('toExport')),
      'nothing was exported',
    );
    await page.getByRole('button', { name: 'Export' }).click();
    await dialog.getByLabel('Date from').fill('2026-11-02');
    await dialog.getByLabel('Date to').fill('2026-11-03');
    await setTime(page, mock, new Date('2026-03-09T12:00:00'));
    // The dialog closes a moment after the file is saved; until then there are two buttons of its name.
    const closed = (): Promise<void> => dialog.waitFor({ state: 'detached' });
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    t.equal((await download).suggestedFilename(), 'Events_03_09_2026.csv', 'month, day, year');
    const call = mock.calls.find((one) => one.query.get('toExport') === 'true');
    const days = ['2026-11-02T00:00:00.000', '2026-11-03T23:59:59.999'];
    const ends = await page.evaluate((all) => all.map((day) => new Date(day).toISOString()), days);
    t.same([call?.query.get('timestampFrom'), call?.query.get('timestampTo')], ends, 'whole days');
    await closed();
    await page.getByRole('searchbox', { name: 'Search events' }).fill('file');
    const exported = async (onlyMatching: boolean): Promise<string | null | undefined> => {
      await page.getByRole('button', { name: 'Export' }).click();
      const only = dialog.getByRole('checkbox', { name: 'Only events that match the filter and the search' });
      await only.waitFor();
      t.equal(await only.isChecked(), false, 'all events of the range');
      if (onlyMatching) await only.check();
      const saved = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export' }).click();
      await saved;
      await closed();
      return mock.calls.findLast((one) => one.query.get('toExport') === 'true')?.query.get('search');
    };
    t.equal(await exported(false), null);
    t.equal(await exported(true), 'file', 'when a person chooses so');
  },
);

consoleTest('[S2.27] [S3.15] an event shows its facts, its note and its chain', async ({ mock, open }, t) => {
  const told = mock.world.events.find(({ type }) => type === 'AGENT_ERROR');
  if (told === undefined) throw new Error('an event');
  const { code, message } = JSON.parse(told.note) as { code: string; message: string };
  const page = await open('/dashboard', { timeZone: 'UTC' });
  await page.getByRole('link', { name: 'Agent error' }).first().click();
  const panel = page.getByRole('dialog', { name: 'Agent error' });
  const facts = {
    'Event type': 'Agent error',
    'Device name': told.deviceName,
    'File name': told.fileName,
    'Creation date': `${shownDateTime(told.timestamp, 'UTC')} UTC (1 hour ago)`,
  };
  t.same(await panel.locator('dt').allInnerTexts(), [...Object.keys(facts), 'Note']);
  t.same((await panel.locator('dd').allInnerTexts()).slice(0, -1), Object.values(facts));
  const note = panel.locator('dd').last();
  t.notMatch(await note.innerText(), 'reports the error once an hour');
  await note.getByRole('button', { name: 'Show More' }).click();
  t.equal(await note.locator('span').innerText(), `Code: ${code}\nMessage: ${message}`, 'parsed');
  await note.getByRole('button', { name: 'Show Less' }).click();
  await note.getByRole('button', { name: 'Show More' }).waitFor();
  t.notMatch(await note.innerText(), 'reports the error once an hour');
  await panel.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  const changed = mock.world.events.find(({ type }) => type === 'MODIFY_DEVICE');
  Object.assign(changed ?? {}, { note: '{"name": "as it is"}' });
  await page.reload();
  await page.getByRole('link', { name: 'Device changed' }).first().click();
  const plain = page.getByRole('dialog', { name: 'Device changed' }).locator('dd').last();
  t.equal(await plain.innerText(), '{"name": "as it is"}', 'the note of a changed device is not parsed');
});

consoleTest('[S8.17] [S2.22] an empty organisation is told what to do', async ({ mock, open }, t) => {
  Object.assign(mock.world, { events: [], devices: [], alerts: [] });
  const page = await open('/dashboard');
  await page.getByText('There are no events.').waitFor();
  await page.getByText('Events will appear after adding devices and files.').waitFor();
  await page.getByText('There are no added devices yet').waitFor();
  const health = page.getByRole('region', { name: 'Health', exact: true });
  await health.getByText('No data', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'See alert history' }).click();
  t.equal(pathOf(page), '/alerts-history');
});

consoleTest(
  '[S2.11] [S4.18] [S9.6] at 1100 pixels a hamburger opens the side navigation',
  async ({ open }, t) => {
    const page = await open('/dashboard', { width: 1100 });
    const side = page.getByRole('dialog', { name: 'Navigation' });
    await page.getByRole('button', { name: 'Open navigation' }).waitFor();
    t.equal(await side.count(), 0);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const links = await side
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
    t.same(links, [
      ['Dashboard', '/dashboard'],
      ['Alerts', '/alerts-history'],
      ['Devices', '/devices'],
      ['Users management', '/users'],
    ]);
    await page.mouse.click(1000, 500);
    await until(async () => (await side.count()) === 0, 'a click beside it closes it');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await side.getByRole('link', { name: 'Devices' }).click();
    await page.waitForURL('**/devices');
    await until(async () => (await side.count()) === 0, 'picking a link closes it');
    const wide = await open('/dashboard', { width: 1101 });
    await wide.getByRole('navigation', { name: 'Main' }).waitFor();
    t.equal(await wide.getByRole('button', { name: 'Open navigation' }).isVisible(), false);
  },
);
