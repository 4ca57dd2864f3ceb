import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { RESERVATION_GRACE_MS } from '../src/storage/reservations.ts';
import { createWorld, type World } from './world.ts';

t.test('organisations by HTTP', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const bob = await world.member(ann, 'bob@example.org', 'REGULAR');
  const eve = await world.organization('Eve and Sons', 'eve@example.org');
  const org = `/orgs/${ann.orgId}`;

  await t.test('[S7.27] POST, GET and PUT /orgs', async (t) => {
    t.strictSame((await ann.call('GET', org)).body, {
      id: ann.orgId,
      name: 'Acme',
      sentinelAddress: 'http://localhost:8443/api/v1',
      stripeId: null,
    });
    const changed = await ann.call('PUT', org, { stripeId: 'cus_1', name: 'not taken' });
    t.equal(changed.status, 200);
    t.match(changed.body, { stripeId: 'cus_1', name: 'Acme' });
    t.equal((await ann.call('PUT', org, { stripeId: '' })).status, 422);
    matchWhole(t, (await ann.call('PUT', org, {})).body, {
      code: 'VALIDATION_FAILED',
      errors: [{ path: '/stripeId' }],
    });
  });

  await t.test(
    'roles: REGULAR sees no stripeId and changes nothing, others see nothing at all',
    async (t) => {
      t.notOk('stripeId' in (await bob.call('GET', org)).body);
      const put = await bob.call('PUT', org, { stripeId: 'x' });
      t.equal(put.status, 403);
      t.match(put.body, { code: 'FORBIDDEN' });
      t.equal((await eve.call('GET', org)).status, 404);
      t.equal((await eve.call('PUT', org, { stripeId: 'x' })).status, 404, 'another organisation is unknown');
      const create = { name: 'B', userName: 'B', e2Id: bob.session.userId, emailAddress: 'b@example.org' };
      t.equal((await bob.call('POST', '/orgs', create)).status, 403, 'who has an organisation');
    },
  );

  await t.test('the name of an organisation is unique after folding: 400', async (t) => {
    const max = await world.signIn('max@example.org');
    const request = {
      name: ' ACME ',
      userName: 'M',
      e2Id: max.session.userId,
      emailAddress: 'max@example.org',
    };
    const taken = await max.call('POST', '/orgs', request);
    t.equal(taken.status, 400);
    t.match(taken.body, { code: 'ORGANIZATION_ALREADY_EXISTS', status: 400 });
    const email = await max.call('POST', '/orgs', {
      ...request,
      name: 'Free',
      emailAddress: 'ANN@example.org',
    });
    t.equal(email.status, 409);
    t.match(email.body, { code: 'USER_EXISTS' });
    t.match(await max.call('POST', '/orgs', { ...request, name: 'Free', e2Id: 'noUserId' }), { status: 422 });
    t.equal(
      (await max.call('POST', '/orgs', { ...request, name: 'Free' })).status,
      201,
      'nothing was kept of it',
    );
  });

  await t.test('[S7.36] GET /test and POST /testDB', async (t) => {
    t.equal((await world.call('GET', '/test')).status, 200);
    t.equal((await ann.call('POST', '/testDB')).status, 200);
    t.equal((await bob.call('POST', '/testDB')).status, 403);
    t.equal((await world.call('POST', '/testDB')).status, 401);
  });
});

t.test('founding again while unconfirmed: 201, the same id, a new link', async (t) => {
  const { signIn, activationOf, call, clock } = await createWorld(t);
  const ann = await signIn('ann@example.org');
  const request = {
    name: 'Acme',
    userName: 'Ann',
    e2Id: ann.session.userId,
    emailAddress: 'ann@example.org',
  };
  const first = await ann.call('POST', '/orgs', request);
  const older = await activationOf('ann@example.org');
  clock.advance(1);
  const again = await ann.call('POST', '/orgs', { ...request, name: 'Acme 2' });
  t.equal(again.status, 201);
  t.equal(again.body.id, first.body.id);
  const newer = await activationOf('ann@example.org', older);
  t.equal((await call('PUT', `/users/confirm/link/${older}`)).status, 404);
  t.equal((await call('PUT', `/users/confirm/link/${newer}`)).status, 200);
  const bob = await signIn('bob@example.org');
  const freed = { name: 'Acme', userName: 'B', e2Id: bob.session.userId, emailAddress: 'bob@example.org' };
  t.equal((await bob.call('POST', '/orgs', freed)).status, 201, 'its former name is free');
});

