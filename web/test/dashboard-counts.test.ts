/** Figures of the dashboard: true ones, from the server, also when there are many. */
import type { Dashboard } from '@sentinel-node/contracts';
import type { Locator, Page } from 'playwright-core';
import { alert, event, uuid } from './fixtures.ts';
import { dashboard, daysOf, ok } from './mock-routes.ts';
import type { Mock } from './mock-api.ts';
import { callsOnceQuiet, callsTo, consoleTest, live, MID_HOUR, resize, until } from './support.ts';

/** What the server answers from now on. */
function answer(mock: Mock, change: (figures: Dashboard) => object): void {
  mock.overrides.set('GET /dashboard/*', () => {
    const figures = dashboard(mock.world);
    return ok({ ...figures, ...change(figures) });
  });
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

consoleTest(
  '[S4.19] [S9.3] one device in 201 with an active alert needs attention, whatever the rounding',
  async ({ mock, open }, t) => {
    answer(mock, () => ({ health: { percent: 100, devices: 201, devicesWithActiveAlert: 1 } }));
    const page = await open('/dashboard');
    const health = card(page, 'Health');
    await health.getByRole('img', { name: 'Health > 99%' }).waitFor();
    await health.getByText('Needs attention').waitFor();
    await health.getByText('1 of 201 devices with an active alert in the last 3 months').waitFor();
    await health.getByRole('list', { name: 'Latest active alerts' }).waitFor();
    t.equal(await health.getByText('Healthy').count(), 0);
  },
);

/** Share of a ring, in percent, that an arc of it takes. */
const shareOf = (arc: Locator): Promise<number> =>
  arc.evaluate((circle) => {
    if (!(circle instanceof SVGCircleElement)) throw new Error('an arc is a circle');
    return (100 * parseFloat(getComputedStyle(circle).strokeDasharray)) / circle.getTotalLength();
  });

consoleTest('[S9.3] the ring lacks as much as health does', async ({ mock, open }, t) => {
  const rings: [devices: number, alarmed: number, label: string, lack: number][] = [
    [25, 1, 'Health 96%', 4],
    [5, 4, 'Health 20%', 80],
    // So that it is seen, a lack is never shorter than this.
    [201, 1, 'Health > 99%', 2.5],
  ];
  for (const [devices, devicesWithActiveAlert, label, lack] of rings) {
    answer(mock, () => ({ health: { percent: Math.round(100 - lack), devices, devicesWithActiveAlert } }));
    const page = await open('/dashboard');
    const ring = card(page, 'Health').getByRole('img', { name: label });
    await ring.waitFor();
    const [lacks, well] = [
      await shareOf(ring.locator('.ring-lack')),
      await shareOf(ring.locator('.ring-well')),
    ];
    t.ok(Math.abs(lacks - lack) < 0.2, `${label}: ${lacks} of 100 are lacking`);
    t.ok(Math.abs(lacks + well - 100) < 0.2, `${label}: the rest, ${well} of 100, is well`);
  }
});

consoleTest(
  '[S4.19] health is good only where somebody looks: without a file in contact its share is grey',
  async ({ mock, open }, t) => {
    const well = { percent: 100, devices: 5, devicesWithActiveAlert: 0 };
    // Of five devices one is not monitored.
    const contact = (value: number | null, lost: number, waiting: number, active = 4) =>
      answer(mock, ({ performance }) => ({
        health: well,
        alerts: [],
        activeAlerts: 0,
        performance: {
          ...performance,
          performance: value,
          numberOfFilesWithoutContact: lost,
          numberOfFilesWaiting: waiting,
          numberOfDevicesActive: active,
        },
      }));
    const page = await open('/dashboard');
    await live(page);
    const health = card(page, 'Health');
    const green = (of = health) => of.locator('.tone-success, .ring:not(.ring-neutral)').count();
    for (const [value, lost, waiting] of [
      [null, 0, 0],
      [null, 0, 8],
      [0, 8, 0],
    ] as const) {
      contact(value, lost, waiting);
      mock.send('resync', {});
      await health.getByRole('img', { name: 'Health 100%' }).waitFor();
      await health.getByText('5 devices, none with an active alert in the last 3 months').waitFor();
      await health.getByText('No file is in contact, so no change would be seen').waitFor();
      t.equal(await green(), 0, 'nothing is green');
      await page.evaluate(() => window.scrollTo(0, 400));
      const bar = page.getByRole('region', { name: 'Summary' });
      await bar.waitFor();
      t.match(await bar.innerText(), /Health\s+100%, no contact/);
      await page.evaluate(() => window.scrollTo(0, 0));
      contact(50, 4, 0);
      mock.send('resync', {});
      await health.getByText('No active alert', { exact: true }).waitFor();
      t.equal(await health.getByText('Healthy').count(), 0, 'files without contact can hide a change');
      t.equal(await green(), 0, 'nor is the ring green');
    }
    contact(100, 0, 0);
    mock.send('resync', {});
    const performance = card(page, 'Performance');
    await health.getByText('Healthy').waitFor();
    await performance.getByText('All in contact', { exact: true }).waitFor();
    t.equal(await page.getByText('No signal from').count(), 0);
    t.equal(await green(), 2, 'badge and ring');
    t.equal(await green(performance), 2);
    await health.getByText(/^Not monitored: \d+ devices? and \d+ files?$/).waitFor();
    for (const [active, said] of [
      [3, 'No signal from 1 device'],
      [2, 'No signal from 2 devices'],
    ] as const) {
      contact(100, 0, 0, active);
      mock.send('resync', {});
      await performance.getByText(said, { exact: true }).waitFor();
      await performance.getByText('Not all in contact', { exact: true }).waitFor();
      await health.getByText(said, { exact: true }).waitFor();
      await health.getByText('No active alert', { exact: true }).waitFor();
      t.equal(await page.getByText(/^(Healthy|All in contact)$/).count(), 0, 'nothing is called well');
      t.equal((await green()) + (await green(performance)), 0, 'nothing is green');
    }
  },
);

consoleTest(
  'health is not green while reports of a file are not judged: an alert could be among them',
  async ({ mock, open }, t) => {
    const [first, second] = mock.world.devices;
    const [parked, other] = [first!.files[0]!, second!.files[0]!];
    const named = [
      { id: parked.id, name: parked.name, deviceId: first!.id, deviceName: first!.name },
      { id: other.id, name: other.name, deviceId: second!.id, deviceName: second!.name },
    ];
    const well = (figures: Dashboard) => ({
      health: { ...figures.health, percent: 100, devicesWithActiveAlert: 0 },
      alerts: [],
      activeAlerts: 0,
      stripeIdSet: true,
      devices: [],
      notMonitored: { devices: 0, files: 0 },
      performance: {
        ...figures.performance,
        performance: 100,
        numberOfFilesWithoutContact: 0,
        numberOfFilesWaiting: 0,
        numberOfDevicesActive: figures.performance.numberOfDevicesDefined,
        noContactFiles: [],
        noContactDevices: [],
      },
    });
    answer(mock, well);
    const page = await open('/dashboard');
    await live(page);
    const [health, notifications] = [card(page, 'Health'), card(page, 'Notifications')];
    const green = () => health.locator('.tone-success, .ring:not(.ring-neutral)').count();
    await health.getByText('Healthy', { exact: true }).waitFor();
    t.equal(await green(), 2, 'badge and ring');
    const reads = callsTo(mock, 'GET', '/dashboard/').length;
    let rev = Date.now();
    const tell = (notJudged: Dashboard['notJudged']): void => {
      const figures = { ...dashboard(mock.world), ...well(dashboard(mock.world)) };
      const { performance, activeAlerts, setAside, devices, notMonitored } = figures;
      const summary = { health: figures.health, performance, activeAlerts, setAside, devices, notMonitored };
      const { orgId } = mock.world;
      mock.send('summary', { ...summary, ...(notJudged && { notJudged }), id: orgId, orgId, rev: ++rev });
    };
    for (const [notJudged, sentence, rest, count] of [
      [
        { files: 1, atLeast: false, named: named.slice(0, 1) },
        '1 file is not judged, so an alert could be among its reports',
        null,
        '1',
      ],
      [
        { files: 2, atLeast: false, named },
        '2 files are not judged, so an alert could be among their reports',
        null,
        '2',
      ],
      [
        { files: 5, atLeast: false, named },
        '5 files are not judged, so an alert could be among their reports',
        'Reports of 3 more files are not judged',
        '5',
      ],
      [
        { files: 10_000, atLeast: true, named },
        'At least 10,000 files are not judged, so an alert could be among their reports',
        'Reports of at least 9,998 more files are not judged',
        '10,000',
      ],
      [
        { files: 0, atLeast: true, named: [] },
        'Some files may not be judged, so an alert could be among their reports',
        'Reports of some files may not be judged',
        '1',
      ],
    ] as const) {
      tell({ ...notJudged, named: [...notJudged.named] });
      await health.getByText(sentence, { exact: true }).waitFor();
      await health.getByText('Not all judged', { exact: true }).waitFor();
      t.equal(await green(), 0, 'nothing is green');
      t.equal(await health.getByText('Healthy').count(), 0);
      for (const { name } of notJudged.named)
        await notifications
          .getByRole('link', { name: `Reports of the file ${name} are not judged` })
          .waitFor();
      if (rest !== null) await notifications.getByRole('link', { name: rest }).waitFor();
      await notifications.getByText(count, { exact: true }).waitFor();
    }
    await page.evaluate(() => window.scrollTo(0, 400));
    const bar = page.getByRole('region', { name: 'Summary' });
    await bar.waitFor();
    t.match(await bar.innerText(), /Health\s+100%, not all judged/);
    await page.evaluate(() => window.scrollTo(0, 0));
    tell({ files: 1, atLeast: false, named: named.slice(0, 1) });
    await health.getByText('1 file is not judged').waitFor();
    tell(undefined);
    await health.getByText('Healthy', { exact: true }).waitFor();
    t.equal(await green(), 2, 'once it is judged');
    t.equal(callsTo(mock, 'GET', '/dashboard/').length, reads, 'all from the frames');
    tell({ files: 1, atLeast: false, named: named.slice(0, 1) });
    await notifications
      .getByRole('link', { name: `Reports of the file ${parked.name} are not judged` })
      .click();
    await page.waitForURL((url) => url.searchParams.get('file') === parked.id);
  },
);

consoleTest('[S9.3] an active alert older than three months is said', async ({ mock, open }, t) => {
  answer(mock, () => ({
    health: { percent: 100, devices: 5, devicesWithActiveAlert: 0 },
    activeAlerts: 2,
  }));
  const page = await open('/dashboard');
  const health = card(page, 'Health');
  await health.getByText('5 devices, none with an active alert in the last 3 months').waitFor();
  t.equal(await health.getByText('Healthy').count(), 0, 'not called healthy');
  t.equal(await health.locator('.ring:not(.ring-neutral)').count(), 0, 'the ring is not green');
  await health.getByRole('link', { name: '2 older active alerts' }).click();
  await page.waitForURL('**/alerts-history');
});

consoleTest(
  '[S8.16] [S9.4] two thousand files without contact are counted, grouped by device and paged',
  async ({ mock, open }, t) => {
    const files = (device: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        id: uuid(10_000 * device + n),
        name: `file ${device}-${n}`,
        deviceId: uuid(200 + device),
        deviceName: `rack ${device}`,
      }));
    const counts = [1_500, 400, ...Array.from({ length: 20 }, () => 1)];
    answer(mock, ({ performance }) => ({
      devices: [],
      notMonitored: { devices: 0, files: 0 },
      performance: {
        ...performance,
        performance: 0.4,
        numberOfFilesWithoutContact: 2_000,
        noContactDevices: counts.map((count, n) => ({ id: uuid(200 + n), name: `rack ${n}`, files: count })),
        noContactFiles: counts.flatMap((count, n) => files(n, Math.min(count, 10))),
      },
    }));
    const page = await open('/dashboard');
    await card(page, 'Performance').getByText('2,000 monitored files without contact').waitFor();
    await card(page, 'Performance').getByRole('img', { name: 'Performance < 1%' }).waitFor();
    const notifications = card(page, 'Notifications');
    await notifications.getByText('2,001', { exact: true }).waitFor();
    const items = notifications.getByRole('listitem');
    t.ok((await items.count()) < 30, 'a page is short');
    await notifications.getByText('Lost connection with the file file 0-0').waitFor();
    await notifications.getByText('Lost connection with 1,497 more files').click();
    await page.waitForURL(`**/device/${uuid(200)}`);
    await page.goBack();
    await notifications.getByText('1–10 of 24 groups').waitFor();
    await notifications.getByRole('button', { name: 'Next page' }).click();
    await notifications.getByText('Lost connection with the file file 10-0').waitFor();
    await notifications.getByRole('button', { name: 'Next page' }).click();
    await notifications.getByText('Lost connection with 80 files of other devices').waitFor();
  },
);

