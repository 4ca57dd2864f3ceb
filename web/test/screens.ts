/** Every screen and state of the console, as the mock API shows it. */
import type { ViewsState } from '@sentinel-node/contracts';
import type { Page } from 'playwright-core';
import { live } from './browser.ts';
import { hash, timeId, uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { dashboard, invalid, ok, problem } from './mock-routes.ts';

export interface Screen {
  name: string;
  path: (mock: Mock) => string;
  /** Before the page is opened. */
  world?: (mock: Mock) => void;
  /** What stands on the page before anything is done. */
  ready?: string;
  act?: (page: Page, mock: Mock) => Promise<void>;
  /** What is waited for before the picture. */
  shown?: string;
  signedIn?: boolean;
  /** The whole page, not only what is in view. */
  whole?: boolean;
  /** Another picture of the screen before it: axe, which reads the whole page each time, finds the same. */
  again?: boolean;
  print?: boolean;
  /** Only a narrow window has it. */
  narrow?: boolean;
}

type Part = Omit<Screen, 'name' | 'path'>;
const at = (name: string, path: string, part: Part = {}): Screen => ({ name, path: () => path, ...part });

const device = `/device/${uuid(101)}`;
const CHAIN = '.chain-link';
const click =
  (...selectors: string[]) =>
  async (page: Page): Promise<void> => {
    for (const selector of selectors) await page.locator(selector).first().click();
  };
const press =
  (...keys: string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
const noOrganization = (mock: Mock): void => {
  mock.session = { ...mock.session, orgId: null, userRole: null };
};
const regular = (mock: Mock): void => {
  mock.session = { ...mock.session, userRole: 'REGULAR' };
};
/** The active alerts are of a window that is over. */
const planned = ({ world }: Mock): void => {
  const window = { windowId: uuid(702), reason: 'New release of the application', reviewed: false };
  for (const one of world.alerts.slice(0, 2))
    Object.assign(one, { planned: window, contentHash: hash('release') });
  const expected = { listId: uuid(801), reason: 'Release 4.2 of the shop' };
  Object.assign(world.alerts[1] ?? {}, { expected });
};
const leftOut = ({ world }: Mock): void => {
  const [since, last] = [world.now - 600_000, world.now].map((at) => new Date(at).toISOString());
  Object.assign(world.webhooks[0] ?? {}, { waiting: 50_000, leftOut: { notices: 1_234, since, last } });
};
const shared = ({ world }: Mock): void => {
  const sharedData = [{ emailAddress: 'auditor@example.org', timestamp: new Date(world.now).toISOString() }];
  const shareExpiresAt = new Date(world.now + 30 * 86_400_000).toISOString();
  for (const one of world.alerts) Object.assign(one, { shared: true, sharedData, shareExpiresAt });
};
const empty = ({ world }: Mock): void => {
  world.devices.length = 0;
  world.alerts.length = 0;
  world.events.length = 0;
};
const answering =
  (code: 'NOT_FOUND' | 'UNAVAILABLE') =>
  (...routes: string[]) =>
  ({ overrides }: Mock): void => {
    for (const route of routes) overrides.set(route, () => problem(code));
  };
const failing = answering('NOT_FOUND');
const unavailable = answering('UNAVAILABLE');
/** The longest figure of a ring. */
const nearlyWell = ({ overrides, world }: Mock): void => {
  const { health, ...rest } = dashboard(world);
  const ofMany = { ...health, devices: 1_000, devicesWithActiveAlert: 1 };
  overrides.set('GET /dashboard/*', () => ok({ ...rest, health: ofMany }));
};
/** Devices without an alert, of whose files none was ever looked at. */
const unlooked = ({ overrides, world }: Mock): void => {
  const { health, performance, ...rest } = dashboard(world);
  const none = { performance: null, numberOfFilesWithoutContact: 0, numberOfFilesWaiting: 8 };
  overrides.set('GET /dashboard/*', () =>
    ok({
      ...rest,
      alerts: [],
      activeAlerts: 0,
      health: { ...health, percent: 100, devicesWithActiveAlert: 0 },
      performance: { ...performance, ...none, noContactDevices: [], noContactFiles: [] },
    }),
  );
};
/** All is well, but for what `world` says of the files. @param silent devices without a signal */
const wellBut = ({ overrides, world }: Mock, silent: number): void => {
  const { health, performance, ...rest } = dashboard(world);
  const active = performance.numberOfDevicesDefined - rest.notMonitored.devices - silent;
  const well = { performance: 100, numberOfFilesWithoutContact: 0, numberOfDevicesActive: active };
  overrides.set('GET /dashboard/*', () =>
    ok({
      ...rest,
      alerts: [],
      activeAlerts: 0,
      health: { ...health, percent: 100, devicesWithActiveAlert: 0 },
      performance: { ...performance, ...well, noContactDevices: [], noContactFiles: [] },
    }),
  );
};
/** A device without monitored files gives no signal. */
const silent = (mock: Mock): void => wellBut(mock, 1);
/** A record of two files could not be judged. */
const notJudged = (mock: Mock): void => {
  for (const { files } of mock.world.devices.slice(0, 2))
    Object.assign(files[0] ?? {}, { parked: { since: null, cause: null, waiting: 3 } });
  wellBut(mock, 0);
};
/** @param by age of the views in ms; null: not known */
const behind =
  (state: ViewsState, by: number | null) =>
  (mock: Mock): void => {
    mock.views = { state, asOf: by === null ? null : new Date(mock.world.now - by).toISOString() };
  };
/** A device that was never in contact; a file of it has lines that wait for their place. */
const noContact = ({ world }: Mock): void => {
  const [, other] = world.devices;
  Object.assign(other ?? {}, { lastContact: null });
  Object.assign(other?.files[0] ?? {}, { parked: { since: null, cause: null, waiting: 1 } });
};
const longNames = ({ world }: Mock): void => {
  const name = `Zahlungsverkehrsüberwachungsserver-${'x'.repeat(60)} שרת מספר 7 🚀`;
  for (const one of world.devices.slice(0, 2)) Object.assign(one, { name, description: name });
  for (const one of world.alerts.slice(0, 2)) Object.assign(one, { fileName: name, deviceName: name });
  for (const one of world.events.slice(0, 2)) Object.assign(one, { fileName: name, deviceName: name });
};

async function createOrganization(page: Page): Promise<void> {
  await page.getByLabel('Organization name').fill('Northlight');
  await page.locator('button[type=submit]').click();
}

const signingIn: Screen[] = [
  at('login', '/login', { signedIn: false }),
  at('login-error', '/login/error', { signedIn: false }),
  at('login-display', '/login', { signedIn: false, act: click('[aria-label=Display]') }),
  at('login-session-ended', '/add-device', {
    ready: 'form',
    act: async (page, mock) => {
      await page.getByLabel('Device name').fill('web-07');
      mock.revoked = true;
      mock.dropStreams();
    },
    shown: '.auth-card .notice',
  }),
  at('login-info', '/login/info', { world: noOrganization }),
  at('define-organization', '/define-organization', { world: noOrganization, ready: 'form' }),
  at('define-organization-errors', '/define-organization', {
    world: noOrganization,
    ready: 'form',
    act: async (page) => {
      for (const field of await page.getByRole('textbox').all()) await field.fill('x');
      for (const field of await page.getByRole('textbox').all()) await field.fill('');
    },
    shown: '.field-error',
  }),
  at('organization-success', '/define-organization', {
    world: noOrganization,
    ready: 'form',
    act: createOrganization,
    shown: '.auth-card [role=status]',
  }),
  at('organization-error', '/define-organization', {
    world: (mock) => {
      noOrganization(mock);
      mock.overrides.set('POST /orgs', () => problem('OVERLOADED'));
    },
    ready: 'form',
    act: createOrganization,
    shown: '[role=alert]',
  }),
  at('organization-unknown', '/define-organization', {
    world: (mock) => {
      noOrganization(mock);
      unavailable('POST /orgs')(mock);
    },
    ready: 'form',
    act: createOrganization,
    shown: '[role=alert]',
  }),
  at('confirm-failed', '/user/confirm/good', {
    world: unavailable('PUT /users/confirm/link/*'),
    signedIn: false,
    ready: '.auth-card [role=alert]',
  }),
  at('not-found', '/no-such-page'),
  at('cannot-start', '/login', {
    signedIn: false,
    world: (mock) => (mock.config['missing'] = true),
    ready: '[role=alert]',
  }),
];

const dashboards: Screen[] = [
  at('dashboard', '/dashboard', { ready: '.table' }),
  at('dashboard-whole', '/dashboard', { ready: '.table', whole: true, again: true }),
  at('dashboard-empty', '/dashboard', { world: empty, ready: '.empty-state' }),
  at('dashboard-failed', '/dashboard', {
    world: failing('GET /dashboard/*', 'GET /events/*'),
    ready: '[role=alert]',
  }),
  at('dashboard-7-days', '/dashboard?activity=7d', { ready: '.activity-handling' }),
  at('dashboard-30-days', '/dashboard?activity=30d', { ready: '.activity-handling' }),
  at('dashboard-scrolled', '/dashboard', {
    ready: '.table',
    act: (page) => page.evaluate(() => window.scrollTo(0, 420)),
    shown: '.summary-bar',
  }),
  at('dashboard-nearly-well', '/dashboard', { world: nearlyWell, ready: '.table' }),
  at('dashboard-unlooked', '/dashboard', { world: unlooked, ready: '.table' }),
  at('dashboard-silent', '/dashboard', { world: silent, ready: '.table' }),
  at('dashboard-not-judged', '/dashboard', { world: notJudged, ready: '.table' }),
  at('dashboard-offline', '/dashboard', {
    world: (mock) => {
      mock.streaming = false;
    },
  }),
  at('dashboard-unread', '/dashboard', {
    ready: '.table',
    act: async (page, mock) => {
      await live(page);
      mock.overrides.set('GET /dashboard/*', () => problem('UNAVAILABLE'));
      mock.send('resync', {});
    },
    shown: '.stale-banner',
  }),
  at('dashboard-behind', '/dashboard', {
    world: behind('BEHIND', 4 * 60_000),
    ready: '.table',
    shown: '.stale-banner',
  }),
  at('dashboard-behind-unknown', '/dashboard', {
    world: behind('UNKNOWN', 4 * 60_000),
    ready: '.table',
    shown: '.stale-banner',
  }),
  at('devices-behind-since-start', '/devices', {
    world: behind('BEHIND', null),
    ready: '.table',
    shown: '.stale-banner',
  }),
  at('dashboard-wrong-clock', '/dashboard', {
    world: (mock) => {
      mock.now = Date.now() + 7 * 60_000;
    },
    ready: '.table',
    shown: '.clock-banner',
  }),
  at('file-offline', device, {
    ready: '.table',
    act: async (page, mock) => {
      await click('.row-button >> nth=1')(page);
      await page.locator(CHAIN).first().waitFor();
      mock.streaming = false;
      mock.dropStreams();
    },
    shown: '.side-modal .stale-banner',
  }),
  at('dashboard-long-names', '/dashboard', { world: longNames, ready: '.table', whole: true }),
  at('events-none-found', '/dashboard?search=nothing', { ready: '.empty-state', whole: true }),
  at('events-none-so-far', '/dashboard?search=nothing', {
    world: ({ overrides, world }) => {
      overrides.set('GET /events/*', ({ query }) =>
        query.get('lastId') === null
          ? ok({ events: [], lastId: timeId(world.now, 1) })
          : problem('UNAVAILABLE'),
      );
    },
    ready: '.empty-state',
    whole: true,
  }),
  at('event', '/dashboard', { ready: '.table', act: click('.event-name >> nth=2'), shown: '.side-modal h2' }),
  at('event-alert', '/dashboard', { ready: '.table', act: click('.event-name >> nth=0'), shown: CHAIN }),
  at('export', '/dashboard', { ready: '.table', act: click('[data-shortcut=export]'), shown: '.modal' }),
  at('date-filter', '/dashboard', {
    ready: '.table',
    act: async (page) => {
      await page.getByLabel('Date', { exact: true }).selectOption('Custom');
    },
    shown: '.moment',
  }),
  at('user-menu', '/dashboard', {
    ready: '.table',
    act: click('[aria-label="User menu"]'),
    shown: '.menu-list',
  }),
  at('navigation', '/dashboard', {
    ready: '.table',
    narrow: true,
    act: async (page) => {
      const button = page.getByRole('button', { name: 'Open navigation' });
      if (await button.isVisible()) await button.click();
    },
  }),
  at('palette', '/dashboard', { ready: '.table', act: press('Control+k'), shown: '.palette-item' }),
  at('palette-found', device, {
    ready: '.table',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette input').fill('log');
    },
    shown: '.palette-item',
  }),
  at('shortcuts', '/dashboard', { ready: '.table', act: press('?'), shown: '.shortcut-list' }),
  at('new-alert', '/dashboard', {
    ready: '.table',
    act: async (page, mock) => {
      await live(page);
      const [event] = mock.world.events;
      if (event !== undefined) mock.send('event', { ...event, orgId: mock.world.orgId, rev: 1 });
    },
    shown: '.notice',
  }),
];

const alerts: Screen[] = [
  at('alerts', '/alerts-history', { ready: '.table' }),
  at('alerts-row', '/alerts-history', { ready: '.table', act: press('j', 'j') }),
  at('alerts-selected', '/alerts-history', {
    ready: '.table',
    act: press('j', 'x', 'j', 'x'),
    shown: '.triage-bar',
  }),
  at('alerts-question', '/alerts-history', {
    ready: '.table',
    act: press('j', 'x', 'd'),
    shown: '.modal',
  }),
  at('alerts-filters', '/alerts-history', {
    ready: '.table',
    act: async (page) => page.getByRole('button', { name: 'More filters' }).click(),
    shown: '[aria-label="Handled by"]',
  }),
  at('alerts-filters-long-names', `/alerts-history?device=${uuid(101)}&handled=${uuid(1)}`, {
    world: longNames,
    ready: '.table',
  }),
  at('alerts-none-found', '/alerts-history?search=nothing', { ready: '.empty-state' }),
  at('alerts-empty', '/alerts-history', { world: empty, ready: '.empty-state' }),
  at('alerts-failed', '/alerts-history', { world: failing('GET /alerts/*'), ready: '[role=alert]' }),
  at('alerts-long-names', '/alerts-history', { world: longNames, ready: '.table' }),
  at('alert', '/alerts-history', { ready: '.table', act: click('.row-button'), shown: CHAIN }),
  at('alert-chain', '/alerts-history', {
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).nth(2).scrollIntoViewIfNeeded();
    },
    shown: CHAIN,
  }),
  at('alert-handled', '/alerts-history?status=RESOLVED', {
    ready: '.table',
    act: click('.row-button'),
    shown: '.side-modal h2',
  }),
  at('alert-dismiss', '/alerts-history', {
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).first().waitFor();
      await page.keyboard.press('d');
    },
    shown: '.modal',
  }),
  at('alert-note', '/alerts-history', {
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).first().waitFor();
      await page.keyboard.press('d');
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
      await page.getByRole('button', { name: 'Submit' }).click();
    },
    shown: '.field-error',
  }),
  at('alert-share', '/alerts-history', {
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).first().waitFor();
      await page.keyboard.press('s');
    },
    shown: '.modal',
  }),
  at('alert-share-failed', '/alerts-history', {
    world: unavailable('POST /alerts/share/*/*/*'),
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).first().waitFor();
      await page.keyboard.press('s');
      await page.getByLabel('E-mail 1').fill('auditor@example.org');
      await page.locator('.modal button[type=submit]').click();
    },
    shown: '.modal [role=alert]',
  }),
  at('alert-share-many', '/alerts-history', {
    world: ({ world }) => {
      const [timestamp, end] = [0, 30].map((days) => new Date(world.now + days * 86_400_000).toISOString());
      const sharedData = Array.from({ length: 25 }, (_, n) => ({
        emailAddress: `auditor-${n}@example.org`,
        timestamp,
      }));
      for (const one of world.alerts) Object.assign(one, { shared: true, sharedData, shareExpiresAt: end });
    },
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.locator(CHAIN).first().waitFor();
      await page.keyboard.press('s');
    },
    shown: '.modal',
  }),
  at('alert-shared', '/alerts-history', {
    world: shared,
    ready: '.table',
    act: click('.row-button'),
    shown: CHAIN,
  }),
  at('alert-end-sharing', '/alerts-history', {
    world: shared,
    ready: '.table',
    act: async (page) => {
      await click('.row-button')(page);
      await page.getByRole('button', { name: 'End sharing' }).click();
    },
    shown: '.modal',
  }),
  at('alert-no-chain', '/alerts-history', {
    world: failing('PUT /files/chain/*/*/*'),
    ready: '.table',
    act: click('.row-button'),
    shown: '.side-modal [role=alert]',
  }),
  at('alert-print', '/alerts-history', {
    ready: '.table',
    act: click('.row-button'),
    shown: CHAIN,
    print: true,
    whole: true,
  }),
  {
    name: 'shared',
    path: ({ world }) => `/share/alert/${world.alerts[3]?.id}`,
    ready: '.description-list',
    signedIn: false,
    whole: true,
  },
  at('shared-unknown', '/share/alert/unknown', { ready: '.empty-state', signedIn: false }),
  at('verify', '/verify', { ready: '.drop-area', signedIn: false, whole: true }),
];

