/** The keyboard in the browser: which keys do what, and where they do nothing. */
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import { consoleTest, holdAnswers, pathOf, pressTogether, until } from './support.ts';

const FIELD = 'Find a page, device, file or action';

const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.closest('tr')?.innerText ?? '');
const rowText = (page: Page, at: number): Promise<string> => page.locator('tbody tr').nth(at).innerText();

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

consoleTest('rows are moved through, selected, opened and closed by keys', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  await press(page, 'j');
  t.equal(await focusedText(page), await rowText(page, 0));
  await press(page, 'j', 'j', 'k');
  t.equal(await focusedText(page), await rowText(page, 1));
  await press(page, 'x');
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByText('1 alert selected').waitFor();
  await press(page, 'k', 'X');
  await bar.getByText('2 alerts selected').waitFor();
  await press(page, 'd');
  const question = page.getByRole('alertdialog', { name: 'Are you sure you want to dismiss 2 alerts?' });
  await question.waitFor();
  await press(page, 'x', 'j');
  await pressTogether(page, 'g', 'd');
  t.equal(pathOf(page), '/alerts-history', 'a question has no shortcuts');
  await press(page, 'Escape');
  await until(async () => (await question.count()) === 0, 'the question is closed');
  t.equal(await focusedText(page), await rowText(page, 0), 'the focus is back on the row');
  await press(page, 'Enter');
  await page.getByRole('dialog', { name: 'Hash breach' }).waitFor();
  await press(page, 'j');
  await page.getByRole('dialog', { name: 'Unexpected change' }).waitFor();
  await press(page, 'r');
  const reset = page.getByRole('alertdialog', {
    name: 'Are you sure you want to reset the chain of this file?',
  });
  await reset.waitFor();
  await press(page, 'Escape');
  await until(async () => (await reset.count()) === 0, 'the question is closed');
  await press(page, 'Escape');
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the panel is closed');
  t.equal(pathOf(page), '/alerts-history');
});

consoleTest("a key that is pressed as a dialog goes is the page's", async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  await press(page, 'e');
  const dialog = page.getByRole('dialog', { name: 'Export alerts' });
  await dialog.waitFor();
  // The observer is told before the browser does anything else: no person and no busy machine presses a key sooner.
  await page.evaluate(() => {
    const key = () => new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true });
    new MutationObserver((_, observer) => {
      if (document.querySelector('dialog') !== null) return;
      observer.disconnect();
      document.body.dispatchEvent(key());
    }).observe(document.body, { childList: true, subtree: true });
  });
  await dialog.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('combobox', { name: FIELD }).waitFor();
  t.equal(await page.getByRole('dialog').count(), 1, 'the palette is open, the export is not');
});

consoleTest('pages are gone to by two keys, by administrators to more', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  const places: [keys: string, heading: string][] = [
    ['ga', 'Alerts history'],
    ['gv', 'Devices'],
    ['gu', 'Users management'],
    ['gt', 'Enrolment tokens'],
    ['cd', 'Adding device'],
    ['gd', 'Dashboard'],
    ['gp', 'Check a proof'],
  ];
  for (const [keys, name] of places) {
    await pressTogether(page, ...keys);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  const regular = await open('/dashboard');
  await regular.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await pressTogether(regular, 'g', 't');
  await pressTogether(regular, 'g', 'v');
  await regular.getByRole('heading', { level: 1, name: 'Devices', exact: true }).waitFor();
  await press(regular, '?');
  await regular.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  t.equal(await regular.getByText('Enrolment tokens').count(), 0, 'they are not offered either');
});

consoleTest('what is typed is text, and Escape gives the keys back to the list', async ({ open }, t) => {
  const page = await open('/devices');
  await page.locator('tbody tr').first().waitFor();
  const search = page.getByRole('searchbox', { name: 'Search devices' });
  await press(page, '/');
  await page.keyboard.type('gad');
  t.equal(await search.inputValue(), 'gad');
  t.equal(pathOf(page), '/devices');
  await press(page, 'Escape');
  await until(async () => (await search.inputValue()) === '', 'the search is empty');
  await press(page, 'Escape', 'j');
  t.match(await focusedText(page), await rowText(page, 0));
  await page.getByRole('button', { name: 'User menu' }).click();
  await pressTogether(page, 'g', 'a');
  t.equal(pathOf(page), '/devices', 'a menu has its own keys');
  await press(page, 'Escape', 'Control+k');
  await page.getByRole('combobox', { name: FIELD }).fill('ga');
  t.equal(pathOf(page), '/devices', 'nor is the palette a place for shortcuts');
});