consoleTest(
  '[S8.16] what is off and is not named by the server is one line, and counts',
  async ({ mock, open }) => {
    const off = { id: uuid(300), name: 'rack off', enabled: false, status: 'ACTIVE' };
    answer(mock, ({ performance }) => ({
      devices: [{ ...off, files: [{ id: uuid(301), name: 'file off', enabled: false }] }],
      notMonitored: { devices: 290, files: 2 },
      stripeIdSet: true,
      performance: {
        ...performance,
        numberOfFilesWithoutContact: 0,
        noContactDevices: [],
        noContactFiles: [],
      },
    }));
    const page = await open('/dashboard');
    const notifications = card(page, 'Notifications');
    await notifications.getByText('292', { exact: true }).waitFor();
    await notifications.getByText('Monitoring of the rack off device is disabled').waitFor();
    await notifications.getByText('Monitoring of the file off file is disabled').waitFor();
    await notifications.getByText('Monitoring of 289 more devices and 1 more file is disabled').click();
    await page.waitForURL('**/devices');
  },
);

consoleTest(
  '[S4.19] files that wait for their first check are neither in contact nor lost',
  async ({ mock, open }, t) => {
    const none = {
      numberOfFilesWithoutContact: 0,
      numberOfFilesWaiting: 3,
      noContactFiles: [],
      noContactDevices: [],
    };
    answer(mock, ({ performance }) => ({ performance: { ...performance, ...none, performance: null } }));
    const page = await open('/dashboard');
    const performance = card(page, 'Performance');
    await performance.getByRole('img', { name: 'Performance: no data' }).waitFor();
    await performance.getByText('3 files wait for the first check').waitFor();
    await live(page);
    const active = dashboard(mock.world).performance.numberOfDevicesActive;
    t.match(
      await performance.locator('.figure-text').innerText(),
      new RegExp(
        `There are no connected devices\n${active} active devices?: monitoring is on, and no monitored file`,
      ),
      'why devices can be active, and none connected',
    );
    t.equal(await performance.getByText(/All in contact|checked in time/).count(), 0);
    const summary = { ...dashboard(mock.world), id: mock.world.orgId, orgId: mock.world.orgId, rev: 1 };
    const { events: _, alerts: __, activity: ___, contact: ____, ...others } = summary;
    const { stripeIdSet: _____, ...figures } = others;
    mock.send('summary', {
      ...figures,
      performance: { ...figures.performance, ...none, performance: 100, numberOfFilesWaiting: 1 },
    });
    await performance.getByText('Every file that was checked is checked in time').waitFor();
    await performance.getByText('1 file waits for the first check').waitFor();
    const sentences = await performance.locator('.figure-text').innerText();
    t.match(sentences, /checked in time\n1 file waits/, 'each in its line');
    t.equal(await performance.getByText('All in contact').count(), 0);
    t.equal(await performance.locator('.ring:not(.ring-neutral)').count(), 0, 'the ring is not green');
  },
);

