/** Sessions that come back, and sessions that end. */
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import { callsOnceQuiet, callsTo, consoleTest, live, loseAnswers, pathOf, until } from './support.ts';

consoleTest(
  '[S7.1] a session whose XSRF cookie is gone gets the cookie again and can work',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    await page.getByRole('table', { name: 'Alerts' }).waitFor();
    // A page that begins without the stream reads the session again when the stream comes, with the cookie.
    await callsOnceQuiet(page, mock);
    await page.context().clearCookies();
    const sessions = callsTo(mock, 'GET', '/session').length;
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    await page.getByRole('list', { name: 'Link chain, newest first' }).waitFor();
    t.equal(callsTo(mock, 'GET', '/session').length, sessions + 1);
    t.equal(callsTo(mock, 'PUT', '/files/chain/').length, 2, 'the refused call was repeated once');
  },
);

consoleTest(
  '[S7.26] a log out that fails says so, and the person stays signed in',
  async ({ mock, open }, t) => {
    mock.overrides.set('POST /logout', () => problem('RATE_LIMITED'));
    const page = await open('/dashboard');
    const logOut = async () => {
      await page.getByRole('button', { name: 'User menu' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
    };
    await logOut();
    await page.getByRole('alert').filter({ hasText: 'You are still logged in.' }).waitFor();
    t.equal(pathOf(page), '/dashboard');
    t.not(await page.evaluate(() => localStorage.getItem('sentinel.user')), null);
    mock.overrides.clear();
    await logOut();
    await page.waitForURL('**/login');
    t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), null);
  },
);

consoleTest('[S7.26] a log out without an answer promises nothing', async ({ open }, t) => {
  const page = await open('/dashboard');
  await loseAnswers(page, '**/api/v1/logout');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'It is not known whether you are logged out.' });
  await notice.getByText('Log out again to be sure.').waitFor();
  t.equal(await page.getByText('You are still logged in.').count(), 0);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
});

consoleTest(
  '[S4.17] [S8.26] a log out whose session has just ended is a log out: nothing is kept',
  async ({ mock, open }, t) => {
    const page = await open('/add-device');
    await page.getByLabel('Device name').fill('secret project');
    await live(page);
    mock.revoked = true;
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.waitForURL('**/login');
    const login = page.getByRole('button', { name: 'Log in with e2wallet' });
    await login.waitFor();
    t.equal(await page.getByText('Your session has ended.').count(), 0);
    t.equal(await page.evaluate(() => localStorage.getItem('sentinel.user')), null);
    mock.revoked = false;
    await login.click();
    await page.waitForURL('**/dashboard');
    await page.getByRole('link', { name: 'Add device' }).click();
    t.equal(await page.getByLabel('Device name').inputValue(), '');
    t.equal(await page.getByText('What you typed is back.').count(), 0);
  },
);

const forms: [path: string, field: string, question: string][] = [
  ['/add-device', 'Device name', 'Do you want to quit device adding?'],
  [`/device/${uuid(101)}/add-files`, 'File name', 'Do you want to quit adding files?'],
  [`/device/${uuid(101)}/edit-file/${uuid(1004)}`, 'File name', 'Do you want to quit file editing?'],
  ['/define-user', 'Name', 'Do you want to quit adding a user?'],
];

consoleTest(
  '[S2.7] [S4.14] leaving a form with unsaved input asks, by a link and by Log out',
  async ({ mock, open }, t) => {
    for (const [path, field, title] of forms) {
      const page = await open(path);
      await page.getByLabel(field, { exact: true }).fill('x');
      const question = page.getByRole('alertdialog', { name: title });
      const answer = (name: 'Yes' | 'No') => question.getByRole('button', { name, exact: true }).click();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await question.getByText('The data you entered will be lost.').waitFor();
      await answer('No');
      await until(async () => (await question.count()) === 0, 'No closes');
      t.equal(pathOf(page), path);
      await page.getByRole('button', { name: 'User menu' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await question.waitFor();
      t.equal(callsTo(mock, 'POST', '/logout').length, 0, 'nothing is sent before the answer');
      await answer('Yes');
      await page.waitForURL('**/login');
      mock.calls.length = 0;
    }
  },
);
