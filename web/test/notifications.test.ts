import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { ok, problem } from './mock-routes.ts';
import { callsTo, consoleTest, loseAnswers, until } from './support.ts';

consoleTest('an administrator switches a rule, changes it, and deletes it', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.getByRole('link', { name: 'Notifications' }).click();
  const rows = page.getByRole('table', { name: 'Rules' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = async (n: number) => (await rows.nth(n).getByRole('cell').allInnerTexts()).slice(0, 4);
  matchList(t, await cells(0), [/by default/, 'A new alert, a device is lost', 'Administrators', 'At once']);
  matchList(t, await cells(1), [
    /Nights of the web servers/,
    String,
    '1 person, 1 address',
    'Gathered for five minutes, required',
  ]);

  await rows.first().getByRole('switch', { name: 'New alerts and lost devices is on' }).click();
  await rows.first().getByText('Off', { exact: true }).waitFor();
  t.match(callsTo(mock, 'PUT', '/notifications/rules').at(-1)?.body, { enabled: false, how: 'AT_ONCE' });

  await rows.nth(1).getByRole('link', { name: 'Nights of the web servers' }).click();
  await page.getByRole('heading', { name: 'Changing a rule' }).waitFor();
  t.equal(await page.getByLabel('Other mail addresses optional').inputValue(), 'on-call@example.org');
  await page.getByRole('button', { name: /^Remove Mei Tan/ }).click();
  await page.getByLabel('Mails come', { exact: true }).selectOption('DAILY');
  await page.getByLabel('At', { exact: true }).selectOption('6');
  await page.getByRole('button', { name: 'Save the rule' }).click();
  await rows.first().waitFor();
  matchWhole(t, callsTo(mock, 'PUT', '/notifications/rules').at(-1)?.body, {
    enabled: true,
    to: { userIds: [], addresses: ['on-call@example.org'] },
    how: 'DAILY',
    dailyHour: 6,
    required: true,
  });

  await rows.nth(1).getByRole('button', { name: 'Delete Nights of the web servers' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
  await rows.nth(1).waitFor({ state: 'detached' });
  t.equal(callsTo(mock, 'DELETE', '/notifications/rules').length, 1);
});

consoleTest('a rule that is on and tells nobody says so', async ({ mock, open }, t) => {
  const [, night] = mock.world.notificationRules;
  const [webhook] = mock.world.webhooks;
  const to = { administrators: false, userIds: [], addresses: [], webhookIds: [webhook!.id] };
  const gaps = {
    tellsNobody: true,
    notReached: [{ id: webhook!.id, why: 'DELETED' as const }],
    neverTold: ['device.returned' as const],
  };
  mock.world.notificationRules = [{ ...night!, to, gaps }];
  const page = await open('/notifications');
  const row = page.getByRole('table', { name: 'Rules' }).locator('tbody tr');
  await row.getByText('Tells nobody').waitFor();
  const [, , whom] = await row.getByRole('cell').allInnerTexts();
  t.match(whom, /^1 webhook\s+Tells nobody\s+1 webhook deleted\s+Never met: A device is back$/);
  await row.getByRole('switch').click();
  await row.getByText('Off', { exact: true }).waitFor();
  t.equal(await row.getByText('Tells nobody').count(), 0, 'a rule that is off tells nobody in any case');
});

consoleTest('a webhook says which rules tell it, and that none does', async ({ mock, open }, t) => {
  const [first, ...others] = mock.world.webhooks;
  mock.world.webhooks = [first!, ...others.map((webhook) => ({ ...webhook, rules: [] }))];
  const table = await open('/webhooks');
  const row = (name: string) => table.getByRole('row', { name: new RegExp(name) });
  await row(first!.name).getByText('Delivering').waitFor();
  await row('SIEM').getByText('No rule tells it').waitFor();
  const page = await open(`/webhook/${first!.id}`);
  for (const button of ['Delete', 'Disable']) {
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('These rules no longer tell it: Nights of the web servers.').waitFor();
    await dialog.getByRole('button', { name: 'No' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  t.equal(callsTo(mock, 'DELETE', '/webhooks').length, 0);
});

consoleTest('a rule is made by keyboard, and says what is missing', async ({ mock, open }, t) => {
  const page = await open('/define-notification-rule');
  await page.getByLabel('A new alert', { exact: true }).uncheck();
  await page.getByLabel('Administrators', { exact: true }).uncheck();
  await page.getByLabel('Other mail addresses optional').fill('nobody');
  await page.getByLabel('Quiet hours').check();
  await page.getByLabel('To', { exact: true }).fill('22:00');
  await page.getByLabel('Labels optional').fill('graz');
  await page.getByRole('button', { name: 'Make the rule' }).click();
  for (const missing of [
    'graz is not of the form key:value',
    'Name is required',
    'Choose what is told',
    'nobody is no mail address',
    'Another time is required',
  ])
    await page.getByText(missing).waitFor();
  t.equal(callsTo(mock, 'POST', '/notifications/rules').length, 0, 'nothing is sent');

  await page.getByLabel('Name', { exact: true }).fill(' Nights ');
  await page.getByLabel('Labels optional').fill('site:graz\nsite:wien');
  await page.getByLabel('A device is lost').focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Critical', { exact: true }).or(page.getByLabel('Mission critical')).first().check();
  await page.getByLabel('To', { exact: true }).fill('06:30');
  await page.getByLabel('Other mail addresses optional').fill('on-call@example.org\nnight@example.org');
  await page.getByRole('combobox', { name: 'Add a person' }).focus();
  await page.keyboard.type('Mei');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Remove Mei Tan/ }).waitFor();
  await page.getByLabel('On-call', { exact: true }).check();
  mock.overrides.set('POST /notifications/rules/*', () => problem('LIMIT_REACHED', 'At most 50 rules.'));
  await page.getByRole('button', { name: 'Make the rule' }).click();
  await page.getByText('At most 50 rules.').waitFor();
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Make the rule' }).click();
  await page.getByRole('table', { name: 'Rules' }).waitFor();
  await page.getByText('A device is lost: mission critical, site:graz, site:wien').waitFor();
  matchWhole(t, callsTo(mock, 'POST', '/notifications/rules').at(-1)?.body, {
    name: 'Nights',
    when: {
      types: ['device.lost'],
      categories: ['MISSION_CRITICAL'],
      fileIds: [],
      labels: ['site:graz', 'site:wien'],
    },
    to: {
      administrators: false,
      userIds: [mock.world.users[2]!.id],
      addresses: ['on-call@example.org', 'night@example.org'],
      webhookIds: [mock.world.webhooks[0]!.id],
    },
    quietHours: { from: '22:00', to: '06:30' },
  });
});

consoleTest('a form that is not complete leads to its first error', async ({ open }, t) => {
  for (const [path, field] of [
    ['/define-notification-rule', 'Name'],
    ['/define-maintenance', 'Reason'],
  ] as const) {
    const page = await open(path);
    await page.locator('form').first().waitFor();
    await page.locator('button[type=submit]').click();
    const focused = page.locator(':focus');
    t.equal(await focused.getAttribute('aria-invalid'), 'true', path);
    t.equal(
      await focused.evaluate((input: HTMLInputElement) => input.labels?.[0]?.textContent?.trim()),
      field,
    );
    const box = await focused.boundingBox();
    t.ok(box !== null && box.y >= 0 && box.y < 900, 'on the screen');
    await page.close();
  }
});

consoleTest('each person has a setting for own mails, and a test mail', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  const page = await open('/notifications');
  const mails = page.getByLabel('Send me mails');
  await mails.uncheck();
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByLabel('Quiet hours').check();
  t.equal(await page.getByRole('table').count(), 0, 'rules are for administrators');
  mock.overrides.set('PUT /notifications/own/*', () => problem('UNAVAILABLE'));
  await page.getByRole('button', { name: 'Save' }).click();
  const unknown = page.getByText('It is not known whether your setting was saved.');
  await unknown.waitFor();
  mock.overrides.set('PUT /notifications/own/*', () => problem('OVERLOADED'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your setting was not saved.').waitFor();
  mock.overrides.clear();
  await loseAnswers(page, '**/api/v1/notifications/own/*');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(() => mock.world.ownNotifications.mails === false, 'it was saved');
  await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your setting was saved.', { exact: true }).waitFor();
  t.equal(await page.getByText('The setting was changed meanwhile').count(), 0, 'by the try before');
  t.same(callsTo(mock, 'PUT', '/notifications/own').at(-1)?.body, {
    mails: false,
    zone: 'Europe/Berlin',
    quietHours: { from: '22:00', to: '07:00' },
  });
  await page.getByRole('button', { name: 'Send me a test' }).click();
  await page.getByText('A test mail is on its way.').waitFor();
  t.equal(callsTo(mock, 'POST', '/notifications/test').length, 1);
});

consoleTest('notifications: mails that were given up are named', async ({ mock, open }, t) => {
  const made = '2026-11-21T10:00:00.000Z';
  const of = { subject: '[Acme] Nothing is heard of Server 1.', made };
  mock.world.undeliveredMails = [
    { ...of, to: 'gone@example.org', why: 'REFUSED', givenUp: '2026-11-21T10:40:00.000Z' },
    { ...of, to: 'late@example.org', why: 'NOT_TAKEN', givenUp: null },
  ];
  const page = await open('/notifications');
  const notice = page.getByRole('status').filter({ hasText: '2 mails not delivered' });
  const text = (await notice.textContent()) ?? '';
  t.match(text, /gone@example\.org, .*It was given up on .*: the mail server refuses it\./);
  t.match(text, /late@example\.org, .*It waits: the mail server did not take it\./);
  const { notificationRules: rules, undeliveredMails: undelivered } = mock.world;
  for (const [undeliveredBesides, title, said] of [
    [{ mails: 23, atLeast: false }, '25 mails not delivered', /And 23 more mails that wait\.$/],
    [
      { mails: 0, atLeast: true },
      'At least 2 mails not delivered',
      /Older mails that were given up are not kept\.$/,
    ],
  ] as const) {
    mock.overrides.set('GET /notifications/rules/*', () => ok({ rules, undelivered, undeliveredBesides }));
    await page.reload();
    const counted = page.getByRole('status').filter({ hasText: new RegExp(`^${title}`) });
    t.match((await counted.textContent()) ?? '', said);
  }
});

consoleTest('notifications: nothing there, and nothing to be had', async ({ mock, open }, t) => {
  mock.world.notificationRules = [];
  const page = await open('/notifications');
  await page.getByText('There is no rule.').waitFor();
  for (const path of ['GET /notifications/rules/*', 'GET /notifications/own/*'])
    mock.overrides.set(path, () => problem('UNAVAILABLE'));
  await page.reload();
  await page.getByText('Rules cannot be shown').waitFor();
  await page.getByText('Your setting cannot be shown').waitFor();
  mock.overrides.clear();
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByText('There is no rule.').waitFor();
  await page.goto(`${mock.url}/edit-notification-rule/unknown`);
  await page.getByText('There is no such rule.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Save the rule' }).count(), 0);
});
