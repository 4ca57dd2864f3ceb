import { matchList } from '@sentinel-node/test-kit/matching';
import { delivery, uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import {
  callsOnceQuiet,
  callsTo,
  consoleTest,
  framesAfter,
  holdAnswers,
  loseAnswers,
  pathOf,
  until,
} from './support.ts';

const ON_CALL = `/webhook/${uuid(671)}`;

consoleTest('an administrator sees the webhooks, and opens one', async ({ open }, t) => {
  const page = await open('/users');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const rows = page.getByRole('table', { name: 'Webhooks' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = async (n: number) => rows.nth(n).getByRole('cell').allInnerTexts();
  matchList(t, await cells(0), ['On-call', 'Delivering', /receiver\.example\.org/, '1', '2', /Status 200/]);
  matchList(t, await cells(1), [
    String,
    'Disabled by its receiver',
    /hooks\.slack\.com/,
    '0',
    '0',
    /Status 410/,
  ]);
  matchList(
    t,
    await cells(2),
    ['SIEM', 'Never used', /OCSF/, '0', '0', 'Never'],
    'nothing is shown as good unseen',
  );
  await page.getByRole('link', { name: 'On-call' }).press('Enter');
  await page.getByRole('heading', { name: 'On-call', level: 1 }).waitFor();
  t.equal(pathOf(page), ON_CALL);
  const log = page.getByRole('table', { name: 'Deliveries' });
  await log.getByText('try later').waitFor();
  t.equal(await log.getByText('no answer within 10 s').count(), 1);
  t.equal(await log.getByText('after 84 ms').count(), 1);
  t.equal(await log.getByText('after 2.4 s').count(), 1);
  t.equal(await log.getByText('after 10').count(), 0, 'no time twice');
  t.equal(await log.getByText('A new alert').count(), 3, 'what it told, in words');
});

consoleTest(
  'a long answer of a receiver says that it goes on, and is shown whole',
  async ({ mock, open }, t) => {
    const [first] = mock.world.deliveries;
    Object.assign(first ?? {}, { answer: `${'x'.repeat(300)} the reason is at its end` });
    const page = await open(ON_CALL);
    const log = page.getByRole('table', { name: 'Deliveries' });
    const end = log.getByText('the reason is at its end');
    await log.getByText(/x…$/).click();
    await end.waitFor();
    t.ok(await end.isVisible());
  },
);

consoleTest('a webhook that could not take notices says so', async ({ mock, open }, t) => {
  const [hook] = mock.world.webhooks;
  const last = new Date(mock.world.now).toISOString();
  Object.assign(hook ?? {}, { waiting: 50_000, leftOut: { notices: 1_234, since: last, last } });
  const page = await open('/webhooks');
  const row = page.getByRole('table', { name: 'Webhooks' }).locator('tbody tr').first();
  await row.getByText('1,234 left out').waitFor();
  t.match(await row.innerText(), /50,000/);
  await page.getByRole('link', { name: 'On-call' }).click();
  await page.getByText('1,234 notices left out: too many waited.').waitFor();
});

consoleTest('a webhook is made, and its secret shown once', async ({ mock, open }, t) => {
  const page = await open('/webhooks');
  await page.getByRole('link', { name: 'Make a webhook' }).click();
  const make = page.getByRole('button', { name: 'Make the webhook' });
  await make.click();
  await page.getByText('Name is required').waitFor();
  await page.getByText('URL is required').waitFor();
  await page.getByLabel('Name', { exact: true }).fill(' Pager ');
  await page.getByLabel('URL').fill('receiver.example.org');
  await make.click();
  await page.getByText('A URL that begins with https:// is required').waitFor();
  await page.getByLabel('URL').fill('https://events.pagerduty.com/v2/enqueue');
  await page.getByLabel('Messages for').selectOption('PagerDuty');
  await make.click();
  await page.getByText('Routing key is required').waitFor();
  t.equal(callsTo(mock, 'POST', '/webhooks').length, 0, 'nothing is sent');
  await page.getByLabel('Routing key').fill('R0123');
  mock.overrides.set('POST /webhooks/*', () => problem('LIMIT_REACHED', 'An organization has at most 20.'));
  await make.click();
  await page.getByText('An organization has at most 20.').waitFor();
  mock.overrides.clear();
  await make.click();
  await page.getByRole('heading', { name: 'The webhook is made' }).waitFor();
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'The secret');
  t.equal(await page.getByText(/^whsec_/).count(), 1);
  t.same(callsTo(mock, 'POST', '/webhooks').at(-1)?.body, {
    name: 'Pager',
    shape: 'pagerduty',
    url: 'https://events.pagerduty.com/v2/enqueue',
    routingKey: 'R0123',
  });
  t.notMatch(
    await page.evaluate(() => JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])),
    'whsec_',
  );
  await page.getByRole('link', { name: 'Go to the webhook' }).click();
  await page.getByRole('heading', { name: 'On-call', level: 1 }).waitFor();
  t.equal(await page.getByText('whsec_').count(), 0, 'it is not shown again');
});