consoleTest(
  'the activity of a day is what the server counted',
  async ({ mock, open }, t) => {
    answer(mock, ({ activity }) => ({
      activity: activity.map((hour, n) => ({
        ...hour,
        events: n === 20 ? 4_812 : 0,
        alerts: n === 20 ? 4_000 : 0,
      })),
    }));
    for (const width of [1440, 768, 390]) {
      const page = await open('/dashboard', { width });
      const activity = card(page, 'Activity');
      await activity.getByText('Last 24 hours: 4,812 events, 4,000 alerts').waitFor();
      const chart = activity.locator('.activity-chart').first();
      await chart.locator('.time-chart-counts').getByText('5,000').waitFor();
      const inside = await chart.evaluate((drawn) => {
        const outer = drawn.getBoundingClientRect();
        return [...drawn.querySelectorAll('.time-chart-counts span, .time-chart-tick')].every((label) => {
          const { left, right } = label.getBoundingClientRect();
          return left >= outer.left - 1 && right <= outer.right + 1;
        });
      });
      t.ok(inside, `the axes are whole at ${width}`);
      t.equal(await chart.locator('.time-chart-tick').count(), 6, 'a label every four hours');
      const bars = chart.locator('.time-chart-column').nth(20).locator('.time-chart-bar');
      const [alerts, others] = await bars.evaluateAll((drawn) => drawn.map((bar) => bar.clientHeight));
      const whole =
        (await chart.locator('.time-chart-columns').evaluate((drawn) => drawn.clientHeight)) / 5_000;
      t.ok(Math.abs((alerts ?? 0) - 4_000 * whole) <= 1, 'alerts in proportion to the axis');
      t.ok(Math.abs((others ?? 0) - 812 * whole) <= 1, 'the other events above them');
      await chart.locator('.time-chart-column').nth(20).hover();
      await chart.getByText('Alerts: 4,000').waitFor();
      await chart.getByText('Other events: 812').waitFor();
    }
  },
  { at: MID_HOUR },
);

