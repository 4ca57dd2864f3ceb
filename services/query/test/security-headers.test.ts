import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { createWorld, type Answer } from './world.ts';

const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';manifest-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'";
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

t.test('every answer carries the security headers, and only its own origin may run anything', async (t) => {
  const world = await createWorld(t);
  const ada = await world.organization('Acme', 'ada@example.org');
  const answers: Record<string, Answer> = {
    'a read': await ada.call('GET', `/devices/${ada.orgId}`),
    'a refusal': await world.call('GET', '/session'),
    'a bad body': await ada.call('POST', `/devices/${ada.orgId}`, {}),
    'the document': await world.call('GET', '/openapi.json'),
    'the page of the document': await world.call('GET', '/docs'),
    'a script of that page': await world.call('GET', '/docs/static/swagger-ui-bundle.js'),
    'the wallet': await world.call('GET', '/dev-wallet'),
    'the mails': await world.call('GET', '/dev-mail'),
  };
  for (const [name, { headers }] of Object.entries(answers)) matchWhole(t, headers, HEADERS, name);
  for (const name of ['a read', 'a refusal', 'a bad body'])
    t.equal(answers[name]!.headers['cache-control'], 'no-store', `${name} is kept by nobody`);

  await t.test('nothing of a page is inline, or from elsewhere', async (t) => {
    for (const name of ['the page of the document', 'the wallet', 'the mails']) {
      const text = String(answers[name]!.body);
      t.match(answers[name]!.headers['content-type'], /^text\/html/, name);
      t.notMatch(
        text,
        /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|<(?:script|img|link)[^>]+"(?:https?:)?\/\//i,
        name,
      );
    }
  });

  await t.test('under TLS the browser is told to stay there', async (t) => {
    const secure = await createWorld(t, { SENTINEL_PUBLIC_URL: 'https://sentinel.example.org' });
    const headers = { host: 'sentinel.example.org' };
    const { headers: got } = await secure.call('GET', '/test', undefined, headers);
    t.match(got['strict-transport-security'], /max-age=\d{7,}/);
    t.notOk('strict-transport-security' in answers['a read']!.headers);
  });

  await t.test('a Host that is not served is turned away', async (t) => {
    const answer = await world.call('GET', '/test', undefined, { host: 'evil.example.org' });
    t.match(answer, { status: 421, body: { code: 'HOST_NOT_ALLOWED' } });
  });
});
