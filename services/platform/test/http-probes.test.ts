/** Tests that figures and names of parts are for the operator's own networks only. */
import t, { type Test } from 'tap';
import { readConfig } from '../src/index.ts';
import { httpShell } from './http-harness.ts';

const OWN = [
  '127.0.0.1',
  '::1',
  '10.244.3.7',
  '172.18.0.5',
  '192.168.1.9',
  '100.64.0.9',
  '169.254.1.1',
  'fd00::7',
];
const MAPPED = '::ffff:10.244.3.7';
const OTHERS = ['203.0.113.9', '172.32.0.1', '2001:db8::1', '::ffff:203.0.113.9'];

async function statusFrom(t: Test, env: Record<string, string> = {}) {
  const { app } = await httpShell(t, env);
  return async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode;
}

t.test('metrics are answered to private networks, and are 404 for others', async (t) => {
  const status = await statusFrom(t, { SENTINEL_TRUSTED_PROXIES: 'loopback' });
  for (const address of [...OWN, MAPPED]) t.equal(await status(address), 200, address);
  for (const address of OTHERS) t.equal(await status(address), 404, address);
});

t.test('metrics are not passed on by a proxy, whatever it says of the caller', async (t) => {
  const status = await statusFrom(t, { SENTINEL_TRUSTED_PROXIES: 'loopback' });
  t.equal(await status('203.0.113.9', { 'x-forwarded-for': '127.0.0.1' }), 404);
  t.equal(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }), 404);
  t.equal(await status('127.0.0.1', { 'x-forwarded-for': '10.0.0.1' }), 404);
  t.equal(await status('127.0.0.1', { forwarded: 'for=10.0.0.1' }), 404);
});

t.test('the setting says who gets metrics', async (t) => {
  const status = await statusFrom(t, { SENTINEL_METRICS_FROM: '203.0.113.0/24, 2001:db8::1' });
  t.equal(await status('203.0.113.9'), 200);
  t.equal(await status('2001:db8::1'), 200);
  t.equal(await status('127.0.0.1'), 404);
  t.throws(() => readConfig({ SENTINEL_METRICS_FROM: 'everybody' }), /SENTINEL_METRICS_FROM/);
});

t.test('readiness tells everybody, and names the missing parts in private networks only', async (t) => {
  const { app } = await httpShell(t, {}, { notReady: () => ['kafka'] });
  const from = async (remoteAddress: string) => {
    const answer = await app.inject({ url: '/readyz', remoteAddress });
    return [answer.statusCode, answer.payload.includes('kafka')];
  };
  t.strictSame(await from('10.0.0.1'), [503, true]);
  t.strictSame(await from('203.0.113.9'), [503, false]);
});