t.test('unconfirmed after 7 days frees the name', async (t) => {
  const { signIn, clock } = await createWorld(t);
  const found = async (email: string) => {
    const person = await signIn(email);
    const request = { name: 'Acme', userName: 'X', e2Id: person.session.userId, emailAddress: email };
    return person.call('POST', '/orgs', request);
  };
  t.equal((await found('ann@example.org')).status, 201);
  clock.advance(7 * 24 * 3_600_000 - 1);
  t.equal((await found('bob@example.org')).status, 400);
  clock.advance(1);
  t.equal((await found('bob@example.org')).status, 201);
  t.equal((await found('ann@example.org')).status, 400, 'the first founder comes too late');
});

t.test('of several who found the same name at once, one does', async (t) => {
  const { signIn } = await createWorld(t);
  const people = await Promise.all(['a', 'b', 'c', 'd'].map((name) => signIn(`${name}@example.org`)));
  const answers = await Promise.all(
    people.map(({ call, session }, n) =>
      call('POST', '/orgs', {
        name: 'Acme',
        userName: 'X',
        e2Id: session.userId,
        emailAddress: `${n}@example.org`,
      }),
    ),
  );
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
});

t.test('users by HTTP', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_RESEND: '2' });
  const ann = await world.organization('Acme', 'ann@example.org');
  const bob = await world.member(ann, 'bob@example.org', 'REGULAR');
  const eve = await world.organization('Other', 'eve@example.org');
  const users = `/users/${ann.orgId}`;
  const invitation = { name: 'Cid', email: 'cid@example.org', type: 'REGULAR', orgId: ann.orgId };

  await t.test('[S7.28] POST /users/{orgId} answers the id', async (t) => {
    world.clock.advance(1);
    const created = await ann.call('POST', users, invitation);
    t.equal(created.status, 201);
    t.strictSame(Object.keys(created.body), ['id']);
    const again = await ann.call('POST', users, { ...invitation, email: 'CID@example.org' });
    t.match(again, { status: 409, body: { code: 'USER_EXISTS' } });
    t.equal((await eve.call('POST', `/users/${eve.orgId}`, { ...invitation, orgId: eve.orgId })).status, 409);
    t.equal((await ann.call('POST', users, { ...invitation, orgId: eve.orgId })).status, 422);
    t.equal((await bob.call('POST', users, invitation)).status, 403);
  });

  await t.test('[S7.32] GET /users/{orgId}: all for an ADMIN, itself for REGULAR', async (t) => {
    const all = (await ann.call('GET', users)).body;
    t.match(all, { orgName: 'Acme', stripeId: null });
    matchList(t, all.users, [
      { name: 'ann@example.org', role: 'ADMIN', active: true, orgId: ann.orgId },
      { role: 'REGULAR' },
      { name: 'Cid', active: false },
    ]);
    const own = (await bob.call('GET', users)).body;
    t.strictSame(
      own.users.map(({ id }: { id: string }) => id),
      [bob.userId],
    );
    t.strictSame(Object.keys(own).sort(), ['orgName', 'users']);
    t.equal((await eve.call('GET', users)).status, 404);
  });

  await t.test('[S7.31] GET /users/{orgId}/{id}', async (t) => {
    t.match((await bob.call('GET', `${users}/${bob.userId}`)).body, { id: bob.userId, active: true });
    t.match((await ann.call('GET', `${users}/${bob.userId}`)).body, { emailAddress: 'bob@example.org' });
    t.equal((await bob.call('GET', `${users}/${ann.session.userId}`)).status, 404);
  });

  await t.test('[S7.35] PUT /users/{orgId}/{id}', async (t) => {
    const path = `${users}/${bob.userId}`;
    const change = { name: 'Robert', emailAddress: 'bob@example.org', role: 'REGULAR' };
    t.match(await ann.call('PUT', path, change), { status: 200, body: { name: 'Robert', id: bob.userId } });
    t.match((await bob.call('GET', '/session')).body, { name: 'Robert' });
    t.match(await ann.call('PUT', path, { ...change, emailAddress: 'eve@example.org' }), { status: 409 });
    t.match(await ann.call('PUT', path, { ...change, role: 'KING' }), { status: 422 });
    const read = (await ann.call('GET', path)).body;
    t.equal((await ann.call('PUT', path, read)).status, 200, 'what a read gives can be sent back');
    const unknown = await ann.call('PUT', path, { ...change, shoeSize: 43 });
    matchWhole(t, unknown, { status: 422, body: { errors: [{ path: '/shoeSize' }] } });
  });

  await t.test(
    '[S7.34] POST /users/resend/activationlink ends the older link, while inactive, 5 a minute',
    async (t) => {
      const { users: all } = (await ann.call('GET', users)).body;
      const cid = all.find(({ name }: { name: string }) => name === 'Cid');
      const older = await world.activationOf('cid@example.org');
      const path = `/users/resend/activationlink/${ann.orgId}`;
      t.equal((await ann.call('POST', `${path}/${cid.id}`)).status, 200);
      t.equal((await world.call('PUT', `/users/confirm/link/${older}`)).status, 404);
      t.match(await ann.call('POST', `${path}/${bob.userId}`), {
        status: 409,
        body: { code: 'USER_ACTIVE' },
      });
      t.match(await ann.call('POST', `${path}/${cid.id}`), { status: 429, body: { code: 'RATE_LIMITED' } });
    },
  );

  await t.test('the last ADMIN cannot be deleted or demoted', async (t) => {
    const path = `${users}/${ann.session.userId}`;
    const own = (await ann.call('GET', '/session')).body;
    const demote = { name: own.name, emailAddress: own.email, role: 'REGULAR' };
    t.match(await ann.call('PUT', `${users}/${own.userId}`, demote), {
      status: 409,
      body: { code: 'LAST_ADMIN' },
    });
    t.match(await ann.call('DELETE', `${users}/${own.userId}`), { status: 409 });
    t.equal((await ann.call('DELETE', `${path}x`)).status, 404);
  });
});

