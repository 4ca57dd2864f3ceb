// Runs the script that pins images against a registry of this test, which asks for a token, as Docker Hub does.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import { FILES, imagesIn } from '../pin-images.mjs';

const body = (path) => JSON.stringify({ schemaVersion: 2, path });
const digestOf = (path) => `sha256:${createHash('sha256').update(body(path)).digest('hex')}`;

async function registry(t, { lies = false } = {}) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://registry');
    const here = `http://${request.headers.host}`;
    const [, path] = /^\/v2\/(.+)\/manifests\/[^/]+$/.exec(url.pathname) ?? [];
    if (url.pathname === '/token') {
      response.end(JSON.stringify({ token: url.searchParams.get('scope') }));
    } else if (request.headers.authorization !== `Bearer repository:${path}:pull`) {
      const scope = `service="registry",scope="repository:${path}:pull"`;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${here}/token",${scope}` }).end();
    } else if (!request.headers.accept.startsWith('application/vnd.oci.image.index')) {
      response.writeHead(406).end();
    } else {
      const said = lies ? digestOf('another') : digestOf(url.pathname);
      response.writeHead(200, { 'docker-content-digest': said }).end(body(url.pathname));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

function copy(t) {
  const folder = mkdtempSync(join(tmpdir(), 'pin-images-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of FILES) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(root, name), join(folder, name));
  }
  return folder;
}

const texts = (folder) => FILES.map((name) => readFileSync(join(folder, name), 'utf8'));

async function run(...args) {
  const child = spawn(process.execPath, [join(root, 'scripts/pin-images.mjs'), ...args]);
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => (said.out += data));
  child.stderr.on('data', (data) => (said.err += data));
  const [code] = await once(child, 'close');
  return { code, ...said };
}

t.test('every image of others gets its digest, in every file, and again the newer one', async (t) => {
  const [folder, url] = [copy(t), await registry(t)];
  const before = texts(folder);
  const { code } = await run('--check', '--registry', url, '--folder', folder);
  t.equal(code, 1, 'digests are missing, or differ');
  t.strictSame(texts(folder), before, '--check writes nothing');
  t.match(await run('--registry', `${url}/`, '--folder', folder), { code: 0, err: '' });
  const named = texts(folder).flatMap(imagesIn);
  t.strictSame([...new Set(named.map(({ image }) => image.split(':')[0]))].sort(), [
    'apache/kafka',
    'debian',
    'mongo',
    'nginx',
    'node',
  ]);
  for (const { image, digest } of named) {
    const [repository, tag] = image.split(':');
    const path = repository.includes('/') ? repository : `library/${repository}`;
    t.equal(digest, digestOf(`/v2/${path}/manifests/${tag}`), image);
  }
  const without = texts(folder).map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''));
  t.strictSame(
    without,
    before.map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, '')),
    'nothing else changed',
  );
  const pinned = texts(folder);
  t.match(await run('--registry', url, '--folder', folder), { code: 0 });
  t.strictSame(texts(folder), pinned, 'a second run changes nothing');
  t.match(await run('--check', '--registry', url, '--folder', folder), { code: 0 });
});

t.test('nothing is written when a digest is not that of the answer, or nobody answers', async (t) => {
  const folder = copy(t);
  const before = texts(folder);
  const lying = await run('--registry', await registry(t, { lies: true }), '--folder', folder);
  t.match(lying, { code: 1, err: /^pin-images: \S+: the registry says sha256:\w+, its answer has sha256:/ });
  const away = await run('--registry', 'http://127.0.0.1:9', '--folder', folder);
  t.match(away, { code: 1, err: /^pin-images: http:\/\/127\.0\.0\.1:9\/\S+ cannot be reached: / });
  t.strictSame(texts(folder), before);
});
