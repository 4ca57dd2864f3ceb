import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { Page } from 'playwright-core';
import type { Mock } from './mock-api.ts';
import { ok, problem } from './mock-routes.ts';
import {
  callsOnceQuiet,
  callsTo,
  consoleTest,
  delayAnswers,
  holdAnswers,
  live,
  loseAnswers,
  pathOf,
  until,
} from './support.ts';

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
    problem('LIMIT_REACHED', 'An organization has at most 100.'),
  );
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('An organization has at most 100.').waitFor();
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

consoleTest('nobody leaves before the token is shown without a word', async ({ mock, open }, t) => {
  const page = await open('/define-service-token');
  const make = page.getByRole('button', { name: 'Make the token' });
  const question = page.getByRole('alertdialog', { name: 'Do you want to leave before the token is shown?' });
  const answer = (name: string) => question.getByRole('button', { name, exact: true });
  const leave = async (): Promise<void> => {
    await page.getByRole('link', { name: 'Devices' }).click();
    await question.getByText('It is shown only once, on this page.').waitFor();
  };
  const begin = async (): Promise<() => Promise<void>> => {
    await page.goto(`${mock.url}/define-service-token`);
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    const release = await holdAnswers(page, '**/api/v1/service-tokens/*');
    await make.click();
    await leave();
    return async () => {
      release();
      await page.unroute('**/api/v1/service-tokens/*');
    };
  };
  const stay = await begin();
  await answer('No').click();
  await until(async () => (await question.count()) === 0, 'No closes');
  await leave();
  await stay();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();
  t.equal(await question.count(), 0, 'there is nothing to be lost any more');
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'The token');

  const go = await begin();
  await answer('Yes').click();
  await until(() => pathOf(page) === '/devices', 'left');
  await go();
  const unseen = page.getByRole('alert').filter({ hasText: 'A token was made and not shown.' });
  await unseen.getByText('End it, and make another one.', { exact: true }).waitFor();
  t.equal(pathOf(page), '/devices');
  await unseen.getByRole('button', { name: 'Service tokens' }).click();
  await page.getByRole('table', { name: 'Service tokens' }).waitFor();

  mock.overrides.set('POST /service-tokens/*', () => problem('LIMIT_REACHED', 'At most 100.'));
  const refused = await begin();
  await answer('Yes').click();
  await until(() => pathOf(page) === '/devices', 'left again');
  await refused();
  const notice = page.getByRole('alert').filter({ hasText: 'The token was not made.' });
  await notice.getByText('At most 100.', { exact: true }).waitFor();
});

consoleTest('a token whose answer is lost is not said not to be made', async ({ mock, open }, t) => {
  const page = await open('/define-service-token');
  const make = page.getByRole('button', { name: 'Make the token' });
  await page.getByLabel('Name', { exact: true }).fill('Nightly report');
  const failure = page.locator('.making-failure');
  const unknown = failure.getByText('It is not known whether the token was made.', { exact: true });
  const refused = failure.getByText('The token was not made.', { exact: true });
  const route = 'POST /service-tokens/*';
  for (const [answered, title] of [
    [problem('UNAVAILABLE'), unknown],
    [problem('OVERLOADED'), refused],
    [ok({}), unknown],
    [problem('FORBIDDEN'), refused],
    [{ status: 502, body: {} }, unknown],
  ] as const) {
    mock.overrides.set(route, () => answered);
    await make.click();
    await title.waitFor();
  }
  mock.overrides.clear();
  await make.click();
  await page.getByRole('heading', { name: 'The token is made' }).waitFor();

  await page.goto(`${mock.url}/define-service-token`);
  await page.getByLabel('Name', { exact: true }).fill('Weekly report');
  await loseAnswers(page, '**/api/v1/service-tokens/*');
  await make.click();
  await unknown.waitFor();
  await failure.getByText('If the list has it, end it: nobody saw it.', { exact: true }).waitFor();
  await failure.getByText(/^The server cannot be reached\./).waitFor();
  t.equal(callsTo(mock, 'POST', '/service-tokens').at(-1)?.body['name'], 'Weekly report', 'it was made');
  await failure.getByRole('button', { name: 'Service tokens' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('table', { name: 'Service tokens' }).waitFor();
});

/** Makes a token, and ends the session after the server made it and before its answer. @returns lets the answer come */
async function loseSession(mock: Mock, page: Page, end: () => Promise<void>): Promise<() => void> {
  await page.getByLabel('Name', { exact: true }).fill('Nightly report');
  const release = await delayAnswers(page, '**/api/v1/service-tokens/*');
  const before = callsTo(mock, 'POST', '/service-tokens').length;
  await page.getByRole('button', { name: 'Make the token' }).click();
  await until(() => callsTo(mock, 'POST', '/service-tokens').length > before, 'made');
  await end();
  await page.waitForURL('**/login');
  return release;
}

const logIn = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Log in with e2wallet' }).click();

consoleTest(
  'a token whose answer comes after the session has ended is told at the next login, to its maker only',
  async ({ mock, open }, t) => {
    const page = await open('/define-service-token');
    await live(page);
    const release = await loseSession(mock, page, async () => {
      mock.revoked = true;
      mock.dropStreams();
    });
    const answered = page.waitForResponse('**/api/v1/service-tokens/*');
    release();
    await answered;
    await page.unrouteAll();
    mock.revoked = false;
    const ada = mock.session;
    mock.session = { ...ada, name: 'Jonas Lind', email: 'jonas@example.org' };
    await logIn(page);
    await live(page);
    t.equal(await page.getByText('A token was made and not shown.').count(), 0, 'not to another person');
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL('**/login');
    mock.session = ada;
    await logIn(page);
    const unseen = page.getByRole('alert').filter({ hasText: 'A token was made and not shown.' });
    await unseen.getByText('End it, and make another one.', { exact: true }).waitFor();
    const stored = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
    t.notMatch(stored, /sst1\.|not shown/, 'told once, and never the token');
    await unseen.getByRole('button', { name: 'Service tokens' }).click();
    await page.getByRole('table', { name: 'Service tokens' }).waitFor();
  },
);

consoleTest('a token whose maker logged out before its answer is told too', async ({ mock, open }) => {
  const page = await open('/define-service-token');
  await live(page);
  // Signing in leaves the document, so that its answer can never come.
  await loseSession(mock, page, async () => {
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).click();
  });
  await logIn(page);
  await page.getByText('It is not known whether the token was made.', { exact: true }).waitFor();
});

consoleTest(
  'a page that is left before its token is shown says so when it opens again',
  async ({ mock, open }) => {
    const page = await open('/define-service-token');
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    await delayAnswers(page, '**/api/v1/service-tokens/*');
    await page.getByRole('button', { name: 'Make the token' }).click();
    await until(() => callsTo(mock, 'POST', '/service-tokens').length === 1, 'made');
    await page.goto(`${mock.url}/devices`);
    await page.getByText('It is not known whether the token was made.', { exact: true }).waitFor();
  },
);

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