t.test('of two ADMINs who demote each other at once, one stays', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const bob = await world.member(ann, 'bob@example.org', 'ADMIN');
  const annId = (await ann.call('GET', '/session')).body.userId;
  const demote = (who: typeof bob | typeof ann, id: string, email: string) =>
    who.call('PUT', `/users/${ann.orgId}/${id}`, { name: email, emailAddress: email, role: 'REGULAR' });
  const answers = await Promise.all([
    demote(ann, bob.userId, 'bob@example.org'),
    demote(bob, annId, 'ann@example.org'),
  ]);
  const statuses = answers.map(({ status }) => status).sort();
  matchList(t, statuses, [200, /403|409/], JSON.stringify(statuses));
  const roles = await Promise.all(
    [ann, bob].map(async (who) => (await who.call('GET', '/session')).body.userRole),
  );
  t.equal(roles.filter((role) => role === 'ADMIN').length, 1);
});

/** Runs `first` before the next commit of a stream, after all checks of the call that makes it. */
function beforeNextCommit({ store }: World, first: () => Promise<unknown>): void {
  const { insertUnique } = store;
  store.insertUnique = async (collection, document) => {
    if (collection === 'streams') {
      store.insertUnique = insertUnique.bind(store);
      await first();
    }
    return insertUnique.call(store, collection, document);
  };
}

