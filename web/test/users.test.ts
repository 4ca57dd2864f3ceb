import type { Locator } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { callsTo, consoleTest, live, loseAnswers, pathOf, until } from './support.ts';
import { ok, problem } from './mock-routes.ts';

/** Returns the number of tips of a drawing: points that are farther from its middle than those around them. */
const tipsOf = (drawing: Locator): Promise<number> =>
  drawing.evaluate((path) => {
    if (!(path instanceof SVGPathElement)) throw new Error('an icon is a path');
    const [count, around] = [360, 12];
    const all = Array.from({ length: count }, (_, n) =>
      path.getPointAtLength((n * path.getTotalLength()) / count),
    );
    const middle = (of: (point: DOMPoint) => number) => all.reduce((sum, one) => sum + of(one), 0) / count;
    const [x, y] = [middle((one) => one.x), middle((one) => one.y)];
    const far = all.map((one) => Math.hypot(one.x - x, one.y - y));
    const isTip = (at: number): boolean =>
      Array.from({ length: around }, (_, n) => n + 1).every(
        (n) => far[at]! > far[(at + n) % count]! && far[at]! > far[(at - n + count) % count]!,
      );
    return far.filter((_, at) => isTip(at)).length;
  });

consoleTest(
  '[S2.8] [S2.40] [S2.41] [S2.42] [S2.43] [S6.3] an administrator sees and manages the users',
  async ({ mock, open }, t) => {
    const page = await open('/users');
    await page.getByText('Northlight Ledger Works').waitFor();
    await page.getByText(mock.world.orgId, { exact: true }).waitFor();
    const form = page.getByRole('button', { name: 'Add Stripe ID' });
    await form.waitFor();
    await page.getByRole('link', { name: 'Add user' }).waitFor();
    const table = page.getByRole('table', { name: 'Users' });
    const rows = table.locator('tbody tr');
    await rows.first().waitFor();
    const [above, below] = [await form.boundingBox(), await table.boundingBox()];
    t.ok(above && below && above.y + above.height < below.y, 'the organisation is above its users');
    const cells = async (n: number) => (await rows.nth(n).getByRole('cell').allInnerTexts()).slice(0, 4);
    t.same(await cells(0), ['Ada Okafor (you)', 'ada@example.org', 'Admin', 'Active']);
    t.same(await cells(1), ['Jonas Lind', 'jonas@example.org', 'Regular user', 'Active']);
    t.same(await cells(2), ['Mei Tan', 'mei@example.org', 'Regular user', 'Invited']);
    t.equal(await tipsOf(rows.first().getByRole('img', { name: 'Admin' }).locator('path')), 5, 'a star');
    t.equal(await rows.getByRole('img', { name: 'Admin' }).count(), 1, 'only an admin has the star');
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Edit', 'Delete']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Resend invitation', 'Edit', 'Delete']);
    await page.getByRole('menuitem', { name: 'Resend invitation' }).click();
    await page.getByText('User will get the email with the activation link.').waitFor();
    const resent = callsTo(mock, 'POST', '/users/resend/activationlink/').map(({ path }) => path);
    t.same(resent, [`/users/resend/activationlink/${mock.world.orgId}/${mock.world.users[2]?.id}`]);
    await page.getByRole('searchbox', { name: 'Search users' }).fill('mei');
    await until(async () => (await rows.count()) === 1, 'one user is found');
    for (const [text, count] of [
      ['invited', 1],
      ['Active', 2],
      ['(you)', 1],
      ['Regular user', 2],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Search users' }).fill(text);
      await until(async () => (await rows.count()) === count, `${count} for ${text}`);
    }
    const jonas = mock.world.users[1];
    Object.assign(jonas ?? {}, { role: 'ADMIN' });
    mock.session = { ...mock.session, userId: jonas?.id ?? '', name: 'Jonas Lind' };
    mock.world.stripeId = 'cus_42';
    // Not a reload: the address may or may not have the last search by now.
    await page.goto(`${mock.url}/users`);
    await rows.first().waitFor();
    t.same((await cells(0))[0], 'Jonas Lind (you)', 'whoever it is stands first');
    t.same((await cells(1))[0], 'Ada Okafor');
    t.equal(await rows.getByRole('img', { name: 'Admin' }).count(), 2);
    await page.getByText('cus_42', { exact: true }).waitFor();
    t.equal(await form.count(), 0, 'the id instead of the form');
  },
);