consoleTest('the dashboard loads only what the build weighs', async ({ open }, t) => {
  const page = await open('/dashboard');
  await card(page, 'Activity').locator('.time-chart-tick').first().waitFor();
  const loaded = await page.evaluate(() => ({
    stated: [...document.querySelectorAll('script[src], link[rel=modulepreload]')].map((part) =>
      part.getAttribute(part.matches('script') ? 'src' : 'href'),
    ),
    scripts: performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js')),
  }));
  t.ok(loaded.scripts.length > 0);
  t.same(
    loaded.scripts.filter((path) => !loaded.stated.includes(path)),
    [],
    'no script beside those of index.html, whose sum budget.ts limits',
  );
});

consoleTest(
  'what the stream tells is put in place; an idle dashboard and device read nothing',
  async ({ mock, open }, t) => {
    const { world } = mock;
    const of = world.devices[0];
    const file = of?.files[0];
    if (of === undefined || file === undefined) throw new Error('a device with a file');
    const { orgId } = world;
    const { apiKey: _key, files, ...item } = of;
    const lastContact = new Date().toISOString();
    const beat = (rev: number) => {
      mock.send('device', { ...item, filesCount: files.length, lastContact, orgId, rev });
      mock.send('file', { ...file, lastContact, deviceId: of.id, orgId, rev });
    };
    for (const path of ['/dashboard', `/device/${of.id}`, '/devices', '/alerts-history']) {
      const page = await open(path);
      await page.locator('.table tbody tr').first().waitFor();
      // A page reads once more when its stream has begun: what happened before must not be missed.
      const before = await callsOnceQuiet(page, mock);
      for (let rev = 1; rev <= 5; rev++) beat(rev);
      mock.send('device', { ...item, filesCount: files.length, name: 'Renamed machine', orgId, rev: 9 });
      if (path !== '/dashboard' && path !== '/alerts-history')
        await page.getByText('Renamed machine').first().waitFor();
      mock.send('event', { ...event(800, 'ROLLING', Date.now()), fileName: 'marker', orgId, rev: 1 });
      if (path === '/dashboard') await page.getByText('marker').waitFor();
      // Longer than a page waits before it reads again.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
      t.same(
        mock.calls.slice(before).map((call) => `${call.method} ${call.path}`),
        [],
        path,
      );
      await page.context().close();
    }
  },
);