consoleTest('a secret that nobody saw is told', async ({ mock, open }, t) => {
  const page = await open('/define-webhook');
  const question = page.getByRole('alertdialog', {
    name: 'Do you want to leave before the secret is shown?',
  });
  const leave = async (): Promise<void> => {
    await page.getByRole('link', { name: 'Devices' }).click();
    await question.getByRole('button', { name: 'Yes', exact: true }).click();
    await until(() => pathOf(page) === '/devices', 'left');
  };
  const told = (title: string) => page.getByRole('alert').filter({ hasText: title });
  const make = async (): Promise<void> => {
    await page.getByLabel('Name', { exact: true }).fill('Pager');
    await page.getByLabel('URL').fill('https://receiver.example.org/hook');
    await page.getByRole('button', { name: 'Make the webhook' }).click();
  };
  const release = await holdAnswers(page, '**/api/v1/webhooks/*');
  await make();
  await leave();
  release();
  const made = told('A webhook was made, and its secret was not shown.');
  await made.getByText('Rotate its secret, or delete it.', { exact: true }).waitFor();
  await made.getByRole('button', { name: 'Webhooks' }).click();
  await page.getByRole('table', { name: 'Webhooks' }).waitFor();
  await page.unrouteAll();
  await page.goto(`${mock.url}/define-webhook`);
  await loseAnswers(page, '**/api/v1/webhooks/*');
  await make();
  await told('It is not known whether the webhook was made.').waitFor();
  await page.unrouteAll();

  await page.goto(`${mock.url}${ON_CALL}`);
  const rotate = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).click();
  };
  mock.overrides.set('POST /webhooks/secret/*/*', () => problem('CONFLICT'));
  await rotate();
  await told('There is no new secret.').waitFor();
  mock.overrides.clear();
  await loseAnswers(page, '**/api/v1/webhooks/secret/**');
  await rotate();
  const lost = told('It is not known whether there is a new secret.');
  await lost
    .getByText(
      /^If the “Secret before”.*: rotate again, and give that one to the receiver: what it has now ends within 24 hours/,
    )
    .waitFor();
  await lost.getByText(/^The server cannot be reached\./).waitFor();
  await page.getByText(/^valid until/).waitFor();
  t.equal(await page.getByText(/^whsec_/).count(), 0);
  await page.unrouteAll();
  const releaseRotation = await holdAnswers(page, '**/api/v1/webhooks/secret/**');
  await rotate();
  await leave();
  releaseRotation();
  const unseen = told('A new secret was made and not shown.');
  await unseen.getByText(/^Rotate again, and give that one to the receiver: what it has now/).waitFor();
  await unseen.getByRole('button', { name: 'On-call' }).click();
  await page.getByRole('heading', { name: 'On-call', level: 1 }).waitFor();
});

consoleTest('a test is sent, and the answer shown when it is there', async ({ mock, open }, t) => {
  const page = await open(ON_CALL);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test is on its way.').waitFor();
  const answer = { noticeId: uuid(799), noticeType: 'test', delivered: false, status: 404, ms: 12 };
  mock.world.deliveries.unshift(
    delivery(9, mock.world.now, { ...answer, problem: 'the receiver answered 404' }),
  );
  await page.getByText('The test was not delivered.').waitFor();
  await page.getByText('Status 404, after 12 ms.').waitFor();
  const read = callsTo(mock, 'GET', '/webhooks/deliveries').length;
  t.ok(read >= 2, 'it was read again until the answer was there');
});

