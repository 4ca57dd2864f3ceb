import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { callsOnceQuiet, callsTo, consoleTest } from './support.ts';
import { problem } from './mock-routes.ts';

consoleTest('an administrator sees the service tokens, and ends one', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.getByRole('link', { name: 'Service tokens' }).click();
  const rows = page.getByRole('table', { name: 'Service tokens' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = async (n: number) => (await rows.nth(n).getByRole('cell').allInnerTexts()).slice(0, 6);
  matchList(t, await cells(0), [
    /Report of the night/,
    'Valid',
    'Regular user, reading only',
    'The whole organization',
    String,
    /from 203\.0\.113\.7/,
  ]);
  matchList(t, await cells(1), [
    /Pipeline of Graz/,
    'Valid',
    'Regular user, reading only',
    /ledger-db-01\s*site:graz\s*site:wien/,
    String,
    /from 203\.0\.113\.7/,
  ]);
  matchList(t, await cells(2), [/Rollout/, 'Expired', String, 'The whole organization', String, 'Never']);
  t.equal(await rows.nth(2).getByRole('button').count(), 0, 'what is over cannot be ended');

  await rows.first().getByRole('button', { name: 'End Report of the night' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('Every program that uses it is refused from now on.').waitFor();
  await question.getByRole('button', { name: 'Yes' }).click();
  await rows.first().getByText('Ended').waitFor();
  t.equal(callsTo(mock, 'DELETE', '/service-tokens').length, 1);
});

consoleTest('the description of the API is linked where programs get their tokens', async ({ open }, t) => {
  const page = await open('/service-tokens');
  const link = page.getByRole('link', { name: 'API reference' });
  t.equal(await link.getAttribute('href'), '/api/v1/docs');
  t.equal(await link.getAttribute('target'), '_blank');
  await page.getByRole('button', { name: 'User menu' }).click();
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'API reference' }).click(),
  ]);
  t.match(opened.url(), /\/api\/v1\/docs$/);
});

consoleTest('a service token is made, and shown once', async ({ mock, open }, t) => {
  const page = await open('/service-tokens');
  await page.getByRole('link', { name: 'Make a token' }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('Name is required').waitFor();
  await page.getByLabel('Ends after (days)').fill('366');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('A number from 1 to 365 is required').waitFor();
  t.equal(callsTo(mock, 'POST', '/service-tokens').length, 0, 'nothing is sent');
  await page.getByLabel('Name', { exact: true }).fill(' Nightly report ');
  await page.getByLabel('Ends after (days)').fill('30');
  mock.overrides.set('POST /service-tokens/*', () =>
    problem('LIMIT_REACHED', 'An organisation has at most 100.'),
  );
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('An organisation has at most 100.').waitFor();
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'The token');
  t.equal(await page.getByText(/^curl -H "Authorization: Bearer sst1\.\S+" http\S+$/).count(), 1);
  t.match(callsTo(mock, 'POST', '/service-tokens').at(-1)?.body, {
    name: 'Nightly report',
    role: 'REGULAR',
    readOnly: true,
    expiresInDays: 30,
  });
  t.notMatch(
    await page.evaluate(() => JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])),
    'sst1.',
  );
  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Service tokens' }).waitFor();
  t.equal(await page.getByText('sst1.').count(), 0, 'it is not shown again');
});

consoleTest('a service token is limited to devices, or to labels', async ({ mock, open }, t) => {
  const page = await open('/define-service-token');
  await page.getByLabel('Name', { exact: true }).fill('Pipeline');
  await page.getByLabel('Limited to').selectOption('DEVICES');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('Choose at least one device').waitFor();
  await page.getByLabel('Limited to').selectOption('LABELS');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('Write at least one label').waitFor();
  const labels = page.getByLabel('Labels');
  await labels.fill('graz');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('graz is not of the form key:value').waitFor();
  t.equal(callsTo(mock, 'POST', '/service-tokens').length, 0, 'nothing is sent');
  await labels.fill('site:graz\nsite:wien');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();
  matchWhole(t, callsTo(mock, 'POST', '/service-tokens').at(-1)?.body, {
    limits: { deviceIds: [], labels: ['site:graz', 'site:wien'] },
  });

  await page.goto(new URL('/define-service-token', page.url()).href);
  await page.getByLabel('Name', { exact: true }).fill('Pipeline');
  await page.getByLabel('Limited to').selectOption('DEVICES');
  const device = mock.world.devices[0]!;
  await page.getByRole('combobox', { name: 'Add a device' }).click();
  await page.getByRole('option', { name: device.name, exact: true }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();
  matchWhole(t, callsTo(mock, 'POST', '/service-tokens').at(-1)?.body, {
    limits: { deviceIds: [device.id], labels: [] },
  });
});

consoleTest(
  'service tokens: nothing there, nothing to be had, and not for everybody',
  async ({ mock, open }, t) => {
    mock.world.serviceTokens = [];
    const page = await open('/service-tokens');
    await page.getByText('There is no service token yet.').waitFor();
    mock.overrides.set('GET /service-tokens/*', () => problem('UNAVAILABLE'));
    await page.reload();
    await page.getByText('Service tokens cannot be shown').waitFor();
    await callsOnceQuiet(page, mock);
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There is no service token yet.').waitFor();

    mock.session = { ...mock.session, userRole: 'REGULAR' };
    await page.reload();
    await page.getByRole('heading', { name: 'Users management' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'Service tokens' }).count(), 0);
  },
);
