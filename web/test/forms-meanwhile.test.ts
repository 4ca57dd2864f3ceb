/** Forms while something happens elsewhere: others change what is edited, or the person leaves before the answer. */
import type { Locator, Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import {
  type Assertions,
  callsTo,
  consoleTest,
  delayAnswers,
  holdAnswers,
  live,
  loseAnswers,
  pathOf,
  until,
} from './support.ts';

const machine = uuid(101);

/** Waits until the change is refused, and loads the new state. */
async function loadNew(t: Assertions, page: Page, what: string): Promise<void> {
  const refusal = page.getByRole('alert').filter({ hasText: `The ${what} was changed meanwhile.` });
  await refusal.getByText('Nothing is saved.').waitFor();
  await refusal.getByRole('button', { name: 'Load the new state' }).click();
  await page.getByText('The new state is loaded.').waitFor();
  t.equal(await refusal.count(), 0);
}

consoleTest(
  'a device that somebody changed meanwhile is not saved over; the form takes the new state',
  async ({ mock, open }, t) => {
    const device = mock.world.devices[0]!;
    const page = await open(`/edit-device/${machine}`);
    const description = page.getByLabel('Description');
    await description.fill('In the cellar');
    const [file] = device.files;
    Object.assign(device, { enabled: false, disabledNote: 'Stopped by Jonas' });
    Object.assign(file!, { enabled: false });
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.click();
    const refusal = page.getByRole('alert').filter({ hasText: 'The device was changed meanwhile.' });
    await refusal.getByText('Nothing is saved.').waitFor();
    t.equal(pathOf(page), `/edit-device/${machine}`);
    t.equal(await description.inputValue(), 'In the cellar', 'what was typed is kept');
    t.match(device, { enabled: false, disabledNote: 'Stopped by Jonas', description: /machine/ });
    t.equal(await page.getByLabel('Disabled note').count(), 0, 'the form shows what it began with');
    mock.overrides.set('GET /devices/*/*', () => problem('UNAVAILABLE'));
    await refusal.getByRole('button', { name: 'Load the new state' }).click();
    await refusal.getByText('The service is not available right now').waitFor();
    mock.overrides.clear();
    await refusal.getByRole('button', { name: 'Load the new state' }).click();
    await page.getByText('The new state is loaded.').waitFor();
    t.equal(await refusal.count(), 0);
    t.equal(await page.getByLabel('Disabled note').inputValue(), 'Stopped by Jonas');
    t.equal(await description.inputValue(), 'In the cellar');
    await save.click();
    await page.getByText('Device was updated successfully!').waitFor();
    t.match(device, { enabled: false, disabledNote: 'Stopped by Jonas', description: 'In the cellar' });
    t.equal(file?.enabled, false, 'its files stay as they are');
  },
);

consoleTest(
  'a device that was read again while its form was open is not saved over either',
  async ({ mock, open }, t) => {
    const device = mock.world.devices[0]!;
    const page = await open(`/edit-device/${machine}`);
    await page.getByLabel('Description').fill('In the cellar');
    await live(page);
    Object.assign(device, { enabled: false, disabledNote: 'Stopped by Jonas', name: 'Jonas was here' });
    mock.send('resync', {});
    await page.getByRole('link', { name: 'Jonas was here' }).waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The device was changed meanwhile.').waitFor();
    t.equal(device.enabled, false);
  },
);

consoleTest(
  'an edited file that somebody changed meanwhile is not saved over; another file is no hindrance',
  async ({ mock, open }, t) => {
    const [own, other] = mock.world.devices[0]!.files;
    const page = await open(`/device/${machine}/edit-file/${own?.id}`);
    const name = page.getByLabel('File name');
    const save = page.getByRole('button', { name: 'Save changes' });
    await name.fill('log of the application');
    Object.assign(other!, { name: 'another name' });
    await save.click();
    await page.getByText('File has been updated.').waitFor();
    t.equal(own?.name, 'log of the application');
    t.equal(callsTo(mock, 'PUT', '/devices/files/').length, 2, 'sent again over the new state');

    await page.goto(`${mock.url}/device/${machine}/edit-file/${own?.id}`);
    await name.fill('log');
    Object.assign(own!, { enabled: false });
    await save.click();
    const refusal = page.getByRole('alert').filter({ hasText: 'The file was changed meanwhile.' });
    await refusal.getByText('Nothing is saved.').waitFor();
    t.equal(await name.inputValue(), 'log');
    t.match(own, { enabled: false, name: 'log of the application' });
    await refusal.getByRole('button', { name: 'Load the new state' }).click();
    await page.getByText('The new state is loaded.').waitFor();
    t.equal(await name.inputValue(), 'log');
    await save.click();
    await page.getByText('File has been updated.').waitFor();
    t.match(own, { enabled: false, name: 'log' });
  },
);

consoleTest(
  'a role that somebody changed meanwhile is not given back by a correction of the name',
  async ({ mock, open }, t) => {
    const jonas = mock.world.users[1]!;
    Object.assign(jonas, { role: 'ADMIN' });
    const page = await open('/users');
    const form = page.getByRole('form', { name: 'Edit Jonas Lind' });
    const menu = page.getByRole('button', { name: 'Actions for Jonas Lind' });
    const edit = async (): Promise<void> => {
      await menu.click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    };
    await menu.waitFor();
    // The list is behind: what is edited is read when the edit begins.
    Object.assign(jonas, { emailAddress: 'jl@example.org' });
    await edit();
    const name = form.getByLabel('Name');
    await name.fill('Jonas L.');
    t.equal(await form.getByLabel('Email').inputValue(), 'jl@example.org');
    Object.assign(jonas, { role: 'REGULAR' });
    await form.getByRole('button', { name: 'Save' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'The user was changed meanwhile.' });
    await refusal.getByText('Nothing is saved.').waitFor();
    t.match(jonas, { role: 'REGULAR', name: 'Jonas Lind' });
    t.equal(await name.inputValue(), 'Jonas L.', 'what was typed is kept');
    await refusal.getByRole('button', { name: 'Load the new state' }).click();
    await page.getByText('The new state is loaded.').waitFor();
    t.equal(await refusal.count(), 0);
    t.equal(await form.getByLabel('Role').inputValue(), 'REGULAR');
    t.equal(await name.inputValue(), 'Jonas L.');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'Jonas L.' }).filter({ hasText: 'Regular user' }).waitFor();
    t.match(jonas, { role: 'REGULAR', name: 'Jonas L.' });
  },
);