const devices: Screen[] = [
  at('devices', '/devices', { ready: '.table' }),
  at('devices-empty', '/devices', { world: empty, ready: '.empty-state' }),
  at('devices-failed', '/devices', { world: failing('GET /devices/*'), ready: '[role=alert]' }),
  at('devices-long-names', '/devices', { world: longNames, ready: '.table' }),
  at('device', device, { ready: '.table', whole: true }),
  at('device-lost', `/device/${uuid(103)}`, { ready: '.table' }),
  at('device-off', `/device/${uuid(104)}`, { ready: '.table' }),
  at('device-without-files', `/device/${uuid(105)}`, { ready: '.empty-state' }),
  at('device-unknown', `/device/${uuid(199)}`, { ready: '.empty-state' }),
  at('device-start', `/device/${uuid(102)}`, { world: noContact, ready: '.start-steps', whole: true }),
  at('device-page-failed', device, { world: unavailable('GET /devices/*/*'), ready: '[role=alert]' }),
  at('device-menu', device, {
    ready: '.table',
    act: click('.page-header .menu > button'),
    shown: '.menu-list',
  }),
  at('device-key-unknown', device, {
    world: unavailable('POST /devices/key/*/*'),
    ready: '.table',
    act: async (page) => {
      await click('.page-header .menu > button')(page);
      await page.getByRole('menuitem', { name: 'New key' }).click();
      await page.locator('.modal button[type=submit]').click();
    },
    shown: '.modal [role=alert]',
  }),
  at('device-delete', device, {
    ready: '.table',
    act: click('.page-header .menu > button', '.menu-danger'),
    shown: '.modal',
  }),
  at('file', device, { ready: '.table', act: click('.row-button >> nth=1'), shown: CHAIN }),
  at('file-print', device, {
    ready: '.table',
    act: click('.row-button >> nth=1'),
    shown: CHAIN,
    print: true,
    whole: true,
  }),
  at('add-device', '/add-device', { ready: 'form' }),
  at('add-device-kept', '/add-device', {
    ready: 'form',
    act: async (page, mock) => {
      await page.getByLabel('Device name').fill('web-07');
      mock.revoked = true;
      mock.dropStreams();
      await page.waitForURL('**/login');
      mock.revoked = false;
      await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
      await page.waitForURL('**/add-device');
    },
    shown: '.notice',
  }),
  at('add-device-errors', '/add-device', {
    ready: 'form',
    act: click('button[type=submit]'),
    shown: '.field-error',
  }),
  at('add-device-unknown', '/add-device', {
    world: unavailable('POST /devices/*'),
    ready: 'form',
    act: async (page) => {
      await page.getByLabel('Device name').fill('web-07');
      await page.getByLabel('Device path').fill('/srv');
      await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
      await page.locator('button[type=submit]').click();
    },
    shown: '.sticky-notice [role=alert]',
  }),
  at('edit-device', `/edit-device/${uuid(101)}`, { ready: 'form' }),
  at('edit-device-changed', `/edit-device/${uuid(101)}`, {
    ready: 'form',
    act: async (page, { world }) => {
      await page.getByLabel('Description').fill('In the cellar');
      Object.assign(world.devices[0] ?? {}, { enabled: false, disabledNote: 'Stopped by Jonas' });
      await page.getByRole('button', { name: 'Save changes' }).click();
    },
    shown: '.making-failure',
  }),
  at('add-files', `${device}/add-files`, { ready: 'form', whole: true }),
  at('add-files-two', `${device}/add-files`, { ready: 'form', act: click('.add-another'), whole: true }),
  at('add-files-quit', `${device}/add-files`, {
    ready: 'form',
    act: async (page) => {
      await page.getByRole('textbox').first().fill('audit');
      await page.getByRole('link', { name: 'Sentinel Node' }).first().click();
    },
    shown: '.modal',
  }),
  at('edit-file', `${device}/edit-file/${uuid(1001)}`, { whole: true, ready: 'form' }),
  at('add-files-template', `${device}/add-files`, {
    ready: 'form',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add many files at once' }).click();
      await page.getByLabel('Or the files of an enrolment token').selectOption({ index: 1 });
    },
    shown: '.many-preview',
  }),
  at('add-files-many', `${device}/add-files`, {
    ready: 'form',
    act: (page) => page.getByRole('button', { name: 'Add many files at once' }).click(),
    shown: '.many-files',
    whole: true,
  }),
  at('alerts-oldest', '/alerts-history?order=oldest', { ready: '.table' }),
  at('edit-file-changed', `${device}/edit-file/${uuid(1001)}`, {
    ready: 'form',
    act: async (page, { world }) => {
      await page.getByLabel('File name').fill('log');
      Object.assign(world.devices[0]?.files[0] ?? {}, { enabled: false });
      await page.getByRole('button', { name: 'Save changes' }).click();
    },
    shown: '.making-failure',
  }),
  at('edit-file-unknown', `${device}/edit-file/${uuid(202)}`, { ready: '.empty-state' }),
  at('file-page', `/device/${uuid(101)}/file/${uuid(1001)}`, { ready: 'h1' }),
  at('file-page-charts', `/device/${uuid(101)}/file/${uuid(1001)}`, {
    ready: CHAIN,
    act: click('summary'),
    shown: '.file-table',
    whole: true,
  }),
  at('file-page-without-policy', `/device/${uuid(101)}/file/${uuid(1001)}`, {
    world: unavailable('GET /files/*/*/*'),
    ready: CHAIN,
    whole: true,
  }),
  at('file-page-failed', `/device/${uuid(101)}/file/${uuid(1001)}`, {
    world: unavailable('GET /files/history/*/*/*'),
    ready: '[role=alert]',
  }),
  at('enrolments', '/enrolments', { ready: '.table' }),
  at('maintenance', '/maintenance', { ready: '.table' }),
  at('maintenance-empty', '/maintenance', {
    world: ({ world }) => {
      world.windows = [];
    },
    ready: '.empty-state',
  }),
  at('maintenance-failed', '/maintenance', { world: failing('GET /maintenance/*'), ready: '[role=alert]' }),
  at('maintenance-new', '/define-maintenance', { ready: 'form' }),
  at('maintenance-new-without-devices', '/define-maintenance', {
    world: unavailable('GET /devices/*'),
    ready: 'text=could not be loaded',
  }),
  at('maintenance-weekly', '/define-maintenance', {
    ready: 'form',
    act: async (page) => {
      await page.getByLabel('When').selectOption('WEEKLY');
    },
    shown: '.weekdays',
  }),
  at('maintenance-window', `/maintenance/${uuid(702)}`, { world: planned, ready: '.table' }),
  at('maintenance-window-unknown', `/maintenance/${uuid(799)}`, { ready: '.empty-state' }),
  at('maintenance-window-failed', `/maintenance/${uuid(702)}`, {
    world: unavailable('GET /maintenance/*/*'),
    ready: '[role=alert]',
  }),
  at('maintenance-change', `/maintenance/${uuid(701)}`, {
    ready: '.page-header .button',
    act: click('.page-header .button >> nth=1'),
    shown: '.modal',
  }),
  at('maintenance-change-lost', `/maintenance/${uuid(701)}`, {
    world: unavailable('PUT /maintenance/*/*'),
    ready: '.page-header .button',
    act: async (page, { overrides, world }) => {
      await click('.page-header .button >> nth=1')(page);
      await page.locator('.modal button[type=submit]').click();
      await page.locator('.modal [role=alert]').waitFor();
      overrides.clear();
      Object.assign(world.windows[0] ?? {}, { reason: 'Longer update' });
      await page.locator('.modal button[type=submit]').click();
    },
    shown: '.modal .making-failure',
  }),
  at('maintenance-review', `/maintenance/${uuid(702)}`, {
    world: planned,
    ready: '.table',
    act: click('.page-header .button-primary'),
    shown: '.modal',
  }),
  at('maintenance-review-uncounted', `/maintenance/${uuid(702)}`, {
    world: failing('GET /alerts/counts/*'),
    ready: '.page-header .button-primary',
    act: click('.page-header .button-primary'),
    shown: '.modal',
  }),
  at('alerts-file-uncounted', '/alerts-history?search=ledger', {
    ready: '.table',
    act: async (page) => {
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('combobox', { name: 'File' }).click();
    },
    shown: '.combobox-list[data-open]',
  }),
  at('expected', '/expected-changes', { ready: '.table' }),
  at('expected-empty', '/expected-changes', {
    world: ({ world }) => {
      world.expected = [];
    },
    ready: '.empty-state',
  }),
  at('expected-failed', '/expected-changes', {
    world: failing('GET /expected/*'),
    ready: '[role=alert]',
  }),
  at('expected-refused', '/define-expected-changes', {
    world: ({ overrides }) => {
      const message = 'line 713 is no SHA-256 (64 hex digits) with a path';
      overrides.set('POST /expected/*', () => invalid({ path: '/checksums', message }));
    },
    ready: 'form',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Reason' }).fill('Release 5');
      await page.getByRole('textbox', { name: 'Contents' }).fill(`${hash('a')}  ./shop.js\n`);
      await page.getByRole('textbox', { name: 'Folder' }).fill('/srv/web');
      await page.getByLabel('Covers').selectOption('EVERYTHING');
      await page.locator('button[type=submit]').click();
    },
    shown: '.making-failure',
  }),
  at('expected-new', '/define-expected-changes', { ready: 'form', whole: true }),
  at('expected-list', `/expected-changes/${uuid(801)}`, { ready: '.table' }),
  at('expected-list-unknown', `/expected-changes/${uuid(899)}`, { ready: '.empty-state' }),
  at('expected-list-failed', `/expected-changes/${uuid(801)}`, {
    world: unavailable('GET /expected/*/*'),
    ready: '[role=alert]',
  }),
  at('alerts-planned', '/alerts-history?planned=yes', { world: planned, ready: '.table' }),
  at('define-enrolment', '/define-enrolment', { ready: 'form', whole: true }),
  at('define-enrolment-two', '/define-enrolment', { ready: 'form', act: click('.add-another'), whole: true }),
  at('service-tokens', '/service-tokens', { ready: '.table' }),
  at('define-service-token', '/define-service-token', { ready: 'form', whole: true }),
  at('service-token-limits', '/define-service-token', {
    ready: 'form',
    whole: true,
    act: async (page) => {
      await page.getByLabel('Limited to').selectOption('DEVICES');
      await page.getByRole('combobox', { name: 'Add a device' }).click();
      await page.getByRole('option', { name: 'ledger-db-01' }).click();
    },
  }),
  at('service-token-leave', '/define-service-token', {
    ready: 'form',
    act: async (page) => {
      await page.route('**/api/v1/service-tokens/*', () => undefined);
      await page.getByLabel('Name', { exact: true }).fill('Nightly report');
      await page.locator('button[type=submit]').click();
      await page.locator('.brand').click();
    },
    shown: '.modal',
  }),
  at('service-token-unknown', '/define-service-token', {
    world: unavailable('POST /service-tokens/*'),
    ready: 'form',
    act: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('Nightly report');
      await page.locator('button[type=submit]').click();
    },
    shown: '.making-failure',
  }),
  at('webhook-secret-unknown', `/webhook/${uuid(671)}`, {
    world: unavailable('POST /webhooks/secret/*/*'),
    ready: '.table',
    act: async (page) => {
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
    },
    shown: '.notices [role=alert]',
  }),
  at('webhooks', '/webhooks', { ready: '.table' }),
  at('webhook', `/webhook/${uuid(671)}`, { ready: '.table', whole: true }),
  at('webhooks-left-out', '/webhooks', { world: leftOut, ready: '.table' }),
  at('webhook-left-out', `/webhook/${uuid(671)}`, { world: leftOut, ready: '.table', whole: true }),
  at('webhook-disabled', `/webhook/${uuid(672)}`, { ready: '.table', whole: true }),
  at('define-webhook', '/define-webhook', { ready: 'form', whole: true }),
  at('notifications', '/notifications', { ready: '.table', whole: true }),
  at('notifications-regular', '/notifications', { world: regular, ready: 'form' }),
  at('define-notification-rule', '/define-notification-rule', { ready: 'form', whole: true }),
  at('notification-rule-unknown', `/edit-notification-rule/${uuid(662)}`, {
    world: unavailable('PUT /notifications/rules/*/*'),
    ready: 'form',
    act: click('button[type=submit]'),
    shown: 'main [role=alert]',
  }),
];

