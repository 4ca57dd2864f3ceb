import { get } from 'node:https';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { createMetrics } from '../src/index.ts';
import { makeCertificate, skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { httpShell } from './http-harness.ts';

const skip = skipWithoutOpenssl;
const DAY_MS = 86_400_000;

t.test('HTTPS with a certificate and its key', { skip }, async (t) => {
  const { cert, key } = makeCertificate(t, { addresses: ['127.0.0.1'], days: 20 });
  const metrics = createMetrics('test', { processMetrics: false });
  const { app, listen } = await httpShell(t, { SENTINEL_TLS_CERT: cert, SENTINEL_TLS_KEY: key }, { metrics });
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
  const [, seconds] = /^sentinel_tls_certificate_expires_seconds\S* (\d+)$/m.exec(await metrics.text()) ?? [];
  const left = Number(seconds) * 1_000 - Date.now();
  t.ok(left > 19 * DAY_MS && left <= 20 * DAY_MS, 'it says when the certificate expires');
});

t.test('without HTTPS nothing expires', async (t) => {
  const metrics = createMetrics('test', { processMetrics: false });
  await httpShell(t, {}, { metrics });
  t.notMatch(await metrics.text(), /tls_certificate/);
});

t.test('files that do not belong together stop the start', { skip }, async (t) => {
  const [one, other] = [1, 2].map(() => makeCertificate(t, { addresses: [] }));
  const start = (cert: string, key: string) =>
    httpShell(t, { SENTINEL_TLS_CERT: cert, SENTINEL_TLS_KEY: key });
  await t.rejects(start(one!.cert, other!.key), {
    code: 'CONFIG',
    message: /^SENTINEL_TLS_KEY: is not the key of the certificate/,
  });
  await t.rejects(start(one!.key, one!.key), {
    message: /^SENTINEL_TLS_CERT: the file holds no/,
  });
  await t.rejects(start(one!.cert, one!.cert), {
    message: /^SENTINEL_TLS_KEY: the file holds no/,
  });
});

t.test('a certificate that cannot be read stops the start', async (t) => {
  const env = { SENTINEL_TLS_CERT: '/nowhere/cert.pem', SENTINEL_TLS_KEY: '/nowhere/key.pem' };
  await t.rejects(httpShell(t, env), { code: 'ENOENT' });
});
