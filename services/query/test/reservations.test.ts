/** Tests that who is in an organisation keeps the e-mail, the name and the wallet, also when the command failed after its commit. */
import {
  NotDurableError,
  OverloadedError,
  type DocumentStore,
  type PortError,
} from '@sentinel-node/platform';
import t from 'tap';
import { Quotas } from '../src/storage/quotas.ts';
import { Reservations, RESERVATION_GRACE_MS } from '../src/storage/reservations.ts';
import { VIEWS } from '../src/views/index.ts';
import { createWorld, type Answer, type World } from './world.ts';

type Admin = Awaited<ReturnType<World['organization']>>;

const invite = (admin: Admin, email: string): Promise<Answer> =>
  admin.call('POST', `/users/${admin.orgId}`, { name: email, email, type: 'REGULAR', orgId: admin.orgId });

const found = async (world: World, name: string, email: string): Promise<Answer> => {
  const founder = await world.signIn(email);
  return founder.call('POST', '/orgs', {
    name,
    userName: email,
    e2Id: founder.session.userId,
    emailAddress: email,
  });
};

/** Runs `call` while the store refuses to write views. */
async function withoutViews<T>(store: DocumentStore, error: PortError, call: () => Promise<T>): Promise<T> {
  const { writeBatches } = store;
  store.writeBatches = () => Promise.reject(error);
  try {
    return await call();
  } finally {
    store.writeBatches = writeBatches;
  }
}

const confirm = async (world: World, email: string): Promise<void> => {
  t.equal((await world.call('PUT', `/users/confirm/link/${await world.activationOf(email)}`)).status, 200);
};

for (const error of [new OverloadedError('busy'), new NotDurableError('failing over')])
  t.test(`given a commit that stands, when its views cannot be written (${error.code})`, async (t) => {
    const world = await createWorld(t);
    const acme = await world.organization('Acme', 'ada@example.org');
    const other = await world.organization('Other', 'olga@example.org');

    await t.test('then the invited person can get in, and nobody else has the e-mail', async (t) => {
      const answer = await withoutViews(world.store, error, () => invite(acme, 'ingo@example.org'));
      t.equal(answer.status, 503);
      world.clock.advance(RESERVATION_GRACE_MS + 1);
      t.match(await invite(other, 'ingo@example.org'), { status: 409, body: { code: 'USER_EXISTS' } });
      t.match(await invite(acme, 'Ingo@example.org'), { status: 409, body: { code: 'USER_EXISTS' } });
      await confirm(world, 'ingo@example.org');
      t.equal((await world.signIn('ingo@example.org')).session.orgId, acme.orgId);
    });

    await t.test('then the founder can get in, and nobody else has the name', async (t) => {
      const answer = await withoutViews(world.store, error, () => found(world, 'Works', 'carl@example.org'));
      t.equal(answer.status, 503);
      world.clock.advance(RESERVATION_GRACE_MS + 1);
      t.match(await found(world, 'Works', 'dora@example.org'), {
        status: 400,
        body: { code: 'ORGANIZATION_ALREADY_EXISTS' },
      });
      await confirm(world, 'carl@example.org');
      t.type((await world.signIn('carl@example.org')).session.orgId, 'string');
    });
  });

t.test('when two give one user the same new e-mail, then the user keeps it', async (t) => {
  const world = await createWorld(t);
  const acme = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'olga@example.org');
  const bob = await world.member(acme, 'bob@example.org', 'REGULAR');
  const path = `/users/${acme.orgId}/${bob.userId}`;
  const match = { 'if-match': String((await acme.call('GET', path)).headers['etag']) };
  const change = (name: string): Promise<Answer> =>
    acme.call('PUT', path, { name, emailAddress: 'bob@example.com', role: 'REGULAR' }, match);
  const answers = await Promise.all([change('Bob'), change('Robert')]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409]);
  world.clock.advance(RESERVATION_GRACE_MS + 1);
  t.match(await invite(other, 'bob@example.com'), { status: 409, body: { code: 'USER_EXISTS' } });
});

t.test('when an e-mail was not given after all, then it is free', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_INVITATIONS: '2' });
  const acme = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'olga@example.org');
  const bob = await world.member(acme, 'bob@example.org', 'REGULAR');

  await t.test('at once, of an invitation that was refused', async (t) => {
    t.equal((await invite(acme, 'eve@example.org')).status, 429);
    t.equal((await invite(other, 'eve@example.org')).status, 201);
  });

  await t.test(
    'after a minute, of a change that was refused; the person founds an organisation',
    async (t) => {
      const stale = { 'if-match': '"another"' };
      const wanted = { name: 'Bob', emailAddress: 'zoe@example.org', role: 'REGULAR' };
      t.equal((await acme.call('PUT', `/users/${acme.orgId}/${bob.userId}`, wanted, stale)).status, 409);
      t.equal((await found(world, 'Zoo', 'zoe@example.org')).status, 409);
      world.clock.advance(RESERVATION_GRACE_MS + 1);
      t.equal((await found(world, 'Zoo', 'zoe@example.org')).status, 201);
    },
  );
});

t.test(
  'given a clock that was ahead, when it was put right, then nothing is held until its time comes',
  async (t) => {
    const DAY_MS = 24 * 3_600_000;
    const { clock, store } = await createWorld(t);
    const right = clock.now();
    const reservations = new Reservations(store, clock);
    const quotas = new Quotas({ store, clock });
    const kind = {
      ...{ kind: 'tests', limit: 1, refusal: 'one', view: VIEWS.webhooks },
      streamOf: (id: string) => `test:${id}`,
      present: async () => 0,
    };
    const [one, other] = ['one', 'other'].map((orgId) => ({ orgId, userId: null }));
    const nobody = async () => false;
    clock.advance(3 * DAY_MS);
    t.equal(await reservations.take('name:acme', one!, nobody), true);
    await quotas.take(kind, 'one', 'first');
    const until = clock.now();
    clock.set(right);
    // As the clock watch of ingestion finds it.
    await store.bulkUpsert('clock_marks', [{ id: 'clock', rev: 1_000, highest: until, since: right, until }]);
    t.equal(await reservations.take('name:acme', other!, nobody), false, 'the commit may still come');
    await t.rejects(quotas.take(kind, 'one', 'second'), { code: 'LIMIT_REACHED' });
    clock.advance(RESERVATION_GRACE_MS);
    t.equal(await reservations.take('name:acme', other!, nobody), true);
    await quotas.take(kind, 'one', 'second');
  },
);
