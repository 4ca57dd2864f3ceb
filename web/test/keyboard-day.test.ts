/** A working day without a pointer: whatever a person has to do can be done by keys alone. */
import type { Locator, Page } from 'playwright-core';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { alert } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { ok } from './mock-routes.ts';
import { callsTo, consoleTest, pressTogether, until } from './support.ts';

/** More stops than any page of the day has. */
const STOPS_MAX = 60;

/** Goes to a control as a person does, by Tab. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(control)}`);
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const noDialog = (page: Page) =>
  until(async () => (await page.locator('dialog').count()) === 0, 'no dialog is open');

/** Types a search and waits for its rows: those of the search before are gone when the whole search is sent. */
async function search(page: Page, mock: Mock, text: string): Promise<void> {
  await page.keyboard.type(text);
  const isWhole = ({ query }: Mock['calls'][number]): boolean => query.get('search') === text;
  await until(() => callsTo(mock, 'GET', '/alerts/').some(isWhole), 'the whole search is sent');
  await page.locator('tbody tr').first().waitFor();
}

function fiftyAlerts({ world }: Mock): void {
  const device = world.devices[1];
  const file = device?.files[0];
  if (device === undefined || file === undefined) throw new Error('a device with a file');
  const raised = Array.from({ length: 50 }, (_, n) =>
    alert(1_000 + n, 'UNEXPECTED_CHANGE', device, { ...file, name: 'deployed.conf' }, world.now - n * 1_000),
  );
  world.alerts.unshift(...raised);
}

consoleTest('a working day is done by keyboard alone', async ({ mock, open }, t) => {
  fiftyAlerts(mock);
  const page = await open('/login', { signedIn: false });
  await tabTo(page, page.getByRole('button', { name: 'Log in with e2wallet' }));
  await press(page, 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();

  await pressTogether(page, 'g', 'a');
  await page.locator('tbody tr').first().waitFor();
  await press(page, '/');
  await search(page, mock, 'deployed.conf');
  await press(page, 'Enter', 'x', 'a');
  await page.getByText('50 alerts selected').waitFor();
  await press(page, 'd');
  await tabTo(page, page.getByRole('button', { name: 'Yes', exact: true }));
  await press(page, 'Enter');
  await page.getByRole('textbox', { name: 'Note' }).waitFor();
  await page.keyboard.type('Deployment 1482 was planned');
  await tabTo(page, page.getByRole('button', { name: 'Submit' }));
  await press(page, 'Enter');
  await page.getByRole('alertdialog', { name: '50 of 50 alerts dismissed' }).waitFor();
  await tabTo(page, page.getByRole('button', { name: 'Done' }));
  await press(page, 'Enter');
  await noDialog(page);
  const handled = callsTo(mock, 'PUT', '/alerts/turnoff/').flatMap(({ body }) => body['ids']);
  t.equal(handled.length, 50);

  await pressTogether(page, 'g', 'd');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await pressTogether(page, 'g', 'a');
  await page.locator('tbody tr').first().waitFor();
  await press(page, '/');
  await search(page, mock, 'application log');
  await press(page, 'Enter');
  await press(page, 'Enter');
  await page.getByRole('dialog', { name: 'Hash breach' }).waitFor();
  await press(page, 's');
  const share = page.getByRole('dialog', { name: 'Share alert' });
  await tabTo(page, share.getByRole('textbox').first());
  await page.keyboard.type('auditor@example.org');
  await press(page, 'Enter');
  await until(() => callsTo(mock, 'POST', '/alerts/share/').length === 1, 'the alert is shared');
  await until(async () => (await share.count()) === 0, 'the question is closed');
  await press(page, 'Escape');
  await noDialog(page);

  const download = page.waitForEvent('download');
  await press(page, 'e');
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Export' }));
  await press(page, 'Enter');
  t.match((await download).suggestedFilename(), /^Alerts_.*\.csv$/);
  await noDialog(page);

  await press(page, 'Control+k');
  await page.getByRole('listbox', { name: 'Found' }).waitFor();
  await page.keyboard.type('log out');
  await press(page, 'Enter');
  await page.waitForURL('**/login');
  t.equal(callsTo(mock, 'POST', '/logout').length, 1);
});

/** Chooses an option of a native select by its first letters. */
async function choose(page: Page, label: string, letters: string): Promise<void> {
  await tabTo(page, page.getByLabel(label));
  await page.keyboard.type(letters);
}

consoleTest('tokens, webhooks and windows are made by keyboard alone', async ({ mock, open }, t) => {
  const device = mock.world.devices[0]!;
  const write = async (page: Page, label: string, text: string) => {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  };
  const addDevice = async (page: Page) => {
    await tabTo(page, page.getByRole('combobox', { name: 'Add a device' }));
    await page.keyboard.type(device.name);
    await page.getByRole('option', { name: device.name, exact: true }).waitFor();
    await press(page, 'Enter');
  };
  const pressButton = async (page: Page, name: string) => {
    await tabTo(page, page.getByRole('button', { name }));
    await press(page, 'Enter');
  };

  const token = await open('/define-service-token');
  await write(token, 'Name', 'Pipeline');
  await choose(token, 'Limited to', 'Some');
  await addDevice(token);
  await pressButton(token, 'Make the token');
  await token.getByRole('heading', { name: 'The token is made' }).waitFor();
  matchWhole(t, callsTo(mock, 'POST', '/service-tokens').at(-1)?.body, {
    name: 'Pipeline',
    limits: { deviceIds: [device.id], labels: [] },
  });

  const webhook = await open('/define-webhook');
  await write(webhook, 'Name', 'Pager');
  await write(webhook, 'URL', 'https://receiver.example.org/pager');
  await pressButton(webhook, 'Make the webhook');
  await until(async () => callsTo(mock, 'POST', '/webhooks').length === 1, 'the webhook is made');

  const window = await open('/define-maintenance');
  await write(window, 'Reason', 'Kernel update');
  await addDevice(window);
  await pressButton(window, 'Make the window');
  await until(async () => callsTo(mock, 'POST', '/maintenance').length === 1, 'the window is made');
  matchWhole(t, callsTo(mock, 'POST', '/maintenance')[0]?.body, { scope: { deviceIds: [device.id] } });
});

const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at === null ? '' : at.id || at.getAttribute('aria-label') || at.textContent.trim();
  });