consoleTest(
  'the newest alerts and the hours follow what happens',
  async ({ mock, open }, t) => {
    const of = mock.world.devices[1];
    const file = of?.files[0];
    if (of === undefined || file === undefined) throw new Error('a device with a file');
    const page = await open('/dashboard');
    const latest = page.getByRole('list', { name: 'Latest active alerts' }).getByRole('listitem');
    await live(page);
    await latest.first().waitFor();
    const counted = await card(page, 'Activity').getByText('Last 24 hours').innerText();
    const [events = 0, alerts = 0] = counted.match(/\d+(?= (event|alert))/g)?.map(Number) ?? [];
    const { orgId } = mock.world;
    const raised = alert(901, 'ROLLED_FILE_CHANGED', of, file, MID_HOUR);
    const planned = { windowId: '019aa5f0-7c00-7a10-8000-000000000001', reason: 'Update', reviewed: false };
    mock.send('alert', { ...alert(902, 'HASH_BREACH', of, file, MID_HOUR), planned, orgId, rev: 1 });
    mock.send('alert', { ...raised, orgId, rev: 1 });
    // As a resumed stream repeats what the read has counted.
    for (const n of [0, 9, 20, 40]) mock.send('event', { ...mock.world.events[n], orgId });
    const told = event(901, 'ALERT', MID_HOUR, { alertId: raised.id });
    for (let n = 0; n < 2; n++) mock.send('event', { ...told, orgId, rev: 1 });
    await until(
      async () => /Rolled file changed/.test(await latest.first().innerText()),
      'the alert is first',
    );
    await card(page, 'Activity')
      .getByText(`Last 24 hours: ${events + 1} events, ${alerts + 1} alert`)
      .waitFor();
    t.equal(await latest.count(), 3);
    t.equal(await latest.getByText('Hash breach').count(), 1, 'a planned one is set aside');
    mock.send('alert', { ...alert(903, 'UNEXPECTED_CHANGE', of, file, MID_HOUR + 1), orgId, rev: 1 });
    const isFirst = async () => /Unexpected change/.test(await latest.first().innerText());
    await until(isFirst, 'a fourth is first');
    t.equal(await latest.count(), 3, 'of four, the three newest');
  },
  { at: MID_HOUR },
);