t.test(
  '[S6.1] whoever is no ADMIN any more at the commit changes no user, though a third ADMIN stays',
  async (t) => {
    const world = await createWorld(t);
    const ann = await world.organization('Acme', 'ann@example.org');
    const bob = await world.member(ann, 'bob@example.org', 'ADMIN');
    const cid = await world.member(ann, 'cid@example.org', 'ADMIN');
    const pathOf = (id: string): string => `/users/${ann.orgId}/${id}`;
    const annId = (await ann.call('GET', '/session')).body.userId;
    const regular = (email: string) => ({ name: email, emailAddress: email, role: 'REGULAR' });
    beforeNextCommit(world, () => ann.call('PUT', pathOf(bob.userId), regular('bob@example.org')));
    t.match(await bob.call('PUT', pathOf(annId), regular('ann@example.org')), {
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    t.equal((await ann.call('GET', '/session')).body.userRole, 'ADMIN');
    t.equal((await bob.call('GET', '/session')).body.userRole, 'REGULAR');
    beforeNextCommit(world, () => ann.call('DELETE', pathOf(cid.userId)));
    t.equal((await cid.call('DELETE', pathOf(annId))).status, 403);
    t.equal((await ann.call('GET', '/session')).body.userRole, 'ADMIN');
    const { body } = await ann.call('POST', `/service-tokens/${ann.orgId}`, {
      ...{ name: 'Sync', role: 'ADMIN', readOnly: false },
    });
    const program = { authorization: `Bearer ${body.token}` };
    const removed = await world.call('DELETE', pathOf(bob.userId), undefined, program);
    t.equal(removed.status, 200, 'a program is no user');
  },
);

t.test('an address that is changed while its person confirms keeps the person', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const invitation = { name: 'Cid', email: 'cid@example.org', type: 'REGULAR', orgId: ann.orgId };
  const { id } = (await ann.call('POST', `/users/${ann.orgId}`, invitation)).body;
  const cid = await world.signIn('cid@example.org');
  const link = await world.activationOf('cid@example.org');
  const change = (fields: object) =>
    ann.call('PUT', `/users/${ann.orgId}/${id}`, {
      ...{ name: 'Cid', emailAddress: 'cid@example.org', role: 'REGULAR' },
      ...fields,
    });
  beforeNextCommit(world, () => world.call('PUT', `/users/confirm/link/${link}`));
  t.match(await change({ emailAddress: 'other@example.org' }), { status: 409, body: { code: 'CONFLICT' } });
  t.match((await cid.call('GET', '/session')).body, { orgId: ann.orgId });
});

t.test('an address that is given back while its change ends stays taken', async (t) => {
  const world = await createWorld(t);
  const { store } = world;
  const ann = await world.organization('Acme', 'ann@example.org');
  const eve = await world.organization('Other', 'eve@example.org');
  const cid = await world.member(ann, 'cid@example.org', 'REGULAR');
  const change = (emailAddress: string) =>
    ann.call('PUT', `/users/${ann.orgId}/${cid.userId}`, { name: 'Cid', emailAddress, role: 'REGULAR' });
  const { insertUnique } = store;
  store.insertUnique = async (collection, document) => {
    await insertUnique.call(store, collection, document);
    if (collection !== 'streams') return;
    store.insertUnique = insertUnique.bind(store);
    t.equal((await change('cid@example.org')).status, 200);
  };
  t.equal((await change('new@example.org')).status, 200);
  const invitation = { name: 'C', email: 'cid@example.org', type: 'REGULAR', orgId: eve.orgId };
  world.clock.advance(RESERVATION_GRACE_MS);
  t.match(await eve.call('POST', `/users/${eve.orgId}`, invitation), {
    status: 409,
    body: { code: 'USER_EXISTS' },
  });
});

t.test('a new name does not bring back an address that was changed meanwhile', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const invitation = { name: 'Cid', email: 'cid@example.org', type: 'REGULAR', orgId: ann.orgId };
  const { id } = (await ann.call('POST', `/users/${ann.orgId}`, invitation)).body;
  const path = `/users/${ann.orgId}/${id}`;
  const fields = { name: 'Cid', emailAddress: 'cid@example.org', role: 'REGULAR' };
  beforeNextCommit(world, () => ann.call('PUT', path, { ...fields, emailAddress: 'new@example.org' }));
  t.match(await ann.call('PUT', path, { ...fields, name: 'Sid' }), {
    status: 409,
    body: { code: 'CONFLICT' },
  });
  t.match((await ann.call('GET', path)).body, { name: 'Cid', emailAddress: 'new@example.org' });
});