consoleTest(
  'the answer of a test is waited for by one read at a time, while there is a webhook',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    await page.clock.install();
    await page.goto(mock.url + ON_CALL);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test is on its way.').waitFor();
    const list = /\/api\/v1\/webhooks\/[^/]+$/;
    let reads = 0;
    page.on('request', (request) => (reads += list.test(request.url()) ? 1 : 0));
    let release = await holdAnswers(page, '**/api/v1/webhooks/*');
    await until(() => reads > 0, 'it is read again');
    for (let n = 0; n < 2; n += 1) {
      await page.clock.fastForward(1_000);
      await framesAfter(page);
    }
    t.equal(reads, 1, 'the read that runs is not given up for another');
    mock.world.webhooks = [];
    release();
    await page.getByText('This webhook does not exist.').waitFor();
    reads = 0;
    release = await holdAnswers(page, '**/api/v1/webhooks/*');
    await page.clock.fastForward(2_000);
    await framesAfter(page);
    t.equal(reads, 0, 'no answer will come to a webhook that is gone');
    release();
  },
);

consoleTest(
  'the secret is rotated; a webhook is disabled, enabled and deleted',
  async ({ mock, open }, t) => {
    const page = await open(ON_CALL);
    const yes = page.getByRole('alertdialog').getByRole('button', { name: 'Yes' });
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText('The present one is valid for 24 hours more').waitFor();
    await yes.click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByText(/^valid until/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    t.equal(await page.getByText('whsec_').count(), 0);

    await page.getByRole('button', { name: 'Disable' }).click();
    await yes.click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    t.same(
      callsTo(mock, 'PUT', '/webhooks').map(({ body }) => body),
      [{ enabled: false }, { enabled: true }],
    );

    mock.overrides.set('DELETE /webhooks/*/*', () => problem('FORBIDDEN'));
    await page.getByRole('button', { name: 'Delete' }).click();
    await yes.click();
    await page.getByText('The webhook was not deleted.').waitFor();
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Delete' }).click();
    await yes.click();
    await page.getByRole('table', { name: 'Webhooks' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'On-call' }).count(), 0);
  },
);

consoleTest('what one webhook showed is not on the page of another', async ({ open }, t) => {
  const page = await open(ON_CALL);
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test is on its way.').waitFor();
  await page.evaluate((to) => history.pushState(null, '', to), `/webhook/${uuid(673)}`);
  await page.getByRole('heading', { name: 'SIEM', level: 1 }).waitFor();
  t.equal(await page.getByText(/^whsec_/).count(), 0);
  t.equal(await page.getByText('The test is on its way.').count(), 0);
});

consoleTest('dead letters are sent again, one or all', async ({ mock, open }, t) => {
  const page = await open(ON_CALL);
  const letters = page.getByRole('table', { name: 'Dead letters' });
  await page
    .getByRole('button', { name: 'Send again: The file /etc/passwd of web-1 has changed.' })
    .press('Enter');
  await page.getByText('One notice waits again.').waitFor();
  await until(async () => (await letters.locator('tbody tr').count()) === 1, 'one letter is left');
  const [webhook] = mock.world.webhooks;
  Object.assign(webhook!, { deadLetters: 1_204 });
  mock.world.deadLetters.push({ ...mock.world.deadLetters[0]!, noticeId: uuid(790) });
  await page.reload();
  await page.getByText('The newest 2 of 1,204').waitFor();
  await page.getByRole('button', { name: 'Send all 2 again' }).click();
  await page.getByText('2 notices wait again.').waitFor();
  await page.getByText('A notice that could not be delivered for three days is listed here.').waitFor();
  t.same(
    callsTo(mock, 'POST', '/webhooks/dead-letters').map(({ body }) => body),
    [{ noticeIds: [uuid(781)] }, { noticeIds: [uuid(782), uuid(790)] }],
  );
});

consoleTest(
  'webhooks: nothing there, nothing to be had, and not for everybody',
  async ({ mock, open }, t) => {
    mock.world.webhooks = [];
    const page = await open('/webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    mock.overrides.set('GET /webhooks/*', () => problem('UNAVAILABLE'));
    await page.reload();
    await page.getByText('Webhooks cannot be shown').waitFor();
    await callsOnceQuiet(page, mock);
    mock.overrides.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There is no webhook yet.').waitFor();
    const gone = await open(ON_CALL);
    await gone.getByText('This webhook does not exist.').waitFor();

    mock.session = { ...mock.session, userRole: 'REGULAR' };
    for (const path of ['/webhooks', ON_CALL, '/define-webhook']) {
      const other = await open(path);
      await other.getByRole('heading', { name: 'Users management' }).waitFor();
      t.equal(await other.getByRole('link', { name: 'Webhooks' }).count(), 0);
    }
  },
);
