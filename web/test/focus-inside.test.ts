/** Where the focus of a keyboard goes in lists whose items go, and in lists that open. */
import type { Locator, Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { consoleTest, until } from './support.ts';

const hasFocus = (control: Locator, message: string): Promise<void> =>
  until(() => control.evaluate((element) => element === document.activeElement), message);

/** Presses a button as a person without a pointer does. */
async function use(button: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
}

consoleTest('the focus stays among the addresses when one is removed', async ({ mock, open }, t) => {
  const [alert] = mock.world.alerts;
  const page = await open(`/alerts-history?alert=${alert?.id}&in=${alert?.deviceId}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const share = page.getByRole('dialog', { name: 'Share alert' });
  for (const number of [1, 2, 3]) {
    await share.getByLabel(`E-mail ${number}`, { exact: true }).fill(`auditor${number}@example.org`);
    if (number < 3) await share.getByRole('button', { name: 'Add another e-mail +' }).click();
  }
  await use(share.getByRole('button', { name: 'Remove e-mail 1' }));
  const first = share.getByLabel('E-mail 1', { exact: true });
  await hasFocus(first, 'at the address in its place');
  t.equal(await first.inputValue(), 'auditor2@example.org');
  await use(share.getByRole('button', { name: 'Remove e-mail 2' }));
  await hasFocus(share.getByRole('button', { name: 'Add another e-mail +' }), 'at what follows the last one');
});

consoleTest('the focus stays among the saved views when one is deleted', async ({ mock, open }) => {
  mock.world.savedViews = ['Mine', 'Open', 'Old'].map((name) => ({ name, query: 'status=ACTIVE' }));
  const page = await open('/alerts-history');
  await page.getByRole('button', { name: 'Saved views' }).click();
  const views = page.getByRole('dialog', { name: 'Saved views' });
  await use(views.getByRole('button', { name: 'Delete the view Mine' }));
  await hasFocus(views.getByRole('link', { name: 'Open' }), 'at the view in its place');
  await use(views.getByRole('button', { name: 'Delete the view Old' }));
  await hasFocus(views.getByLabel('Name of what is shown now'), 'at what follows the last one');
});

consoleTest('the focus stays in a form when a chosen value is removed', async ({ mock, open }) => {
  const [device, other] = mock.world.devices;
  const page = await open('/define-maintenance');
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Add a device' }).fill(name);
    await page.getByRole('option', { name, exact: true }).click();
  };
  await choose(device?.name ?? '');
  await choose(other?.name ?? '');
  await use(page.getByRole('button', { name: `Leave out ${device?.name}`, exact: true }));
  await hasFocus(
    page.getByRole('button', { name: `Leave out ${other?.name}`, exact: true }),
    'at the other one',
  );
  await use(page.getByRole('button', { name: `Leave out ${other?.name}`, exact: true }));
  await hasFocus(page.getByRole('combobox', { name: 'Add a device' }), 'at the field that adds one');
});

consoleTest('the focus stays in the filters when one of them is taken off', async ({ open }) => {
  const page = await open(`/alerts-history?content=${'a'.repeat(64)}`);
  await use(page.getByRole('button', { name: /^Content a/ }));
  await page.getByRole('button', { name: /^Content a/ }).waitFor({ state: 'detached' });
  await hasFocus(page.getByLabel('Group'), 'at the next filter');
});

/** Returns whether an option is seen whole in its list. */
const isSeen = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const option = document.querySelector('[role=option][data-active]')?.getBoundingClientRect();
    const list = document.querySelector('[role=listbox]')?.getBoundingClientRect();
    return (
      option !== undefined &&
      list !== undefined &&
      option.top >= list.top - 1 &&
      option.bottom <= list.bottom + 1
    );
  });

consoleTest('the option that Enter would choose is always seen', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  for (let n = 0; n < 40 && device !== undefined; n += 1)
    mock.world.devices.push({ ...device, id: uuid(5_000 + n), name: `shelf-${String(n).padStart(2, '0')}` });
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  const devices = page.getByRole('combobox', { name: 'Device' });
  await devices.focus();
  await devices.press('ArrowDown');
  for (let n = 0; n < 20; n += 1) await devices.press('ArrowDown');
  t.ok(await isSeen(page), 'after many steps down');
  const before = await page.evaluate(() => scrollY);
  await devices.press('Home');
  for (let n = 0; n < 22; n += 1) await devices.press('ArrowUp');
  t.ok(await isSeen(page), 'from the first to the last');
  t.equal(await page.evaluate(() => scrollY), before, 'the page itself stays');
});

consoleTest('Escape in an open list closes the list, not the dialog around it', async ({ mock, open }, t) => {
  const [alert] = mock.world.alerts;
  const page = await open(`/alerts-history?alert=${alert?.id}&in=${alert?.deviceId}`);
  await page
    .getByRole('button', { name: /^Assign|^Change/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Assign this alert' });
  const person = dialog.getByRole('combobox', { name: 'Person' });
  await person.click();
  await dialog.getByRole('option').first().waitFor();
  await person.press('Escape');
  await dialog.getByRole('listbox').waitFor({ state: 'detached' });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
  t.equal(await dialog.count(), 1, 'the dialog is still open');
  await person.press('Escape');
  await until(async () => (await dialog.count()) === 0, 'and closes with the next one');
});

consoleTest('the focus stays in the panel when the sharing of its alert is ended', async ({ mock, open }) => {
  const [alert] = mock.world.alerts;
  const shareExpiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const sharedData = [{ emailAddress: 'auditor@example.org', timestamp: '2026-01-01T00:00:00.000Z' }];
  Object.assign(alert ?? {}, { shared: true, sharedData, shareExpiresAt });
  const page = await open(`/alerts-history?alert=${alert?.id}&in=${alert?.deviceId}`);
  const end = page.getByRole('button', { name: 'End sharing' });
  await use(end);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).press('Enter');
  await end.waitFor({ state: 'detached' });
  await until(
    () => page.evaluate(() => document.activeElement?.closest('.side-modal') !== null),
    'the focus is in the panel',
  );
});