consoleTest(
  'a user who cannot be read is not edited; one who is deleted meanwhile neither',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    const edit = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    };
    mock.overrides.set('GET /users/*/*', () => problem('UNAVAILABLE'));
    await edit();
    const refusal = page.getByRole('alert').filter({ hasText: 'Jonas Lind cannot be edited' });
    await refusal.getByText('The service is not available right now').waitFor();
    mock.overrides.clear();
    await refusal.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('form', { name: 'Edit Jonas Lind' }).getByLabel('Name').fill('J');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).waitFor();
    mock.world.users = mock.world.users.filter(({ name }) => name !== 'Jonas Lind');
    await edit();
    await page.getByRole('alert').filter({ hasText: 'Jonas Lind cannot be edited' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    t.equal(await page.getByRole('alert').count(), 0);
  },
);

consoleTest(
  'a monitoring switch on a page that is behind changes nothing but what it says',
  async ({ mock, open }, t) => {
    const device = mock.world.devices[0]!;
    const [first, second] = device.files;
    const page = await open(`/device/${machine}`);
    const answer = (): Promise<void> => page.getByRole('button', { name: 'Yes', exact: true }).click();
    const ofFile = page.getByRole('switch', { name: `Monitoring of ${first?.name}` });
    await ofFile.waitFor();
    Object.assign(first!, { path: '/srv/elsewhere' });
    Object.assign(second!, { enabled: false });
    Object.assign(device, { description: 'moved to the cellar' });
    await ofFile.click();
    await answer();
    await until(() => first?.enabled === false, 'off');
    t.match(first, { path: '/srv/elsewhere', enabled: false });
    t.equal(second?.enabled, false, 'another file stays as it is');

    const ofDevice = page.getByRole('switch', { name: 'Monitoring of This machine' });
    Object.assign(device, { description: 'moved to the attic' });
    await ofDevice.click();
    await answer();
    await page.getByRole('dialog').getByRole('textbox').fill('Out of service');
    await page.getByRole('button', { name: 'Submit' }).click();
    await until(() => !device.enabled, 'off');
    t.match(device, { description: 'moved to the attic', disabledNote: 'Out of service' });

    const calls = callsTo(mock, 'PUT', '/devices/').length;
    // Once more when somebody is faster between read and write, and then no more.
    mock.overrides.set('PUT /devices/*/*', () => problem('STALE'));
    await ofFile.click();
    await answer();
    await until(() => callsTo(mock, 'PUT', '/devices/').length === calls + 2, 'tried again once');
    await until(async () => (await page.getByRole('alertdialog').count()) === 0, 'the question is gone');
    t.equal(callsTo(mock, 'PUT', '/devices/').length, calls + 2);
  },
);