consoleTest(
  'the activity of days is read when it is wanted, and follows what happens',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    const activity = card(page, 'Activity');
    await activity.getByText('Last 24 hours').waitFor();
    t.notOk(mock.calls.some(({ path }) => path.includes('/activity')));
    await live(page);
    await activity.getByLabel('Time of the activity').selectOption('30 days');
    const counted = activity.getByText(/^Last 30 days: \d+ events/);
    const events = Number(/\d+(?= events)/.exec(await counted.innerText())?.[0]);
    t.equal(events, mock.world.events.length);
    await activity
      .getByText('22 of the newest 24 alerts handled, half of them within 1 hour 30 minutes')
      .waitFor();
    t.match(page.url(), /activity=30d/);
    // As a resumed stream repeats what the read has counted.
    for (const n of [0, 9, 20, 40]) mock.send('event', { ...mock.world.events[n], orgId: mock.world.orgId });
    const told = event(902, 'ROLLING', MID_HOUR, {});
    for (let n = 0; n < 2; n++) mock.send('event', { ...told, orgId: mock.world.orgId, rev: 1 });
    await activity.getByText(`Last 30 days: ${events + 1} events`).waitFor();
    await activity.getByLabel('Time of the activity').selectOption('7 days');
    await activity.getByText(/^Last 7 days: \d+ events/).waitFor();
    await activity.getByText('Activity as a table').click();
    t.ok((await activity.getByRole('rowheader').count()) > 0, 'the same as a table');
  },
  { at: MID_HOUR },
);