const editFirstUser = async (page: Page): Promise<void> => {
  await click('.table .menu > button')(page);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
};

const people: Screen[] = [
  at('users', '/users', { ready: '.table' }),
  at('users-regular', '/users', { world: regular, ready: '.table' }),
  at('users-menu', '/users', { ready: '.table', act: click('.table .menu > button'), shown: '.menu-list' }),
  at('users-edit', '/users', { ready: '.table', act: editFirstUser, shown: '.edit-row form' }),
  at('users-edit-changed', '/users', {
    ready: '.table',
    act: async (page, { world }) => {
      await editFirstUser(page);
      await page.locator('.edit-row').getByLabel('Name').fill('Ada O.');
      Object.assign(world.users[0] ?? {}, { role: 'REGULAR' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
    },
    shown: '.making-failure',
  }),
  at('users-edit-failed', '/users', {
    world: failing('GET /users/*/*'),
    ready: '.table',
    act: editFirstUser,
    shown: '.edit-row .making-failure',
  }),
  at('users-without-stripe', '/users', {
    world: (mock) => {
      mock.world.stripeId = null;
      mock.overrides.set('GET /users/*', () =>
        ok({ users: mock.world.users, orgName: mock.world.orgName, stripeId: null }),
      );
    },
    ready: '.table',
  }),
  at('users-without-organization', '/users', { world: unavailable('GET /orgs/*'), ready: '[role=alert]' }),
  at('users-not-added', '/define-user', {
    world: ({ overrides }) => overrides.set('POST /users/*', () => problem('USER_EXISTS')),
    ready: 'form',
    act: async (page) => {
      await page.getByLabel('Name').fill('Noor Haddad');
      await page.getByLabel('Email').fill('mei@example.org');
      await page.getByLabel('User type').selectOption('REGULAR');
      await page.locator('button[type=submit]').click();
    },
    shown: '.notices [role=alert]',
  }),
  at('define-user', '/define-user', { ready: 'form' }),
  at('define-user-errors', '/define-user', {
    ready: 'form',
    act: click('button[type=submit]'),
    shown: '.field-error',
  }),
];

export const screens: readonly Screen[] = [...signingIn, ...dashboards, ...alerts, ...devices, ...people];
