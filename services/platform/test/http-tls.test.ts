import { execFileSync, spawnSync } from 'node:child_process';
import { get } from 'node:https';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { httpShell } from './http-harness.ts';

const noOpenssl = spawnSync('openssl', ['version']).error !== undefined;
const skip = noOpenssl && 'openssl is not installed, so there is no certificate to serve with';

t.test('HTTPS with a certificate and its key', { skip }, async (t) => {
  const dir = t.testdir({});
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const options = ['-newkey', 'ed25519', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...options], { stdio: 'ignore' });
  const { app, listen } = await httpShell(t, { SENTINEL_TLS_CERT: cert, SENTINEL_TLS_KEY: key });
  app.get('/x', (request) => ({ protocol: request.protocol }));
  const url = await listen();
  t.match(url, /^https:\/\/127\.0\.0\.1:/);
  const text = await new Promise<string>((resolve, reject) => {
    get(new URL('/x', url), { ca: readFileSync(cert) }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString())).on('end', () => resolve(body));
    }).on('error', reject);
  });
  t.strictSame(JSON.parse(text), { protocol: 'https' });
});

t.test('a certificate that cannot be read stops the start', async (t) => {
  const env = { SENTINEL_TLS_CERT: '/nowhere/cert.pem', SENTINEL_TLS_KEY: '/nowhere/key.pem' };
  await t.rejects(httpShell(t, env), { code: 'ENOENT' });
});