consoleTest('[S6.7] [S2.40] [S6.10] a regular user manages nobody', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  mock.world.stripeId = 'cus_42';
  mock.world.users.length = 1;
  const page = await open('/users');
  await page.getByRole('table', { name: 'Users' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Add user' }).count(), 0);
  t.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 0);
  await page.getByText('Northlight Ledger Works').waitFor();
  t.equal(await page.getByText('cus_42').count(), 0, 'the payment-provider id is for admins');
  mock.world.stripeId = null;
  await page.reload();
  await page.getByText('Northlight Ledger Works').waitFor();
  t.equal(await page.getByLabel('Stripe ID').count(), 0);
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  const every = ['Dashboard', 'Alerts', 'Devices', 'Users management'];
  t.same(await links.allInnerTexts(), every, 'the navigation is the same for every role');
});

consoleTest('[S5.21] the payment-provider id cannot be empty', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.getByRole('button', { name: 'Add Stripe ID' }).waitFor();
  t.equal(await page.getByText('Stripe ID field cannot be empty').count(), 0, 'not before it is touched');
  await page.getByRole('button', { name: 'Add Stripe ID' }).click();
  await page.getByText('Stripe ID field cannot be empty').waitFor();
  t.equal(callsTo(mock, 'PUT', '/orgs/').length, 0);
  await page.getByLabel('Stripe ID').fill('cus_123');
  await page.getByRole('button', { name: 'Add Stripe ID' }).click();
  await page.getByText('cus_123').waitFor();
  t.same(callsTo(mock, 'PUT', '/orgs/')[0]?.body, { stripeId: 'cus_123' });
});

