import fastify from 'fastify';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { removeExpired } from '../src/signin/housekeeping.ts';
import { Sessions, SESSIONS_COLLECTION, type Session } from '../src/signin/sessions.ts';
import { registerTokens } from '../src/signin/tokens.ts';
import { createWorld, MASTER_SECRET } from './world.ts';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  walletUserId: 'w',
  email: 'ann@example.org',
  name: 'Ann',
  keyNumber: 1,
  createdAt: 1_000,
  expiresAt: 2_000,
  ...more,
});

t.test('a token is of one key: another number or secret ends it', async (t) => {
  const tokensOf = async (secret: string, number: number) => registerTokens(fastify(), secret, number);
  const tokens = await tokensOf(MASTER_SECRET, 1);
  const token = tokens.tokenOf(session('j1'));
  t.equal(token, tokens.tokenOf(session('j1')), 'the same session, the same token');
  t.equal(tokens.jtiOf(token), 'j1');
  t.equal((await tokensOf(MASTER_SECRET, 2)).jtiOf(token), undefined);
  t.equal((await tokensOf(`${MASTER_SECRET}!`, 1)).jtiOf(token), undefined);
  const [, payload] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  for (const forged of [`${none}.${payload}.`, '', 'x.y.z', 'x'.repeat(5_000)])
    t.equal(tokens.jtiOf(forged), undefined);
});

t.test('all sessions of a person end, by whichever clock they began; expired ones are removed', async (t) => {
  const { store, clock } = await createWorld(t);
  clock.set(1_500);
  const sessions = new Sessions(store, clock);
  await sessions.begin(session('old'));
  await sessions.begin(session('ahead', { createdAt: 1_900 }));
  await sessions.begin(session('other', { walletUserId: 'v' }));
  await sessions.endAllOf('w');
  const left = await Promise.all(['old', 'ahead', 'other'].map((id) => sessions.get(id)));
  matchList(t, left, [undefined, undefined, { id: 'other' }]);
  await removeExpired(store, SESSIONS_COLLECTION.name, 2_000);
  t.equal(await store.count(SESSIONS_COLLECTION.name), 1, 'not before their time');
  clock.set(2_000);
  t.equal(await sessions.get('other'), undefined, 'time decides, not the removal');
  await removeExpired(store, SESSIONS_COLLECTION.name, 2_001);
  t.equal(await store.count(SESSIONS_COLLECTION.name), 0);
});