consoleTest(
  'an event that comes while the activity of days is read is counted once',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    const activity = card(page, 'Activity');
    await live(page);
    const between = event(903, 'ROLLING', MID_HOUR, {});
    mock.overrides.set('GET /dashboard/*/activity', (request) => {
      if (!mock.world.events.includes(between)) mock.world.events.unshift(between);
      return daysOf(mock.world, request);
    });
    const newest = page.waitForResponse(/\/events\/[^/]+\?limit=20$/);
    await page.route('**/activity?**', async (route) => {
      await newest;
      await route.continue();
    });
    await activity.getByLabel('Time of the activity').selectOption('30 days');
    const counted = mock.world.events.length + 1;
    await activity.getByText(`Last 30 days: ${counted} events`).waitFor();
    const alerts = mock.world.events.filter(({ type }) => type === 'ALERT').length;
    const { orgId } = mock.world;
    mock.send('event', { ...between, orgId, rev: 1 });
    mock.send('event', { ...event(904, 'ALERT', MID_HOUR, { alertId: uuid(905) }), orgId, rev: 1 });
    await activity.getByText(`events, ${alerts + 1} alerts`).waitFor();
    t.match(await activity.locator('.activity-sum').innerText(), `Last 30 days: ${counted + 1} events`);
  },
  { at: MID_HOUR },
);

consoleTest(
  'contact by hour: an hour without a look is not known, never good',
  async ({ mock, open }, t) => {
    answer(mock, ({ activity }) => ({
      contact: [
        { start: activity[21]!.start, inContact: 1_200, waiting: 3, lost: 40, looks: 4 },
        { start: activity[22]!.start, inContact: 1_243, waiting: 0, lost: 0, looks: 2 },
      ],
    }));
    for (const width of [1440, 390]) {
      const page = await open('/dashboard', { width });
      const activity = card(page, 'Activity');
      await activity
        .getByText('up to 40 files without contact, up to 3 files waiting, 22 of 24 hours not known')
        .waitFor();
      for (const word of ['Alerts', 'Other events', 'Without contact', 'Waiting', 'In contact', 'Not known'])
        await activity.locator('.chart-key').getByText(word, { exact: true }).waitFor();
      const table = activity.getByRole('table', { name: /^Contact of monitored files/ });
      t.equal(await table.count(), 0, 'the table is closed at first');
      await activity.getByText('Contact as a table').click();
      const rows = (await table.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(1));
      t.same(rows.slice(20), [
        ['Not known'],
        ['1,200', '3', '40', '4'],
        ['1,243', '0', '0', '2'],
        ['Not known'],
      ]);
      t.equal(rows.length, 24);
      const chart = activity.locator('.activity-chart').nth(1);
      t.equal(await chart.locator('.time-chart-tick').count(), 6, 'a label every four hours');
      const unknown = await chart
        .locator('.time-chart-bar[data-colour="unknown"]')
        .evaluateAll((bars) => bars.filter((bar) => bar.clientHeight > 0).length);
      t.equal(unknown, 22, 'hatched where the server did not look');
      await page.close();
    }
  },
  { at: MID_HOUR },
);

consoleTest('contact by hour: nothing is drawn before the first look', async ({ mock, open }, t) => {
  answer(mock, () => ({ contact: [] }));
  const page = await open('/dashboard');
  const activity = card(page, 'Activity');
  await activity.getByText('not known yet').waitFor();
  await activity.getByText('The server looks four times an hour').waitFor();
  t.equal(await activity.getByText(/all in contact/).count(), 0);
  t.equal(await activity.getByRole('cell', { name: 'Not known' }).count(), 0);
});

consoleTest('contact of days is read with their activity', async ({ mock, open }, t) => {
  const page = await open('/dashboard?activity=7d');
  const activity = card(page, 'Activity');
  await activity
    .getByText(/up to 2 files without contact, up to 1 file waiting, 4 of \d+ times not known/)
    .waitFor();
  await page.goto(`${new URL(page.url()).origin}/dashboard?activity=30d`);
  await activity.getByText(/4 of 30 days not known/).waitFor();
  t.ok(mock.calls.some(({ path }) => path.includes('/activity')));
});