consoleTest('single keys can be switched off, for good; Ctrl K stays', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  t.equal(await page.getByRole('button', { name: 'Export CSV' }).getAttribute('aria-keyshortcuts'), 'e');
  await page.getByRole('button', { name: 'User menu' }).click();
  const single = page.getByRole('menuitemcheckbox', { name: 'Single-key shortcuts' });
  t.equal(await single.getAttribute('aria-checked'), 'true');
  await single.click();
  t.equal(await single.getAttribute('aria-checked'), 'false');
  await press(page, 'Escape');
  await page.reload();
  await page.locator('tbody tr').first().waitFor();
  t.equal(await page.getByRole('button', { name: 'Export CSV' }).getAttribute('aria-keyshortcuts'), null);
  t.equal(await page.locator('main kbd').count(), 0, 'nothing is promised');
  await press(page, 'j', 'e');
  await pressTogether(page, 'g', 'd');
  await press(page, '?');
  t.equal(await focusedText(page), '');
  t.equal(await page.getByRole('dialog').count(), 0);
  t.equal(pathOf(page), '/alerts-history');
  await press(page, 'Control+k');
  await page.getByRole('combobox', { name: FIELD }).fill('single');
  await press(page, 'Enter');
  await press(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

consoleTest('the palette finds pages, devices, files and what the page can do', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Find and go' }).click();
  const field = page.getByRole('combobox', { name: FIELD });
  const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
  const chosen = page.locator('.palette-item[aria-selected=true]');
  await field.fill('ledger pg_hba');
  await chosen.getByText('pg_hba.conf').waitFor();
  t.equal(await options.count(), 1, 'every word counts');
  await press(page, 'Enter');
  await page.getByRole('dialog', { name: 'pg_hba.conf' }).waitFor();
  t.equal(pathOf(page), `/device/${uuid(102)}`);
  await press(page, 'Control+k');
  await field.fill('audit');
  await chosen.getByText('audit.log').waitFor();
  await field.fill('edge');
  await chosen.getByText('edge-gateway-fra').waitFor();
  await press(page, 'ArrowDown', 'ArrowUp', 'Enter');
  await page.getByRole('heading', { level: 1, name: 'edge-gateway-fra' }).waitFor();
  await pressTogether(page, 'g', 'a');
  await page.locator('tbody tr').first().waitFor();
  await press(page, 'Control+k');
  await field.fill('export');
  await press(page, 'Enter');
  await page.getByRole('dialog', { name: 'Export alerts' }).waitFor();
  await press(page, 'Escape');
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the export is closed');
  await press(page, 'Control+k');
  await field.fill('no such thing');
  await page.getByText('Nothing found.').waitFor();
  await press(page, 'Escape');
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the palette is closed');
  mock.overrides.set('GET /devices/*', () => ({ status: 500, body: {} }));
  await press(page, 'Control+k');
  await page.getByText('Devices could not be read.').waitFor();
  await field.fill('users');
  await press(page, 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Users management' }).waitFor();
});

consoleTest(
  'the palette does not say that nothing is found before it has looked',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    await page.getByRole('table', { name: 'Users' }).waitFor();
    const release = await holdAnswers(page, '**/api/v1/devices/*');
    const releaseFiles = await holdAnswers(page, '**/api/v1/devices/*/*');
    await press(page, 'Control+k');
    const foot = page.locator('.palette-foot');
    await page.getByRole('combobox', { name: FIELD }).fill('ledger pg_hba');
    await foot.getByText('Devices are being read.').waitFor();
    release();
    await foot.getByText('Files are being read.').waitFor();
    mock.overrides.set('GET /devices/*/*', () => problem('UNAVAILABLE'));
    releaseFiles();
    await foot.getByText('Files of ledger-db-01 could not be read.').waitFor();
    t.equal(await foot.getByText('Nothing found').count(), 0);
  },
);

consoleTest(
  'the palette says how many it does not show, and whose files it did not look at',
  async ({ mock, open }, t) => {
    const [first] = mock.world.devices;
    if (first === undefined) throw new Error('no device');
    const made = Array.from({ length: 12 }, (_, n) => ({ ...first, id: uuid(900 + n), name: `rack-${n}` }));
    mock.world.devices.push(...made);
    const page = await open('/users');
    await page.getByRole('table', { name: 'Users' }).waitFor();
    await press(page, 'Control+k');
    const field = page.getByRole('combobox', { name: FIELD });
    await field.fill('rack');
    await page.getByRole('group', { name: 'Devices, 8 of 12' }).waitFor();
    await field.fill('rack nginx');
    await page
      .locator('.palette-foot')
      .getByText('Files of 12 devices were not looked at: name one device.')
      .waitFor();
    t.equal(await page.getByText('Nothing found').count(), 0, 'nobody looked');
    await field.fill('rack-11');
    await page.getByRole('group', { name: 'Devices', exact: true }).waitFor();
  },
);

consoleTest('a page with unsaved changes asks before a shortcut leaves it', async ({ open }, t) => {
  const page = await open('/define-user');
  await page.getByRole('textbox', { name: 'Name' }).fill('Grace');
  await page.getByRole('heading', { level: 1 }).click();
  await pressTogether(page, 'g', 'd');
  const question = page.getByRole('alertdialog');
  await question.waitFor();
  await question.getByRole('button', { name: 'No', exact: true }).click();
  t.equal(pathOf(page), '/define-user');
});

consoleTest('the help shows the table, and every key a pointer would look for', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('tbody tr').first().waitFor();
  t.equal(
    await page.getByRole('link', { name: 'Devices', exact: true }).getAttribute('title'),
    'Devices (G V)',
  );
  t.match(await page.getByRole('searchbox').getAttribute('title'), /\(\/\)$/);
  t.equal(await page.getByRole('button', { name: 'Find and go' }).locator('.keys').innerText(), 'Ctrl\nK');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.locator('dl').first().waitFor();
  const lines = await help.locator('dl > div').allInnerTexts();
  const said = lines.map((text) => text.replaceAll('\n', ''));
  for (const line of ['Next rowJ', 'DismissD', 'AlertsGA', 'Close what is openEsc'])
    t.ok(said.includes(line), line);
});