async function typeUser(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Users' }).first().click();
  await page.getByRole('link', { name: 'Add user' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
}

async function isStillTyped(page: Page, t: Assertions): Promise<void> {
  t.equal(pathOf(page), '/define-user');
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Grace Hopper');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  const question = page.getByRole('alertdialog', { name: 'Do you want to quit adding a user?' });
  await question.getByRole('button', { name: 'No', exact: true }).click();
  await until(async () => (await question.count()) === 0, 'No closes');
}

consoleTest(
  'an answer that comes after the person has left the form only says so',
  async ({ mock, open }, t) => {
    const page = await open('/add-device');
    await page.getByLabel('Device name').fill('web-07');
    await page.getByLabel('Device path').fill('/srv');
    await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
    const release = await holdAnswers(page, '**/api/v1/devices/*');
    await page.getByRole('button', { name: 'Add device' }).click();
    await typeUser(page);
    release();
    await page.getByText('New device was added successfully!').waitFor();
    await isStillTyped(page, t);

    const file = await open(`/device/${machine}/edit-file/${uuid(1001)}`);
    await file.getByLabel('File name').fill('log');
    const releaseFile = await holdAnswers(file, '**/api/v1/devices/files/**');
    await file.getByRole('button', { name: 'Save changes' }).click();
    await typeUser(file);
    releaseFile();
    await file.getByText('File has been updated.').waitFor();
    await isStillTyped(file, t);

    const list = await open('/define-maintenance');
    await list.getByLabel('Reason').fill('Kernel update');
    await list.getByLabel('Covers').selectOption('LABELS');
    await list.getByLabel('Labels').fill('site:graz');
    const releaseList = await holdAnswers(list, '**/api/v1/maintenance/*');
    mock.overrides.set('POST /maintenance/*', () => problem('LIMIT_REACHED', 'At most 100 windows.'));
    await list.getByRole('button', { name: 'Make the window' }).click();
    await typeUser(list);
    releaseList();
    await list.getByText('The window was not made.').waitFor();
    await isStillTyped(list, t);
  },
);

consoleTest(
  'a save that fails after the person has left keeps the values for its own form',
  async ({ mock, open }, t) => {
    const page = await open(`/edit-device/${machine}`);
    await page.getByLabel('Device name').fill('web-07');
    mock.overrides.set('PUT /devices/*/*', () => problem('UNAVAILABLE'));
    const release = await holdAnswers(page, `**/api/v1/devices/*/${machine}`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await typeUser(page);
    release();
    await page.getByText('Device was not updated, please try again.').waitFor();
    await isStillTyped(page, t);
    await page.goto(`${mock.url}/edit-device/${machine}`);
    await page.getByText('What you typed is back.').waitFor();
    t.equal(await page.getByLabel('Device name').inputValue(), 'web-07');
  },
);

consoleTest(
  'a rule that somebody changed meanwhile is not saved over; whom it tells and whether it is on stay',
  async ({ mock, open }, t) => {
    const [rule] = mock.world.notificationRules;
    const page = await open(`/edit-notification-rule/${rule!.id}`);
    const name = page.getByLabel('Name');
    await name.fill('Alerts');
    const userIds = [mock.world.users[1]!.id];
    Object.assign(rule!, { enabled: false, to: { ...rule!.to, userIds } });
    const save = page.getByRole('button', { name: 'Save the rule' });
    await save.click();
    await loadNew(t, page, 'rule');
    t.match(rule, { enabled: false, to: { userIds }, name: 'New alerts and lost devices' });
    await page.getByText('Jonas Lind').first().waitFor();
    t.equal(await name.inputValue(), 'Alerts', 'what was typed is kept');
    await save.click();
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
    t.match(rule, { enabled: false, to: { userIds }, name: 'Alerts' });
  },
);

consoleTest(
  'whom somebody else added to a rule or a device is there too when the person saves their own addition',
  async ({ mock, open }, t) => {
    const [, rule] = mock.world.notificationRules;
    const [, second, third] = mock.world.webhooks;
    const page = await open(`/edit-notification-rule/${rule!.id}`);
    await page.getByLabel('Other mail addresses').fill('on-call@example.org\nsoc@example.org');
    await page.getByLabel(second!.name).check();
    const theirs = { addresses: ['on-call@example.org', 'noc@example.org'], webhookIds: [third!.id] };
    Object.assign(rule!, { to: { ...rule!.to, ...theirs } });
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await loadNew(t, page, 'rule');
    t.ok(await page.getByLabel(third!.name).isChecked(), 'what the other added is shown');
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
    t.strictSame([...rule!.to.addresses].sort(), [
      'noc@example.org',
      'on-call@example.org',
      'soc@example.org',
    ]);
    t.strictSame([...rule!.to.webhookIds].sort(), [second!.id, third!.id].sort());

    const device = mock.world.devices[0]!;
    Object.assign(device, { labels: ['env:prod', 'site:graz'] });
    await page.goto(`${mock.url}/edit-device/${machine}`);
    await page.getByLabel('Labels').fill('site:graz\nteam:web');
    Object.assign(device, { labels: ['env:prod', 'site:graz', 'tier:1'] });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await loadNew(t, page, 'device');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Device was updated successfully!').waitFor();
    t.strictSame([...device.labels!].sort(), ['site:graz', 'team:web', 'tier:1']);
  },
);

consoleTest(
  'the switch of a rule changes only itself, on a list that is behind',
  async ({ mock, open }, t) => {
    const [rule] = mock.world.notificationRules;
    const page = await open('/notifications');
    const onOff = page.getByRole('switch', { name: 'New alerts and lost devices is on' });
    await onOff.waitFor();
    const userIds = [mock.world.users[1]!.id];
    Object.assign(rule!, { to: { ...rule!.to, userIds } });
    await onOff.click();
    await until(() => !rule!.enabled, 'the rule is off');
    t.strictSame(rule!.to.userIds, userIds);
    // Somebody is faster once more, between the read and the change.
    mock.overrides.set('PUT /notifications/rules/*/*', () => {
      mock.overrides.clear();
      return problem('STALE');
    });
    await page.getByRole('switch', { name: 'New alerts and lost devices is on', checked: false }).click();
    await until(() => rule!.enabled, 'the rule is on');
  },
);

consoleTest(
  'the end of a window that somebody extended meanwhile is not taken back by another reason',
  async ({ mock, open }, t) => {
    const window = mock.world.windows.find(({ state }) => state === 'OPEN')!;
    const page = await open(`/maintenance/${window.id}`);
    await page.getByRole('button', { name: 'Change' }).click();
    const modal = page.getByRole('dialog');
    await modal.getByLabel('Reason').fill('Longer update');
    await live(page);
    const end = '2099-01-01T10:00:00.000Z';
    Object.assign(window, { end });
    mock.send('resync', {});
    await page.locator('time[datetime="2099-01-01T10:00:00.000Z"]').first().waitFor({ state: 'attached' });
    await modal.getByRole('button', { name: 'Save changes' }).click();
    await loadNew(t, page, 'window');
    t.match(window, { end, reason: 'Update of the ledger' });
    t.equal(await modal.getByLabel('Reason').inputValue(), 'Longer update');
    t.match(await modal.getByLabel('End').inputValue(), /^2099-/);
    t.ok(await modal.getByLabel('Reason').evaluate((one) => one === document.activeElement));
    await modal.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Longer update' }).waitFor();
    t.match(window, { end, reason: 'Longer update' });
  },
);

consoleTest(
  'a save whose answer was lost is not called a change of somebody else when it is tried again',
  async ({ mock, open }, t) => {
    const [, rule] = mock.world.notificationRules;
    const page = await open(`/edit-notification-rule/${rule!.id}`);
    const name = page.getByLabel('Name');
    const save = page.getByRole('button', { name: 'Save the rule' });
    const loseOne = async (addresses: string, button: Locator): Promise<void> => {
      await loseAnswers(page, addresses);
      await button.click();
      await page.getByText(/^It is not known whether the (rule was saved|window was changed)\.$/).waitFor();
      await page.unrouteAll();
    };
    await name.fill('Nights');
    await loseOne('**/api/v1/notifications/rules/**', save);
    t.equal(rule!.name, 'Nights', 'it was saved');
    await save.click();
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();

    await page.goto(`${mock.url}/edit-notification-rule/${rule!.id}`);
    await name.fill('Days');
    await loseOne('**/api/v1/notifications/rules/**', save);
    await name.fill('Days and nights');
    await save.click();
    const refusal = page.getByRole('alert').filter({
      hasText: 'The rule was changed meanwhile, maybe by your try that had no answer.',
    });
    await refusal.getByText(/^This try is not saved\./).waitFor();
    await refusal.getByRole('button', { name: 'Load the new state' }).click();
    await page.getByText('The new state is loaded.').waitFor();
    t.equal(await name.inputValue(), 'Days and nights');
    await page.getByRole('button', { name: 'Close notice' }).click();
    await page.getByText('The new state is loaded.').waitFor({ state: 'detached' });
    Object.assign(rule!, { enabled: false });
    await save.click();
    await loadNew(t, page, 'rule');
    await save.click();
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
    t.match(rule, { name: 'Days and nights', enabled: false });

    const window = mock.world.windows.find(({ state }) => state === 'OPEN')!;
    await page.goto(`${mock.url}/maintenance/${window.id}`);
    await page.getByRole('button', { name: 'Change' }).click();
    const modal = page.getByRole('dialog');
    await modal.getByLabel('Reason').fill('Longer update');
    await modal.getByLabel('End').fill('2099-01-01T10:00');
    const saveWindow = modal.getByRole('button', { name: 'Save changes' });
    await loseOne('**/api/v1/maintenance/**', saveWindow);
    await saveWindow.click();
    await page.getByRole('heading', { name: 'Longer update', level: 1 }).waitFor();
    t.equal(await modal.count(), 0);
    await page.getByRole('button', { name: 'Change' }).click();
    await modal.getByLabel('Reason').fill('Still longer');
    await loseOne('**/api/v1/maintenance/**', saveWindow);
    Object.assign(window, { end: '2099-02-01T10:00:00.000Z' });
    await saveWindow.click();
    await modal
      .getByText('The window was changed meanwhile, maybe by your try that had no answer.')
      .waitFor();
  },
);

/** Sends from a dialog and closes it before the answer. @returns what lets the answer come */
async function closeBefore(page: Page, submit: string, addresses: string): Promise<() => void> {
  const release = await holdAnswers(page, addresses);
  const dialog = page.getByRole('dialog').last();
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  const all = await page.getByRole('dialog').count();
  await dialog.press('Escape');
  await until(async () => (await page.getByRole('dialog').count()) < all, 'the dialog is closed');
  return release;
}

consoleTest(
  'a change of a window whose dialog was closed meanwhile is told, and another dialog stays',
  async ({ mock, open }, t) => {
    const [window] = mock.world.windows;
    const page = await open(`/maintenance/${window!.id}`);
    const notices = page.locator('.notices');
    const change = async (): Promise<() => void> => {
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('Reason').fill('Longer update');
      return closeBefore(page, 'Save changes', '**/api/v1/maintenance/*/*');
    };
    const saved = await change();
    await page.getByRole('button', { name: 'End now' }).click();
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    saved();
    await notices.getByText('The window was changed.', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Longer update', level: 1 }).waitFor({ state: 'attached' });
    await question.getByRole('button', { name: 'No', exact: true }).click();
    await page.unrouteAll();
    const refused = await change();
    Object.assign(window!, { reason: 'Somebody else was here' });
    refused();
    const refusal = notices.getByRole('alert').filter({ hasText: 'The window was not changed.' });
    await refusal.getByText('This was changed since you read it').waitFor();
    t.equal(window!.reason, 'Somebody else was here');
  },
);

consoleTest(
  'an organisation whose form was left meanwhile is told, and the person stays where they are',
  async ({ mock, open }, t) => {
    mock.session = { ...mock.session, orgId: null, userRole: null };
    const page = await open('/login/info');
    const create = async (said: string): Promise<void> => {
      await page.getByRole('link', { name: 'Create organization' }).click();
      await page.getByLabel('Organization name').fill('Northlight');
      const release = await holdAnswers(page, '**/api/v1/orgs');
      await page.getByRole('button', { name: 'Create organization' }).click();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor();
      release();
      await page.locator('.notices').getByText(said, { exact: true }).waitFor();
      t.equal(pathOf(page), '/login/info', said);
      await page.unrouteAll();
    };
    await create('Organization has been created.');
    mock.overrides.set('POST /orgs', () => problem('ORGANIZATION_ALREADY_EXISTS'));
    await create('Organization already exists!');
    mock.overrides.set('POST /orgs', () => problem('UNAVAILABLE'));
    await create('It is not known whether the organization was created');
  },
);

consoleTest('a review whose dialog was closed meanwhile is told', async ({ mock, open }) => {
  const page = await open(`/maintenance/${uuid(702)}`);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('dialog').getByLabel('Note').fill('All of it was the release.');
  const answer = await closeBefore(page, 'Submit', '**/api/v1/maintenance/review/**');
  mock.overrides.set('PUT /maintenance/review/*/*', () => problem('UNAVAILABLE'));
  answer();
  const told = page.locator('.notices').getByRole('alert');
  await told.getByText('It is not known whether the window is reviewed.', { exact: true }).waitFor();
});

consoleTest('a share whose dialog was closed meanwhile is told when it failed', async ({ mock, open }) => {
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('textbox', { name: 'E-mail 1' }).fill('auditor@example.org');
  const answer = await closeBefore(page, 'Share', '**/api/v1/alerts/share/**');
  mock.overrides.set('POST /alerts/share/*/*/*', () => problem('RATE_LIMITED'));
  answer();
  await page.locator('.notices').getByText('An error occurred while sharing the alert.').waitFor();
});

consoleTest(
  'a dismissal whose dialog was closed meanwhile is told, and another dialog stays',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const dismiss = async (): Promise<() => void> => {
      await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
      await page.getByLabel('Note', { exact: true }).fill('The release');
      return closeBefore(page, 'Submit', '**/api/v1/alerts/turnoff/**');
    };
    const refused = await dismiss();
    mock.overrides.set('PUT /alerts/turnoff/*/*/*/*', () => problem('FORBIDDEN'));
    refused();
    await page.locator('.notices').getByText('The alert was not dismissed.', { exact: true }).waitFor();
    await page.unrouteAll();
    mock.overrides.clear();
    const done = await dismiss();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const share = page.getByRole('dialog', { name: 'Share alert' });
    await share.waitFor();
    done();
    await page.locator('.notices').getByText('Alert dismissed', { exact: true }).waitFor();
    t.equal(await share.count(), 1);
  },
);

consoleTest(
  'mails that a link in a mail switched off are not on again with quiet hours',
  async ({ mock, open }, t) => {
    const own = mock.world.ownNotifications;
    const page = await open('/notifications');
    const mails = page.getByLabel('Send me mails');
    await page.getByLabel('Quiet hours').check();
    Object.assign(own, { mails: false });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await loadNew(t, page, 'setting');
    // By keyboard from here on: a notice may lie over the button for some seconds.
    t.match(own, { mails: false, quietHours: null });
    t.notOk(await mails.isChecked());
    await save.press('Enter');
    await page.getByText('Your setting was saved.').waitFor();
    t.match(own, { mails: false, quietHours: { from: '22:00' } });
    await mails.check();
    await save.press('Enter');
    await until(() => own.mails, 'mails are on');
  },
);

consoleTest('a test mail does not hide that a setting was not saved', async ({ mock, open }, t) => {
  const own = mock.world.ownNotifications;
  const page = await open('/notifications');
  await page.getByLabel('Quiet hours').check();
  Object.assign(own, { mails: false });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const refusal = page.getByRole('alert').filter({ hasText: 'The setting was changed meanwhile.' });
  await refusal.waitFor();
  await page.getByRole('button', { name: 'Send me a test' }).click();
  await page.getByText('A test mail is on its way.').waitFor();
  t.equal(await refusal.count(), 1, 'what was refused is still not saved');
  mock.overrides.set('PUT /notifications/own/*', () => problem('OVERLOADED'));
  await save.press('Enter');
  await page.getByText('Your setting was not saved.').waitFor();
  await refusal.waitFor();
  mock.overrides.clear();
  await loadNew(t, page, 'setting');
});

consoleTest('an answer about one user leaves the row of another open', async ({ mock, open }, t) => {
  const page = await open('/users');
  const edit = async (name: string): Promise<Locator> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    return page.getByRole('form', { name: `Edit ${name}` });
  };
  const [, jonas] = mock.world.users;
  const release = await delayAnswers(page, `**/api/v1/users/*/${jonas!.id}`);
  const first = await edit('Jonas Lind');
  await first.getByLabel('Name').fill('Jonas L.');
  await first.getByRole('button', { name: 'Save' }).click();
  await until(() => callsTo(mock, 'PUT', '/users/').length === 1, 'sent');
  await first.getByRole('button', { name: 'Close' }).click();
  const second = await edit('Mei Tan');
  await second.getByLabel('Name').fill('Mei of the day shift');
  release();
  await page.getByRole('row').filter({ hasText: 'Jonas L.' }).waitFor();
  t.equal(await second.getByLabel('Name').inputValue(), 'Mei of the day shift');
});

consoleTest('an assignment whose dialog was closed leaves another dialog open', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const assign = async (): Promise<() => void> => {
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
    return closeBefore(page, 'Assign', '**/api/v1/alerts/assign/*');
  };
  mock.overrides.set('PUT /alerts/assign/*', () => problem('FORBIDDEN'));
  const refused = await assign();
  refused();
  await page.locator('.notices').getByText('The alert was not assigned.', { exact: true }).waitFor();
  await page.unrouteAll();
  mock.overrides.clear();
  const done = await assign();
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  const note = page.getByRole('textbox', { name: 'Note', exact: true });
  await note.fill('The release of Tuesday');
  done();
  await page.getByText('ada@example.org Change').waitFor();
  t.equal(await note.inputValue(), 'The release of Tuesday');
});

consoleTest('the answer to a closed question leaves a later one open', async ({ mock, open }, t) => {
  const page = await open('/notifications');
  const release = await delayAnswers(page, '**/api/v1/notifications/rules/*/*');
  const rules = page.getByRole('table', { name: 'Rules' });
  const isOn = rules.getByRole('switch').first();
  await isOn.click();
  await until(() => callsTo(mock, 'PUT', '/notifications/rules/').length === 1, 'sent');
  await rules
    .getByRole('button', { name: /^Delete / })
    .first()
    .click();
  const question = page.getByRole('alertdialog');
  await question.waitFor();
  const reads = callsTo(mock, 'GET', '/notifications/').length;
  release();
  await until(() => callsTo(mock, 'GET', '/notifications/').length > reads, 'read again');
  t.equal(await question.count(), 1);
});

consoleTest('a view that was not saved is told when its dialog is closed', async ({ mock, open }) => {
  const page = await open('/alerts-history');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('textbox', { name: 'Name of what is shown now' }).fill('Night');
  mock.overrides.set('PUT /alerts/views/*', () => problem('FORBIDDEN'));
  const refused = await closeBefore(page, 'Save', '**/api/v1/alerts/views/*');
  refused();
  await page.locator('.notices').getByText('The views were not saved.', { exact: true }).waitFor();
});
