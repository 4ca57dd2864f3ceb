/** Tests how the caller of a call is found: from current state, with as few reads as possible. */
import t, { type Test } from 'tap';
import { RESERVATIONS_COLLECTION } from '../src/storage/reservations.ts';
import { createWorld, type World } from './world.ts';

/** Returns how often the reservations were read since. */
function reservationReads(t: Test, { store }: World): () => number {
  const calls = t.capture(store, 'getMany', store.getMany.bind(store));
  return () => calls().filter(({ args: [collection] }) => collection === RESERVATIONS_COLLECTION.name).length;
}

t.test('the reservation of a person is read once', async (t) => {
  const world = await createWorld(t);
  const admin = await world.organization('Acme', 'ada@example.org');
  const { orgId } = (await admin.call('GET', '/session')).body;
  const reads = reservationReads(t, world);
  for (let n = 0; n < 3; n++) t.equal((await admin.call('GET', '/session')).body.orgId, orgId);
  t.equal(reads(), 0);
});

t.test('a person who was removed has no organisation at the next call, and can found another', async (t) => {
  const world = await createWorld(t);
  const admin = await world.organization('Acme', 'ada@example.org');
  const bea = await world.member(admin, 'bea@example.org', 'REGULAR');
  const { orgId } = (await bea.call('GET', '/session')).body;
  t.equal(orgId, admin.orgId);
  t.equal((await admin.call('DELETE', `/users/${admin.orgId}/${bea.userId}`)).status, 200);
  const earlier = await world.activationOf('bea@example.org');
  world.clock.advance(1);
  const founder = await world.signIn('bea@example.org');
  const { userId, orgId: none } = (await founder.call('GET', '/session')).body;
  t.equal(none, null);
  const beta = { name: 'Beta', userName: 'Bea', e2Id: userId, emailAddress: 'bea@example.org' };
  const { id } = (await founder.call('POST', '/orgs', beta)).body;
  const activation = await world.activationOf('bea@example.org', earlier);
  t.equal((await world.call('PUT', `/users/confirm/link/${activation}`)).status, 200);
  t.equal((await founder.call('GET', '/session')).body.orgId, id);
  t.equal((await founder.call('GET', `/devices/${admin.orgId}`)).status, 404);
});