consoleTest(
  'what is lost stands before what somebody switched off, most files first',
  async ({ mock, open }, t) => {
    answer(mock, ({ performance }) => ({
      performance: {
        ...performance,
        numberOfFilesWithoutContact: 42,
        noContactFiles: [],
        noContactDevices: [
          { id: uuid(103), name: 'edge-gw-02', files: 2 },
          { id: uuid(102), name: 'ledger-db-01', files: 40 },
        ],
      },
    }));
    const page = await open('/dashboard');
    const items = card(page, 'Notifications').getByRole('listitem');
    await items.first().waitFor();
    t.same(await items.locator('.item-button').allInnerTexts(), [
      'Lost connection with 40 files',
      'Lost connection with 2 files',
      'Stripe ID is not set',
      'Monitoring of the build-runner-7 device is disabled',
      'Monitoring of the runner.toml file is disabled',
    ]);
  },
);

consoleTest('whose files are lost is said to the eye and to a screen reader', async ({ mock, open }, t) => {
  answer(mock, ({ performance }) => ({
    performance: {
      ...performance,
      numberOfFilesWithoutContact: 3,
      noContactFiles: ['sshd_config', 'hosts'].map((name, n) => ({
        ...{ id: uuid(10_000 + n), name },
        ...{ deviceId: uuid(102), deviceName: 'ledger-db-01' },
      })),
      noContactDevices: [
        { id: uuid(102), name: 'ledger-db-01', files: 2 },
        { id: uuid(103), name: 'edge-gw-02', files: 1 },
      ],
    },
  }));
  const page = await open('/dashboard');
  const items = card(page, 'Notifications').getByRole('listitem');
  await items.first().waitFor();
  t.same(
    (await items.allInnerTexts()).slice(0, 3).map((text) => text.split('\n').filter(Boolean)),
    [
      ['ledger-db-01', 'Lost connection with the file sshd_config'],
      ['Lost connection with the file hosts'],
      ['edge-gw-02', 'Lost connection with 1 file'],
    ],
  );
  for (const name of ['ledger-db-01', 'edge-gw-02'])
    t.ok(await items.getByText(name, { exact: true }).isVisible(), `${name} is shown`);
  const links = card(page, 'Notifications').getByRole('link');
  const described = await links.evaluateAll((all) =>
    all.map((link) => document.getElementById(link.getAttribute('aria-describedby') ?? '')?.textContent),
  );
  t.same(described.slice(0, 3), ['ledger-db-01', 'ledger-db-01', 'edge-gw-02'], 'each link says its device');
});

consoleTest(
  '[S9.3] many notifications have the room of their card, and do not stretch the cards',
  async ({ mock, open }, t) => {
    const noContactFiles = Array.from({ length: 30 }, (_, n) => ({
      id: uuid(400 + n),
      name: `file ${n}`,
      deviceId: uuid(300),
      deviceName: 'rack',
    }));
    answer(mock, ({ performance }) => ({
      performance: {
        ...performance,
        numberOfFilesWithoutContact: 30,
        noContactDevices: [{ id: uuid(300), name: 'rack', files: 30 }],
        noContactFiles,
      },
    }));
    const page = await open('/dashboard');
    const list = card(page, 'Notifications').getByRole('list', { name: 'Notifications' });
    await list.waitFor();
    const below = () =>
      list.evaluate((element) => {
        const of = (one: Element | null | undefined) => one?.getBoundingClientRect().bottom ?? 0;
        const [health] = element.closest('.cards')?.children ?? [];
        const { lastElementChild } = health ?? { lastElementChild: null };
        return {
          beneath: of(element.closest('.card')) - of(element),
          longer: of(element) - of(lastElementChild),
        };
      });
    const { beneath, longer } = await below();
    t.ok(beneath < 30, `${beneath} pixels beneath the list are the padding of the card`);
    t.ok(longer < 30, `${longer} pixels more than the longest other card`);
    await resize(page, 390, 800);
    const height = await list.evaluate(({ clientHeight }) => clientHeight);
    t.ok(height > 150 && height < 260, `on a phone ${height} pixels`);
  },
);
