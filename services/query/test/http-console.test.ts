import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { createWorld } from './world.ts';

t.test('the console is served with its own policy, and its page for its own addresses', async (t) => {
  const folder = t.testdir({
    'index.html': '<!doctype html>console',
    'verify.html': '<!doctype html>checker',
    'icon.svg': '<svg/>',
  });
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'export {}');
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), 'brotli');
  writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), 'gzipped');
  await t.test('with a console', async (t) => {
    const { app } = await createWorld(t, {}, { consoleFolder: folder });
    const get = (url: string, accept = 'text/html') =>
      app.inject({ url, headers: { host: 'localhost:8443', accept } });
    for (const url of ['/', '/login', '/device/01a1fd8c?x=1', '/users', '/verify', '/index.html']) {
      const page = await get(url);
      t.equal(page.statusCode, 200, url);
      t.match(page.body, 'console');
      t.equal(page.headers['cache-control'], 'no-cache');
      t.match(page.headers['content-security-policy'], /script-src 'self'/);
      t.notMatch(page.headers['content-security-policy'], /unsafe/);
      t.equal(page.headers['referrer-policy'], 'no-referrer');
    }
    const saved = await get('/verify.html');
    t.equal(saved.body, '<!doctype html>checker');
    t.match(saved.headers, {
      'content-type': /text\/html/,
      'content-disposition': 'attachment; filename="sentinel-verify.html"',
      'cache-control': 'no-cache',
      'content-security-policy': /script-src 'self'/,
    });
    t.match((await get('/share/alert/X')).headers, { 'x-robots-tag': /noindex/ });
    for (const [encoding, body] of Object.entries({ br: 'brotli', gzip: 'gzipped' })) {
      const headers = { host: 'localhost:8443', 'accept-encoding': encoding };
      const small = await app.inject({ url: '/assets/index-abc.js', headers });
      t.match(small.headers, {
        'content-encoding': encoding,
        'content-type': /javascript/,
        vary: /accept-encoding/,
      });
      t.equal(small.body, body);
    }
    const asset = await get('/assets/index-abc.js', '*/*');
    t.equal(asset.headers['content-encoding'], undefined);
    t.match(asset.headers, { 'cache-control': /immutable/, 'content-type': /javascript/ });
    for (const url of ['/assets/missing.js', '/api/v1/nothing', '/api/x', '/dev-nothing', '/../package.json'])
      t.match((await get(url, '*/*')).statusCode, /200|404/, url);
    const unknown = await get('/api/v1/nothing');
    t.equal(unknown.statusCode, 404);
    t.match(unknown.json(), { code: 'NOT_FOUND' });
    t.equal((await get('/assets/missing.js', '*/*')).statusCode, 404);
    for (const url of ['/tile/0/000', '/tile/none', '/batches/1/2', '/consistency/1', '/tile/'])
      t.match(await get(url), { statusCode: 404, headers: { 'cache-control': 'no-store' } }, url);
    t.equal((await get('/api/v1/orgs')).statusCode, 405);
    t.equal(
      (await get('/login', 'application/json')).statusCode,
      404,
      'an API client that took a wrong turn',
    );
  });
});

t.test('a long answer is compressed for whoever takes it so', async (t) => {
  const { app, organization } = await createWorld(t);
  const { token, orgId } = await organization('Acme', 'ann@example.org');
  const get = (encoding: string) =>
    app.inject({
      url: `/api/v1/dashboard/${orgId}`,
      headers: { host: 'localhost:8443', 'x-access-token': token, 'accept-encoding': encoding },
    });
  const [plain, small] = [await get('identity, gzip;q=0'), await get('gzip, br')];
  t.equal(plain.headers['content-encoding'], undefined);
  t.match(small.headers, { 'content-encoding': 'gzip', vary: 'accept-encoding' });
  t.same(JSON.parse(gunzipSync(small.rawPayload).toString()), plain.json());
  t.ok(small.rawPayload.length < plain.rawPayload.length / 2);
});

t.test('without a built console its addresses are unknown', async (t) => {
  const { app } = await createWorld(t);
  t.equal((await app.inject({ url: '/login', headers: { host: 'localhost:8443' } })).statusCode, 404);
});