consoleTest(
  'the focus goes to the content of a page whose link went with the page before',
  async ({ open }, t) => {
    const page = await open('/devices');
    await tabTo(page, page.getByRole('link', { name: 'ledger-db-01' }));
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'ledger-db-01' }).waitFor();
    await until(async () => (await focused(page)) === 'main', 'the content');
    await press(page, 'Tab');
    t.equal(await focused(page), 'Devices', 'its first link');
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await until(async () => (await focused(page)) === 'main', 'the content again');
    const alerts = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts' });
    await alerts.focus();
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Alerts history' }).waitFor();
    await page.locator('tbody tr').first().waitFor();
    t.equal(await focused(page), 'Alerts', 'a link that is still there keeps it');
  },
);

consoleTest(
  'the focus goes to the title of a panel whose button went with the dismissal',
  async ({ open }, t) => {
    const page = await open('/alerts-history');
    await page.locator('tbody tr').first().getByRole('link').first().waitFor();
    await press(page, 'j', 'Enter');
    const panel = page.getByRole('dialog');
    await panel.getByRole('heading', { level: 2 }).waitFor();
    await tabTo(page, panel.getByRole('button', { name: 'Dismiss' }));
    await press(page, 'Enter');
    await tabTo(page, page.getByRole('button', { name: 'Yes', exact: true }));
    await press(page, 'Enter');
    await page.getByRole('textbox', { name: 'Note' }).waitFor();
    await page.keyboard.type('Planned');
    await tabTo(page, page.getByRole('button', { name: 'Submit' }));
    await press(page, 'Enter');
    await until(async () => (await page.locator('dialog').count()) === 1, 'the panel alone');
    const title = panel.getByRole('heading', { level: 2 });
    const hasFocus = () => title.evaluate((element) => element === document.activeElement);
    await until(hasFocus, 'the focus is at the title');
    t.ok(await hasFocus());
  },
);