consoleTest('[S4.10] [S5.16] a user is edited in the row', async ({ mock, open }, t) => {
  const page = await open('/users');
  const edit = async () => {
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
  };
  await edit();
  await page.getByLabel('Name').fill('Somebody else');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('Jonas Lind', { exact: true }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Save' }).count(), 0, 'left');
  t.equal(callsTo(mock, 'PUT', '/users/').length, 0, 'not saved');
  await edit();
  t.equal(await page.getByLabel('Name').inputValue(), 'Jonas Lind');
  await page.getByLabel('Name').fill(' ');
  await page.getByLabel('Email', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('User name is required').waitFor();
  await page.getByText('Email address is required').waitFor();
  await page.getByLabel('Name').fill('Jonas L.');
  await page.getByLabel('Email', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Email address is required').waitFor();
  t.equal(callsTo(mock, 'PUT', '/users/').length, 0);
  await page.getByLabel('Email', { exact: true }).fill('jl@example.org');
  const role = page.getByLabel('Role', { exact: true });
  t.same(await role.locator('option').allInnerTexts(), ['Regular user', 'Admin'], 'never without a role');
  await role.selectOption('ADMIN');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row').filter({ hasText: 'jl@example.org' });
  await row.waitFor();
  t.match(await row.innerText(), /Jonas L\..*Admin/s);
  t.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  const change = { name: 'Jonas L.', emailAddress: 'jl@example.org', role: 'ADMIN' };
  t.same(callsTo(mock, 'PUT', '/users/')[0]?.body, change);
});

consoleTest('[S8.15] deleting a user asks, and says when it failed', async ({ mock, open }, t) => {
  mock.overrides.set('DELETE /users/*/*', () => problem('INTERNAL'));
  const page = await open('/users');
  const answer = async (choice: 'No' | 'Yes'): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Are you sure you want to delete Jonas Lind account?').waitFor();
    await page.getByText('Jonas Lind will no longer have the access to organization data.').waitFor();
    await page.getByRole('button', { name: choice, exact: true }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  };
  await answer('No');
  t.equal(callsTo(mock, 'DELETE', '/users/').length, 0, 'nothing was sent');
  await answer('Yes');
  await page.getByText('Delete user error').waitFor();
  const jonas = mock.world.users.find(({ name }) => name === 'Jonas Lind');
  const sent = callsTo(mock, 'DELETE', '/users/').map(({ path }) => path);
  t.same(sent, [`/users/${mock.world.orgId}/${jonas?.id}`]);
});

consoleTest('[S2.44] [S2.45] [S5.15] [S8.2] [S8.12] a user is defined', async ({ mock, open }, t) => {
  const page = await open('/users');
  const define = async () => {
    await page.getByRole('link', { name: 'Add user' }).click();
    await page.getByLabel('Name').fill('Noor Haddad');
    await page.getByLabel('Email').fill('noor@example.org');
    await page.getByLabel('User type').selectOption('REGULAR');
    await page.getByRole('button', { name: 'Add user' }).click();
  };
  await page.getByRole('link', { name: 'Add user' }).click();
  t.equal(pathOf(page), '/define-user');
  await page.getByRole('button', { name: 'Add user' }).click();
  for (const text of ['User name is required', 'Email address is required', 'User type is required']) {
    await page.getByText(text).waitFor();
  }
  await page.getByLabel('Name').fill('Noor Haddad');
  await page.getByLabel('User type').selectOption('REGULAR');
  await page.getByLabel('Email').fill('noor@');
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.getByText('Email address is required').waitFor();
  t.equal(callsTo(mock, 'POST', '/users/').length, 0);
  await page.getByRole('link', { name: 'Users management' }).first().click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await define();
  const sent = page.getByRole('status').filter({ hasText: 'Request successfully sent!' });
  await sent.getByText('User will get the email with the activation link.', { exact: true }).waitFor();
  t.equal(pathOf(page), '/users');
  const { orgId } = mock.world;
  const body = { name: 'Noor Haddad', email: 'noor@example.org', type: 'REGULAR', orgId };
  t.same(callsTo(mock, 'POST', '/users/')[0]?.body, body);
  mock.overrides.set('POST /users/*', () => problem('USER_EXISTS'));
  await define();
  await page.getByText('User was not added, please try again.').waitFor();
  t.equal(pathOf(page), '/users');
});

consoleTest(
  '[S2.17] [S2.18] [S5.17] [S5.18] [S5.19] [S5.20] an organisation is created',
  async ({ mock, open }, t) => {
    mock.session = { ...mock.session, orgId: null, userRole: null };
    const page = await open('/define-organization');
    const submit = page.getByRole('button', { name: 'Create organization' });
    t.equal(await page.getByLabel('E-mail').inputValue(), 'ada@example.org');
    t.equal(await submit.isDisabled(), true);
    await page.getByLabel('Full name').fill('');
    await page.getByText('Full name is required').waitFor();
    await page.getByLabel('E-mail').fill('');
    await page.getByText('Email is required').waitFor();
    await page.getByLabel('E-mail').fill('x');
    await page.getByText('Invalid email address').waitFor();
    await page.getByLabel('Organization name').fill(' ');
    await page.getByText('Name is required', { exact: true }).waitFor();
    const fields = {
      'Full name': 'Ada Okafor',
      'E-mail': 'ada@example.org',
      'Organization name': 'Northlight',
    };
    for (const [label, value] of Object.entries(fields)) {
      t.equal(await submit.isDisabled(), true, `without ${label}`);
      await page.getByLabel(label).fill(value);
    }
    t.equal(await submit.isDisabled(), false, 'all fields are valid');
    await submit.click();
    await page.getByText('Organization has been created. Activation link has been sent.').waitFor();
    const body = {
      name: 'Northlight',
      userName: 'Ada Okafor',
      emailAddress: 'ada@example.org',
      e2Id: mock.session.userId,
    };
    t.same(callsTo(mock, 'POST', '/orgs')[0]?.body, body);
  },
);

consoleTest(
  '[S3.2] somebody without an id at the wallet founds an organisation as noUserId',
  async ({ mock, open }, t) => {
    mock.session = { ...mock.session, orgId: null, userRole: null, userId: '' };
    const page = await open('/define-organization');
    await page.getByLabel('Organization name').fill('Northlight');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await until(() => callsTo(mock, 'POST', '/orgs').length === 1, 'sent');
    t.same(callsTo(mock, 'POST', '/orgs')[0]?.body, {
      name: 'Northlight',
      userName: 'Ada Okafor',
      emailAddress: 'ada@example.org',
      e2Id: 'noUserId',
    });
  },
);

consoleTest('[S2.19] [S8.13] a refused organisation says why', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, orgId: null, userRole: null };
  mock.overrides.set('POST /orgs', () => problem('ORGANIZATION_ALREADY_EXISTS'));
  const page = await open('/define-organization');
  const send = async () => {
    await page.getByLabel('Organization name').fill('Northlight');
    await page.getByRole('button', { name: 'Create organization' }).click();
  };
  await send();
  await page.getByText('Organization already exists!').waitFor();
  const twice = 'The same organization cannot be created twice. Ask its administrator to assign you to it.';
  await page.getByText(twice, { exact: true }).waitFor();
  t.equal(pathOf(page), '/define-organization/error');
  t.match(await page.evaluate(() => history.state as unknown), { code: 400 });
  t.equal(await page.getByText('An error occurred').count(), 0);
  await page.getByRole('link', { name: 'Back' }).click();
  t.equal(pathOf(page), '/define-organization');
  mock.overrides.set('POST /orgs', () => problem('OVERLOADED', 'Try again in a minute.'));
  await send();
  await page.getByText('An error occurred while creating organization. Try again in a minute.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Organization was not created', exact: true }).waitFor();
  t.match(await page.evaluate(() => history.state as unknown), {
    code: 503,
    message: 'Try again in a minute.',
  });
  const wallet = page.getByRole('link', { name: 'Go to the wallet' });
  t.equal(await wallet.getAttribute('href'), mock.config['walletUrl']);
  await page.getByRole('link', { name: 'Back' }).click();
  t.equal(pathOf(page), '/define-organization');
  await loseAnswers(page, '**/api/v1/orgs');
  mock.overrides.clear();
  await send();
  const unknown = 'It is not known whether the organization was created';
  await page.getByRole('heading', { level: 1, name: unknown, exact: true }).waitFor();
  await page
    .getByText('An error occurred while creating organization. The server cannot be reached.')
    .waitFor();
  await page.getByText('If it was created, a mail with the activation link has been sent.').waitFor();
  t.equal(await page.getByText('was not created').count(), 0);
});

