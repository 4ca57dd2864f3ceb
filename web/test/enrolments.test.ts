import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { callsOnceQuiet, callsTo, consoleTest, live, pathOf, until } from './support.ts';
import { problem } from './mock-routes.ts';

consoleTest('an administrator sees the enrolment tokens, and ends one', async ({ mock, open }, t) => {
  const page = await open('/devices');
  await page.getByRole('link', { name: 'Enrolment tokens' }).click();
  const rows = page.getByRole('table', { name: 'Enrolment tokens' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = async (n: number) => (await rows.nth(n).getByRole('cell').allInnerTexts()).slice(0, 5);
  matchList(t, await cells(0), [
    /Web servers of Frankfurt\n.*1 file, named \{host\}/,
    'Usable',
    '388 of 500',
    String,
    String,
  ]);
  matchList(t, await cells(1), [/Cluster/, 'Expired', '1 of 1', String, 'Never']);
  t.equal(await rows.nth(1).getByRole('button').count(), 0, 'what is over cannot be ended');

  await rows.first().getByRole('button', { name: 'End Web servers of Frankfurt' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('The devices that it made stay.').waitFor();
  await question.getByRole('button', { name: 'No' }).click();
  await question.waitFor({ state: 'detached' });
  t.equal(callsTo(mock, 'DELETE', '/enrolments').length, 0);
  await rows.first().getByRole('button', { name: 'End Web servers of Frankfurt' }).press('Enter');
  await question.getByRole('button', { name: 'Yes' }).click();
  await rows.first().getByText('Ended').waitFor();
  t.equal(callsTo(mock, 'DELETE', '/enrolments').length, 1);
});

consoleTest('a token is made with a template, and its command is shown once', async ({ mock, open }, t) => {
  const page = await open('/enrolments');
  await page.getByRole('link', { name: 'Make a token' }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('Name is required').waitFor();
  t.equal(callsTo(mock, 'POST', '/enrolments').length, 0, 'nothing is sent');
  await page.getByLabel('Name', { exact: true }).fill('Web servers');
  await page.getByLabel('Devices', { exact: true }).fill('20');
  await page.getByLabel('Device name').fill('web {host}');
  await page.getByLabel('Device path').fill('/srv/web');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await page.getByRole('button', { name: 'Add a file +' }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('File name is required').waitFor();
  await page.getByLabel('File name').fill('Log');
  await page.getByLabel('File type').selectOption('TEXT');
  await page.getByLabel('File path').fill('logs/web.log');
  await page.getByLabel('Monitoring frequency').selectOption('FOLLOW');
  await page.getByLabel('Is file editable').selectOption('yes');
  await page.getByLabel('Is file rolled').selectOption('no');
  mock.overrides.set('POST /enrolments/*', () =>
    problem('LIMIT_REACHED', 'An organization has at most 100.'),
  );
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('An organization has at most 100.').waitFor();
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'The token');
  const shown = await page.getByText(/^sentinel agent enrol --server http\S+ --token enr1\.\S+$/).count();
  t.equal(shown, 1);
  matchWhole(t, callsTo(mock, 'POST', '/enrolments').at(-1)?.body, {
    name: 'Web servers',
    namePattern: 'web {host}',
    uses: 20,
    expiresInDays: 7,
    template: {
      path: '/srv/web',
      category: 'MISSION_CRITICAL',
      files: [{ name: 'Log', path: 'logs/web.log' }],
    },
  });
  t.notMatch(
    await page.evaluate(() => JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])),
    'enr1.',
  );
  await live(page);
  const none = page.getByText('None yet. Devices appear here as they enrol.');
  await none.waitFor();
  mock.send('resync', {});
  await page.getByText('Live updates were interrupted').waitFor();
  t.equal(await none.count(), 0, 'nobody knows whether a device enrolled meanwhile');
  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Enrolment tokens' }).waitFor();
  t.equal(await page.getByText('enr1.').count(), 0, 'it is not shown again');
});

consoleTest(
  'enrolment tokens: nothing there, nothing to be had, and not for everybody',
  async ({ mock, open }, t) => {
    mock.world.enrolments = [];
    const page = await open('/enrolments');
    await page.getByText('There is no enrolment token yet.').waitFor();
    mock.overrides.set('GET /enrolments/*', () => problem('UNAVAILABLE'));
    await page.reload();
    await page.getByText('Enrolment tokens cannot be shown').waitFor();
    await callsOnceQuiet(page, mock);
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There is no enrolment token yet.').waitFor();

    mock.session = { ...mock.session, userRole: 'REGULAR' };
    for (const path of ['/enrolments', '/define-enrolment']) {
      await page.goto(new URL(path, page.url()).href);
      await until(() => pathOf(page) === '/devices', 'sent to the devices');
      await page.getByText('Only administrators can open that page.').waitFor();
    }
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'Enrolment tokens' }).count(), 0);
  },
);