/** Waits until an element has the focus. */
const hasFocus = (control: Locator, message: string): Promise<void> =>
  until(() => control.evaluate((element) => element === document.activeElement), message);

consoleTest('the focus stays where a row or its button was', async ({ mock, open }) => {
  const answer = async (page: Page): Promise<void> => {
    await page.getByRole('alertdialog').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Yes', exact: true }));
    await press(page, 'Enter');
    await noDialog(page);
  };
  const tokens = await open('/service-tokens');
  await tabTo(tokens, tokens.getByRole('button', { name: 'End Report of the night' }));
  await press(tokens, 'Enter');
  await answer(tokens);
  const ended = tokens.getByRole('row', { name: /Report of the night/ });
  await ended.getByText('Ended', { exact: true }).waitFor();
  await hasFocus(ended, 'at the token that has no button any more');

  const device = mock.world.devices[0]!;
  device.files.splice(1);
  mock.overrides.set('DELETE /files/*/*/*', () => {
    device.files.splice(0);
    return ok({});
  });
  const files = await open(`/device/${device.id}`);
  await tabTo(files, files.getByRole('row').getByRole('button', { name: /^Actions for/ }));
  await press(files, 'Enter', 'ArrowUp', 'Enter');
  await answer(files);
  await files.getByText('There are no files added yet.').waitFor();
  await hasFocus(files.locator('main'), 'at the page, which has no row any more');

  const webhook = await open(`/webhook/${mock.world.webhooks[0]!.id}`);
  await tabTo(webhook, webhook.getByRole('button', { name: 'Rotate the secret' }));
  await press(webhook, 'Enter');
  await answer(webhook);
  await tabTo(webhook, webhook.getByRole('button', { name: 'Done' }));
  await press(webhook, 'Enter');
  await webhook.getByText('The secret is shown only now.').waitFor({ state: 'detached' });
  await hasFocus(webhook.locator('main'), 'at the page, whose secret is gone');
});

consoleTest(
  'the focus is at the file that was added, and at the one in the place of a deleted',
  async ({ mock, open }) => {
    const page = await open(`/device/${mock.world.devices[0]!.id}/add-files`);
    const group = (number: number): Locator =>
      page.getByRole('group', { name: `File ${number}`, exact: true });
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    const use = async (name: string): Promise<void> => {
      await tabTo(page, button(name));
      await press(page, 'Enter');
    };
    await use('Add files');
    await hasFocus(page.getByLabel('File name'), 'at the first field with an error');
    await use('Add another file +');
    await hasFocus(group(2), 'at the added file');
    await use('Same settings + as File 2');
    await hasFocus(group(3), 'at the copy');
    await button('Delete File 1').focus();
    await press(page, 'Enter');
    await hasFocus(group(1), 'at the file in its place');
    await use('Delete File 2');
    await hasFocus(group(1), 'at the last file');
    await use('Add many files at once');
    await hasFocus(page.getByLabel('Paths or CSV'), 'at the field for paths');
    await button('Close').focus();
    await press(page, 'Enter');
    await hasFocus(button('Add many files at once'), 'at the button that opened it');

    const token = await open('/define-enrolment');
    await tabTo(token, token.getByRole('button', { name: 'Add a file +' }));
    await press(token, 'Enter');
    await hasFocus(token.getByRole('group', { name: 'File 1', exact: true }), 'at the file of the template');
    await tabTo(token, token.getByRole('button', { name: 'Delete File 1' }));
    await press(token, 'Enter');
    await hasFocus(token.getByRole('button', { name: 'Add a file +' }), 'at the button that adds one');
  },
);