consoleTest('a changed role is followed although the first read of it fails', async ({ mock, open }, t) => {
  const page = await open('/users');
  await live(page);
  const add = page.getByRole('link', { name: 'Add user' });
  await add.waitFor();
  let failing = 2;
  await page.route('**/api/v1/session', (route) => {
    failing -= 1;
    return failing < 0 ? route.fallback() : route.fulfill({ status: 503 });
  });
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  mock.send('user', { ...mock.world.users[0], role: 'REGULAR', rev: 2 });
  await add.waitFor({ state: 'detached' });
  t.ok(failing < 0, 'the session was read again after both failures');
});

consoleTest('a person whose role is changed sees it without a reload', async ({ mock, open }, t) => {
  const page = await open('/users');
  await live(page);
  const add = page.getByRole('link', { name: 'Add user' });
  const menus = page.getByRole('button', { name: /^Actions for/ });
  await menus.nth(2).waitFor();
  const [me, ...others] = mock.world.users;
  if (me === undefined) throw new Error('a user');
  let rev = 1;
  const become = (role: 'ADMIN' | 'REGULAR'): void => {
    mock.session = { ...mock.session, userRole: role };
    Object.assign(me, { role });
    mock.world.users = role === 'ADMIN' ? [me, ...others] : [me];
  };
  const tell = (): void => {
    rev += 1;
    mock.send('user', { ...me, rev });
  };
  const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
  become('REGULAR');
  tell();
  await until(async () => (await add.count()) === 0, 'nothing is offered that is refused');
  await until(async () => (await rows.count()) === 1, 'only their own row');
  t.equal(await menus.count(), 0);
  become('ADMIN');
  tell();
  await add.waitFor();
  await menus.nth(2).waitFor();
  // The change came while the stream was away.
  become('REGULAR');
  mock.send('resync', {});
  await until(async () => (await add.count()) === 0, 'read again');
  become('ADMIN');
  tell();
  await add.waitFor();
  const sessions = callsTo(mock, 'GET', '/session').length;
  Object.assign(others[0] ?? {}, { name: 'Jonas L.' });
  mock.send('user', { ...others[0], rev });
  await page.getByText('Jonas L.').waitFor();
  t.equal(callsTo(mock, 'GET', '/session').length, sessions, 'another person concerns nobody');
});

