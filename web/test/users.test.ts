import { callsTo, consoleTest, pathOf, until } from './support.ts';
import { problem } from './mock-routes.ts';

consoleTest(
  '[S2.8] [S2.40] [S2.41] [S2.42] [S2.43] [S6.3] an administrator sees and manages the users',
  async ({ open }, t) => {
    const page = await open('/users');
    await page.getByText('Northlight Ledger Works').waitFor();
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    await rows.first().waitFor();
    t.match(await rows.first().innerText(), /^Ada Okafor \(you\)/);
    await rows.first().getByRole('img', { name: 'Admin' }).waitFor();
    t.match(await rows.nth(1).innerText(), /Regular user\s+Active/);
    t.match(await rows.nth(2).innerText(), /Invited/);
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Edit', 'Delete']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
    t.same(await page.getByRole('menuitem').allInnerTexts(), ['Resend invitation', 'Edit', 'Delete']);
    await page.getByRole('menuitem', { name: 'Resend invitation' }).click();
    await page.getByText('User will get the email with the activation link.').waitFor();
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
  },
);

consoleTest('[S6.7] a regular user manages nobody', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, userRole: 'REGULAR' };
  mock.world.users.length = 1;
  const page = await open('/users');
  await page.getByRole('table', { name: 'Users' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Add user' }).count(), 0);
  t.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 0);
  t.equal(await page.getByLabel('Stripe ID').count(), 0);
});

consoleTest('[S5.21] the payment-provider id cannot be empty', async ({ mock, open }, t) => {
  const page = await open('/users');
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
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  t.equal(callsTo(mock, 'PUT', '/users/').length, 0);
  await edit();
  await page.getByLabel('Name').fill('Jonas L.');
  await page.getByLabel('Email', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Email address is required').waitFor();
  t.equal(callsTo(mock, 'PUT', '/users/').length, 0);
  await page.getByLabel('Email', { exact: true }).fill('jl@example.org');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('jl@example.org').waitFor();
  t.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
});

consoleTest('[S8.15] deleting a user asks, and says when it failed', async ({ mock, open }) => {
  mock.overrides.set('DELETE /users/*/*', () => problem('INTERNAL'));
  const page = await open('/users');
  await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Are you sure you want to delete Jonas Lind account?').waitFor();
  await page.getByText('Jonas Lind will no longer have the access to organization data.').waitFor();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByText('Delete user error').waitFor();
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
  await page.getByRole('button', { name: 'Add user' }).click();
  for (const text of ['User name is required', 'Email address is required', 'User type is required']) {
    await page.getByText(text).waitFor();
  }
  t.equal(callsTo(mock, 'POST', '/users/').length, 0);
  await page.getByRole('link', { name: 'Users management' }).first().click();
  await define();
  await page.getByText('Request successfully sent!').waitFor();
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
    await page.getByLabel('Full name').fill('Ada Okafor');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Organization name').fill('Northlight');
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
  await page.getByText('The same organization cannot be created twice.').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  t.equal(pathOf(page), '/define-organization');
  mock.overrides.set('POST /orgs', () => problem('UNAVAILABLE', 'Try again in a minute.'));
  await send();
  await page.getByText('An error occurred while creating organization. Try again in a minute.').waitFor();
  await page.getByRole('link', { name: 'Go to the wallet' }).waitFor();
});
