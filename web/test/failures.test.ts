/** What a person is told when the server refuses. */
import { ERRORS, type ErrorCode } from '@sentinel-node/contracts';
import type { Locator, Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { invalid, problem, type MockAnswer } from './mock-routes.ts';
import { callsTo, consoleTest, holdAnswers, loseAnswers, pathOf, until, type Assertions } from './support.ts';

const machine = uuid(101);

/**
 * Closes a notice and waits until it has faded. One in the flow of the page holds the rows below it down until then, and a click
 * on a row that moves between the press and the release of the button is none.
 */
async function close(notice: Locator): Promise<void> {
  await notice.getByRole('button', { name: 'Close' }).click();
  await notice.waitFor({ state: 'detached' });
}

/** The notice 'Error!' with this text; it is closed, so that the next one is another. */
async function told(page: Page, text: string): Promise<void> {
  const notice = page.getByRole('alert').filter({ hasText: 'Error!' }).filter({ hasText: text });
  await notice.waitFor();
  await close(notice);
}

const yes = (page: Page): Promise<void> => page.getByRole('button', { name: 'Yes', exact: true }).click();

async function addUser(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Noor Haddad');
  await page.getByLabel('Email').fill('noor@example.org');
  await page.getByLabel('User type').selectOption('REGULAR');
  await page.getByRole('button', { name: 'Add user' }).click();
}

async function addDevice(page: Page): Promise<void> {
  await page.getByLabel('Device name').fill('web-07');
  await page.getByLabel('Device path').fill('/srv');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await page.getByRole('button', { name: 'Add device' }).click();
}

async function addFiles(page: Page): Promise<void> {
  await page.getByLabel('File name').fill('hosts');
  await page.getByLabel('File path').fill('/etc/hosts');
  await page.getByLabel('File type').selectOption('TEXT');
  await page.getByLabel('Monitoring frequency').selectOption('FOLLOW');
  await page.getByLabel('Is file editable').selectOption('no');
  await page.getByLabel('Is file rolled').selectOption('no');
  await page.getByRole('button', { name: 'Add files' }).click();
}

async function deleteDevice(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for This machine' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
}

async function ofUser(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const openAlert = (page: Page): Promise<void> =>
  page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();

async function deleteFile(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for application log' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await yes(page);
}

consoleTest('[S8.1] what failed with a user is told under Error!', async ({ mock, open }) => {
  mock.overrides.set('GET /users/*', () => problem('INTERNAL'));
  const page = await open('/users');
  await told(page, 'Get users error');
  mock.overrides.clear();
  mock.overrides.set('DELETE /users/*/*', () => problem('INTERNAL'));
  mock.overrides.set('POST /users/resend/activationlink/*/*', () => problem('INTERNAL'));
  mock.overrides.set('POST /users/*', () => problem('RATE_LIMITED'));
  await page.reload();
  await ofUser(page, 'Resend invitation');
  await told(page, 'Resend activation link error');
  await ofUser(page, 'Delete');
  await yes(page);
  await told(page, 'Delete user error');
  await page.getByRole('link', { name: 'Add user' }).click();
  await addUser(page);
  await told(page, 'User was not added, please try again.');
});

consoleTest(
  '[S8.1] [S8.11] [S2.34] what failed with a device is told under Error!',
  async ({ mock, open }, t) => {
    for (const call of ['POST /devices/*', 'PUT /devices/*/*', 'PUT /devices/delete/*/*'])
      mock.overrides.set(call, () => problem('RATE_LIMITED'));
    const page = await open('/add-device');
    await addDevice(page);
    await told(page, 'Device was not added, please try again.');
    await page.getByRole('link', { name: 'This machine', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for This machine' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await until(() => pathOf(page) === `/edit-device/${machine}`, 'the form');
    const name = page.getByLabel('Device name');
    await until(async () => (await name.inputValue()) === 'This machine', 'it holds what the device has');
    await name.fill('Another machine');
    await page.locator('form button[type=submit]').click();
    await told(page, 'Device was not updated, please try again.');
    t.equal(pathOf(page), '/devices');
    t.match(callsTo(mock, 'PUT', '/devices/')[0]?.body, { name: 'Another machine' });
    await page.getByRole('link', { name: 'This machine', exact: true }).click();
    await deleteDevice(page);
    await told(page, 'Device was not deleted, please try again.');
    t.equal(pathOf(page), '/devices');
  },
);

consoleTest(
  '[S8.9] [S8.14] files that were not saved: told on the page of the device',
  async ({ mock, open }, t) => {
    mock.overrides.set('PUT /devices/files/*/*', () => problem('OVERLOADED'));
    const page = await open(`/device/${machine}/add-files`);
    await addFiles(page);
    const notice = page.getByRole('alert').filter({ hasText: 'Files were not added, please try again.' });
    await notice.waitFor();
    t.equal(pathOf(page), `/device/${machine}`);
    await notice.getByRole('button', { name: 'Add files' }).click();
    await until(() => pathOf(page) === `/device/${machine}/add-files`, 'the way back');
  },
);

consoleTest(
  'a file that was not deleted is told, also to somebody who has gone on',
  async ({ mock, open }, t) => {
    const page = await open(`/device/${machine}`);
    const dialog = page.getByRole('alertdialog');
    const failed = async (code: ErrorCode, said: string): Promise<void> => {
      mock.overrides.set('DELETE /files/*/*/*', () => problem(code));
      await deleteFile(page);
      const notice = page.getByRole('alert').filter({ has: page.getByText(said, { exact: true }) });
      await notice.getByText(ERRORS[code].title, { exact: true }).waitFor();
      t.equal(await dialog.count(), 0);
      await close(notice);
    };
    await failed('RATE_LIMITED', 'The file was not deleted.');
    await failed('OVERLOADED', 'The file was not deleted.');
    await failed('UNAVAILABLE', 'It is not known whether the file was deleted.');
    const release = await holdAnswers(page, '**/api/v1/files/**');
    await deleteFile(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for access log' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    release();
    await page.getByText('It is not known whether the file was deleted.', { exact: true }).waitFor();
    t.equal(
      await dialog.filter({ hasText: 'access log' }).count(),
      1,
      'the question about another file stays',
    );
  },
);

/** The notice with this text, and the reason beside it as a text of its own, as no failure of the server has. */
async function toldWhy(page: Page, text: string, reason: string): Promise<void> {
  const notice = page.getByRole('alert').filter({ has: page.getByText(text, { exact: true }) });
  await notice.getByText(reason, { exact: true }).waitFor();
  await close(notice);
}

consoleTest('[S8.1] why it failed stands beside the words for it', async ({ mock, open }, t) => {
  const answers: Record<string, MockAnswer> = {
    'DELETE /users/*/*': problem('LAST_ADMIN'),
    'POST /users/resend/activationlink/*/*': problem('RATE_LIMITED'),
    'POST /users/*': problem('USER_EXISTS'),
    'POST /devices/*': problem('LIMIT_REACHED', 'An organization has at most 10 devices.'),
    'PUT /devices/*/*': invalid({ path: '/labels/1', message: 'the key site stands twice' }),
    'PUT /devices/delete/*/*': problem('DEVICE_HAS_FILES'),
  };
  for (const [route, answer] of Object.entries(answers)) mock.overrides.set(route, () => answer);
  const page = await open('/users');
  await ofUser(page, 'Resend invitation');
  await toldWhy(page, 'Resend activation link error', 'Too many requests');
  await ofUser(page, 'Delete');
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await toldWhy(page, 'Delete user error', 'An organization needs at least one administrator');
  await page.getByRole('link', { name: 'Add user' }).click();
  await addUser(page);
  const exists = 'A user with this e-mail exists already';
  await toldWhy(page, 'User was not added, please try again.', exists);

  await page.goto(`${mock.url}/add-device`);
  await addDevice(page);
  const many = 'An organization has at most 10 devices.';
  await toldWhy(page, 'Device was not added, please try again.', many);
  await page.goto(`${mock.url}/edit-device/${machine}`);
  await page.getByLabel('Device name').fill('Another machine');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const twice = 'The request is not valid. Labels 2: the key site stands twice.';
  await toldWhy(page, 'Device was not updated, please try again.', twice);
  await page.getByRole('link', { name: 'This machine', exact: true }).click();
  await deleteDevice(page);
  await toldWhy(page, 'Device was not deleted, please try again.', 'The device still has files');

  mock.overrides.set('PUT /devices/files/*/*', () =>
    invalid({ path: '/files/0/path', message: 'is no path' }),
  );
  await page.goto(`${mock.url}/device/${machine}/edit-file/${uuid(1001)}`);
  await page.getByLabel('File name').fill('log');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const noPath = 'The request is not valid. Files 1 path: is no path.';
  await toldWhy(page, 'File was not updated, please try again.', noPath);
  mock.overrides.set('DELETE /users/*/*', () => ({ status: 400, body: {} }));
  await page.goto(`${mock.url}/users`);
  await ofUser(page, 'Delete');
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Delete user error' });
  await notice.waitFor();
  t.equal(await notice.locator('p').count(), 1, 'no reason where the server names none');
});

consoleTest('[S9.9] a table shows ten rows at first', async ({ mock, open }, t) => {
  const [first] = mock.world.devices;
  if (first === undefined) throw new Error('no device');
  const copies = Array.from({ length: 11 }, (_, n) => ({ ...first, id: uuid(3_000 + n), name: `copy ${n}` }));
  mock.world.devices.splice(0, Infinity, ...copies);
  const page = await open('/devices');
  const rows = page.getByRole('table', { name: 'Devices' }).locator('tbody tr');
  await rows.first().waitFor();
  t.equal(await rows.count(), 10);
  await page.getByRole('button', { name: 'Next page' }).click();
  await until(async () => (await rows.count()) === 1, 'the eleventh');
});

consoleTest('figures that could not be read are not shown as none', async ({ mock, open }, t) => {
  mock.overrides.set('GET /dashboard/*', () => problem('INTERNAL'));
  const page = await open('/dashboard');
  await page.getByText('Last 24 hours: cannot be shown').waitFor();
  t.equal(await page.getByText('0 events').count(), 0);
});

consoleTest('what does not exist has a page that says so, and a way on', async ({ open }, t) => {
  const page = await open(`/device/${uuid(999)}`);
  await page.getByRole('heading', { level: 1, name: 'There is no such device.' }).waitFor();
  await page.getByRole('link', { name: 'Go to the devices' }).click();
  t.equal(pathOf(page), '/devices');
  const nowhere = await open('/nowhere');
  await nowhere.getByRole('heading', { level: 1, name: 'There is no such page.' }).waitFor();
  t.equal(await nowhere.title(), 'There is no such page · Sentinel Node');
  const gone: [path: string, said: string, way: string, to: string][] = [
    ['webhook', 'This webhook does not exist.', 'Go to the webhooks', '/webhooks'],
    ['maintenance', 'There is no such maintenance window.', 'Go to the maintenance windows', '/maintenance'],
    [
      'expected-changes',
      'There is no such list of expected changes.',
      'Go to the lists',
      '/expected-changes',
    ],
    ['edit-notification-rule', 'There is no such rule.', 'Go to the notifications', '/notifications'],
  ];
  for (const [path, said, way, to] of gone) {
    await page.goto(new URL(`/${path}/${uuid(999)}`, page.url()).href);
    await page.getByText(said, { exact: true }).waitFor();
    await page.getByRole('link', { name: way }).click();
    t.equal(pathOf(page), to);
  }
});

consoleTest('a page that fails leaves the way to the others', async ({ open }) => {
  const page = await open('/users');
  const link = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
  await page.getByRole('table', { name: 'Users' }).waitFor();
  await page.evaluate(() => {
    // Times of lists are made by `format`; the header, which stays, names the zone by `formatToParts`.
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
      get: () => {
        throw new Error('no dates');
      },
    });
  });
  await link('Devices').click();
  await page.getByText('The page cannot be shown').waitFor();
  await link('Users management').click();
  await page.getByRole('table', { name: 'Users' }).waitFor();
  await link('Devices').click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'Devices' }).waitFor();
});

/** Acts on a page whose answers are lost, and waits for a notice that says what is not known. */
const losing =
  (open: (path: string) => Promise<Page>, t: Assertions) =>
  async (
    path: string,
    addresses: string,
    act: (page: Page) => Promise<void>,
    said: string,
  ): Promise<void> => {
    const page = await open(path);
    await loseAnswers(page, `**/api/v1/${addresses}`);
    await act(page);
    const notices = page.locator('.notice');
    await notices.getByText(`It is not known whether ${said}`, { exact: true }).waitFor();
    t.equal(await notices.getByText(/(was|were) not/).count(), 0, 'nothing denies it');
    await page.context().close();
  };

consoleTest(
  'a change whose answer was lost is not called one that was not made',
  async ({ mock, open }, t) => {
    const lost = losing(open, t);
    const press = (page: Page, name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).first().click();
    const { webhooks, windows, enrolments, alerts } = mock.world;
    const webhook = `/webhook/${webhooks[0]!.id}`;
    await lost(webhook, 'webhooks/test/**', (page) => press(page, 'Send a test'), 'the test was sent.');
    const disable = async (page: Page): Promise<void> => {
      await press(page, 'Disable');
      await yes(page);
    };
    await lost(webhook, 'webhooks/*/*', disable, 'the webhook was changed.');
    const endNow = async (page: Page): Promise<void> => {
      await press(page, 'End now');
      await yes(page);
    };
    await lost(`/maintenance/${windows[0]!.id}`, 'maintenance/*/*', endNow, 'the window was ended.');
    const endToken = async (page: Page): Promise<void> => {
      await press(page, `End ${enrolments[0]!.name}`);
      await yes(page);
    };
    await lost('/enrolments', 'enrolments/*/*', endToken, 'the token was ended.');
    const switchRule = (page: Page): Promise<void> =>
      page.getByRole('table', { name: 'Rules' }).getByRole('switch').first().click();
    await lost('/notifications', 'notifications/rules/*/*', switchRule, 'the rule was changed.');
    const sharedData = [{ emailAddress: 'auditor@example.org', timestamp: '2026-01-01T00:00:00.000Z' }];
    const shareExpiresAt = new Date(Date.now() + 86_400_000).toISOString();
    for (const one of alerts) Object.assign(one, { shared: true, sharedData, shareExpiresAt });
    const dismiss = async (page: Page): Promise<void> => {
      await openAlert(page);
      await press(page, 'Dismiss');
      await yes(page);
      await page.getByLabel('Note', { exact: true }).fill('The release');
      await press(page, 'Submit');
    };
    await lost('/alerts-history', 'alerts/turnoff/**', dismiss, 'the alert was dismissed.');
    const endSharing = async (page: Page): Promise<void> => {
      await openAlert(page);
      await press(page, 'End sharing');
      await yes(page);
    };
    await lost('/alerts-history', 'alerts/share/**', endSharing, 'the sharing was ended.');
    await lost(`/device/${machine}`, 'files/*/*/*', deleteFile, 'the file was deleted.');
  },
);

consoleTest('a change whose answer was lost tells that it may have been done', async ({ open }, t) => {
  const lost = async (
    path: string,
    addresses: string,
    act: (page: Page) => Promise<void>,
    said: string,
  ): Promise<void> => {
    const page = await open(path);
    await loseAnswers(page, `**/api/v1/${addresses}`);
    await act(page);
    const notice = page.locator('.notice').filter({ has: page.getByText(said, { exact: true }) });
    await notice.waitFor();
    t.match(await notice.innerText(), /It may have been done all the same: look before you try again\./);
    await page.context().close();
  };
  const of = `/device/${machine}`;
  await lost('/add-device', 'devices/*', addDevice, 'Device was not added, please try again.');
  await lost(of, 'devices/delete/*/*', deleteDevice, 'Device was not deleted, please try again.');
  await lost('/define-user', 'users/*', addUser, 'User was not added, please try again.');
  await lost(`${of}/add-files`, 'devices/files/*/*', addFiles, 'Files were not added, please try again.');
  const resend = (page: Page): Promise<void> => ofUser(page, 'Resend invitation');
  await lost('/users', 'users/resend/**', resend, 'Resend activation link error');
  const remove = async (page: Page): Promise<void> => {
    await ofUser(page, 'Delete');
    await yes(page);
  };
  await lost('/users', 'users/*/*', remove, 'Delete user error');
  const share = async (page: Page): Promise<void> => {
    await openAlert(page);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('E-mail 1').fill('auditor@example.org');
    await page.getByRole('dialog', { name: 'Share alert' }).locator('button[type=submit]').click();
  };
  await lost('/alerts-history', 'alerts/share/**', share, 'An error occurred while sharing the alert.');
});
