import t from 'tap';
import { members, refuses, sorted, start } from './entity-checks.ts';
import { without } from './world.ts';

t.test('people and organisations', async (t) => {
  const { world, scene } = await start(t);
  const { admin, regular, orgId, email } = scene;

  await t.test('[S3.1] the login result and a user', async (t) => {
    const signedIn = await world.signIn(email('ada'));
    t.equal(members(signedIn.session), sorted('success name email userRole orgId userId token'));
    t.match(signedIn.session, { success: true, email: email('ada'), userRole: 'ADMIN', orgId });
    const user = (await admin.call('GET', `/users/${orgId}/${regular.userId}`)).body;
    t.equal(members(user), sorted('id name emailAddress role orgId active'));
    t.match(user, { id: regular.userId, emailAddress: email('bob'), role: 'REGULAR', orgId, active: true });
  });

  await t.test(
    '[S4.9] an invited user is inactive until the link is confirmed, and gets another till then',
    async (t) => {
      const invited = { name: 'Inga', email: email('inga'), type: 'REGULAR', orgId };
      const { id } = (await admin.call('POST', `/users/${orgId}`, invited)).body;
      const path = `/users/${orgId}/${id}`;
      t.equal((await admin.call('GET', path)).body.active, false);
      const first = await world.activationOf(email('inga'));
      // The time distinguishes mails.
      world.clock.advance(1);
      const resend = `/users/resend/activationlink/${orgId}/${id}`;
      t.equal((await admin.call('POST', resend)).status, 200);
      const second = await world.activationOf(email('inga'), first);
      t.equal(
        (await world.call('PUT', `/users/confirm/link/${first}`)).status,
        404,
        'the older link has ended',
      );
      t.equal((await world.call('PUT', `/users/confirm/link/${second}`)).body, 'OK');
      t.equal((await admin.call('GET', path)).body.active, true);
      t.match(await admin.call('POST', resend), { status: 409, body: { code: 'USER_ACTIVE' } });
    },
  );

  await t.test('[S3.2] [S9.13] an organisation, and where its agents call by default', async (t) => {
    const changed = await admin.call('PUT', `/orgs/${orgId}`, { stripeId: 'cus_1' });
    t.equal(members(changed.body), sorted('id name sentinelAddress stripeId'));
    t.match(changed.body, { id: orgId, stripeId: 'cus_1', sentinelAddress: 'http://localhost:8443/api/v1' });
    const carl = await world.signIn(email('carl'));
    const request = {
      name: email('works'),
      userName: 'Carl',
      e2Id: carl.session.userId,
      emailAddress: email('carl'),
    };
    t.equal(
      (await carl.call('POST', '/orgs', { ...request, e2Id: 'noUserId' })).status,
      422,
      'this one has an id',
    );
    for (const name of ['name', 'userName', 'e2Id', 'emailAddress'] as const)
      refuses(t, await carl.call('POST', '/orgs', without(request, name)), `/${name}`);
    t.equal((await carl.call('POST', '/orgs', request)).status, 201);
  });

  await t.test(
    '[S6.2] an ADMIN loads all users, [S6.6] a REGULAR user itself and the name only',
    async (t) => {
      const all = (await admin.call('GET', `/users/${orgId}`)).body;
      t.ok(all.users.length >= 2);
      t.equal(members(all), sorted('users orgName stripeId'));
      const own = (await regular.call('GET', `/users/${orgId}`)).body;
      t.strictSame(
        own.users.map(({ id }: { id: string }) => id),
        [regular.userId],
      );
      t.equal(members(own), sorted('users orgName'));
      t.equal((await regular.call('GET', `/users/${orgId}/${all.users[0].id}`)).status, 404);
      t.equal(members((await regular.call('GET', `/orgs/${orgId}`)).body), sorted('id name sentinelAddress'));
    },
  );

  await t.test(
    '[S5.15] [S5.16] [S5.17] [S5.18] [S5.19] [S5.21] what a form must have, a call must have',
    async (t) => {
      const user = { name: 'Dora', email: email('dora'), type: 'REGULAR', orgId };
      for (const name of ['name', 'email', 'type'] as const)
        refuses(
          t,
          await admin.call('POST', `/users/${orgId}`, without(user, name)),
          `/${name}`,
          /is required/,
        );
      refuses(t, await admin.call('POST', `/users/${orgId}`, { ...user, email: 'dora' }), '/email');
      refuses(t, await admin.call('POST', `/users/${orgId}`, { ...user, name: '  ' }), '/name');
      const path = `/users/${orgId}/${regular.userId}`;
      const edit = { name: 'Bob', emailAddress: email('bob'), role: 'REGULAR' };
      for (const name of ['name', 'emailAddress', 'role'] as const)
        refuses(t, await admin.call('PUT', path, without(edit, name)), `/${name}`, /is required/);
      refuses(t, await admin.call('PUT', path, { ...edit, emailAddress: 'bob@' }), '/emailAddress');
      const founder = await world.signIn(email('fay'));
      const org = { name: 'X', userName: 'Fay', e2Id: founder.session.userId, emailAddress: email('fay') };
      refuses(t, await founder.call('POST', '/orgs', { ...org, userName: ' ' }), '/userName');
      refuses(t, await founder.call('POST', '/orgs', { ...org, emailAddress: 'fay' }), '/emailAddress');
      refuses(t, await founder.call('POST', '/orgs', { ...org, name: '' }), '/name');
      refuses(t, await admin.call('PUT', `/orgs/${orgId}`, { stripeId: ' ' }), '/stripeId');
      refuses(t, await admin.call('PUT', `/orgs/${orgId}`, {}), '/stripeId', /is required/);
    },
  );
});