consoleTest('a form that the person may not send any more asks nothing', async ({ mock, open }, t) => {
  for (const path of ['/define-user', '/define-service-token']) {
    mock.session = { ...mock.session, userRole: 'ADMIN' };
    const page = await open(path);
    await live(page);
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    mock.session = { ...mock.session, userRole: 'REGULAR' };
    mock.send('user', { ...mock.world.users[0], role: 'REGULAR', rev: 2 });
    await page.getByRole('table', { name: 'Users' }).waitFor();
    t.equal(pathOf(page), '/users', path);
    t.equal(await page.getByRole('alertdialog').count(), 0);
  }
});

consoleTest('the focus stays in the table of users', async ({ mock, open }, t) => {
  mock.overrides.set('DELETE /users/*/*', () => {
    mock.world.users = mock.world.users.filter(({ name }) => name !== 'Jonas Lind');
    return ok({});
  });
  const page = await open('/users');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).press('Enter');
    await page.getByRole('menuitem', { name }).press('Enter');
  };
  await choose('Edit');
  await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Actions for Jonas Lind' }).waitFor();
  await until(async () => (await focused()) === 'Actions for Jonas Lind', 'after an edit');
  await choose('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Actions for Jonas Lind' }).waitFor({ state: 'detached' });
  await until(async () => (await focused()) === 'Actions for Mei Tan', 'in the row that has the place');
  t.equal(callsTo(mock, 'DELETE', '/users/').length, 1);
});

consoleTest(
  'an edited row stays, whoever comes into the list and whatever is searched',
  async ({ mock, open }, t) => {
    const [, jonas] = mock.world.users;
    const add = (name: string, id: number): void => {
      mock.world.users.push({ ...jonas!, id: uuid(id), name, emailAddress: `u${id}@example.org` });
    };
    for (let n = 0; n < 7; n++) add(`Bo ${n}`, 950 + n);
    const page = await open('/users');
    await live(page);
    await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('form', { name: 'Edit Mei Tan' });
    await form.getByLabel('Name').fill('Mei of the night shift');
    add('Aaron', 960);
    mock.send('user', { ...mock.world.users.at(-1), orgId: mock.world.orgId, rev: 1 });
    await page.getByText('1–10 of 11 users').waitFor();
    t.equal(await form.getByLabel('Name').inputValue(), 'Mei of the night shift');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('11–11 of 11 users').waitFor();
    t.equal(await form.getByLabel('Name').inputValue(), 'Mei of the night shift', 'on the other page too');
    await page.getByRole('searchbox', { name: 'Search users' }).fill('nobody has this');
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    await until(async () => (await rows.count()) === 1, 'no one else is found');
    t.equal(await form.getByLabel('Name').inputValue(), 'Mei of the night shift');
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No user matches.').waitFor();
  },
);
