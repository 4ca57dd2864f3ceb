import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ERRORS, parseTilePath } from '../../contracts/dist/src/index.js';
import { matchWhole } from '../../services/test-kit/dist/src/matching/index.js';
import { composeFile, configProblems, K8S, manifests, podOf, read, root, stage } from './deploy-support.mjs';
import { LEDGER_PATHS } from '../../services/query/dist/src/openapi/ledger-paths.js';
import { LOG_PATHS } from '../../services/query/dist/src/openapi/log-paths.js';
import { call, front, until } from './deploy-front.mjs';
import { consoleHeaders, routesOf } from './deploy-services.mjs';

/** Sample values: a UUID for every parameter but batch numbers; a tile below `/tile/`. */
const sample = (path) =>
  path
    .replace(/:batch\b/, '12')
    .replace(/\*$/, 'entries/x001/x234/067.p/8')
    .replace(/:\w+/g, '0190a1b2-0000-7000-8000-000000000001');
const routes = await routesOf();
/** The services' decisions that depend on whether a proxy is trusted. */
const { compile } = createRequire(import.meta.resolve('fastify'))('@fastify/proxy-addr');
/** The memory that nginx takes for each connection at its start, used or not, and for each process beside. */
const CONNECTION_BYTES = 424;
const PROCESS_BYTES = 2 * 1_048_576;

/** The credentials for a route that two services have: an agent's key, or a person's token. */
const SENT = { ingestion: { 'x-api-key': 'sk1.key' }, query: { 'x-access-token': 'token' }, anchoring: {} };

/** routes.conf as nginx reads it: the first matching expression, else the default; a value may name another map. */
function routeTable() {
  const text = read('deploy/web/routes.conf');
  const maps = new Map(
    [...text.matchAll(/map "([^"]+)" (\$\w+) \{([^]*?)\n\}/g)].map(([, source, name, body]) => [
      name,
      {
        source,
        fallback: /^\s*default (\S+);$/m.exec(body)[1],
        rules: [...body.matchAll(/^\s*"~(.+)" (\S+);$/gm)].map(([, expression, value]) => ({
          expression: new RegExp(expression),
          value,
        })),
      },
    ]),
  );
  const valueOf = (name, variables) => {
    const { source, fallback, rules } = maps.get(name);
    const key = source.replace(/\$(\w+)/g, (_, variable) => variables[variable] ?? '');
    const value = rules.find(({ expression }) => expression.test(key))?.value ?? fallback;
    return value.startsWith('$') ? valueOf(value, variables) : value;
  };
  return (method, path, headers) => {
    const sent = Object.entries(headers).map(([name, value]) => [`http_${name.replaceAll('-', '_')}`, value]);
    return valueOf('$service', { request_method: method, uri: path, ...Object.fromEntries(sent) });
  };
}

t.test('every route of the services is sent to the one that has it', async (t) => {
  const serviceOf = routeTable();
  for (const { service, method, path } of routes)
    t.equal(serviceOf(method, sample(path), SENT[service]), service, `${service}: ${method} ${path}`);
  const configuration = '/api/v1/devices/config/org/device';
  t.equal(
    serviceOf('GET', configuration, { ...SENT.query, ...SENT.ingestion }),
    'ingestion',
    'a key decides',
  );
  const program = { authorization: 'Bearer sst1.token' };
  t.equal(serviceOf('GET', configuration, program), 'query', 'a service token');
  t.equal(serviceOf('GET', configuration, { ...program, ...SENT.ingestion }), 'ingestion');
  t.equal(serviceOf('GET', configuration, {}), 'ingestion');
  t.ok(routes.filter(({ service }) => service === 'query').length > 40, 'the routes of query were found');
  t.equal(routes.filter(({ service, method }) => service === 'ingestion' && method !== 'HEAD').length, 4);
  t.equal(routes.filter(({ service, method }) => service === 'anchoring' && method !== 'HEAD').length, 6);
  const named = [...read('deploy/web/routes.conf').matchAll(/" ([a-z]+);$/gm)].map(([, name]) => name);
  for (const file of ['upstreams.conf', 'upstreams.compose.conf']) {
    const text = read('deploy/web', file);
    for (const name of new Set([...named, 'query']))
      t.match(text, new RegExp(`upstream ${name} \\{[^}]*server ${name}:8080`), `${file}: ${name}`);
    for (const [, name] of text.matchAll(/server ([\w-]+):/g)) t.ok(name in composeFile().services, name);
  }
});

t.test('the description of the API has the calls of anchoring, and no others', (t) => {
  const calls = routes.filter(({ service, method }) => service === 'anchoring' && method !== 'HEAD');
  const tiles = ['/tile/:level/:index', '/tile/entries/:index'];
  const wanted = calls.flatMap(({ path }) => (path === '/tile/*' ? tiles : [path]));
  const described = [...Object.keys(LOG_PATHS), ...Object.keys(LEDGER_PATHS)];
  const named = described.map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  t.strictSame(named.sort(), wanted.sort());
  for (const [path, { get }] of Object.entries(LOG_PATHS)) {
    t.strictSame(
      get.servers.map(({ url }) => url),
      ['/'],
    );
    const example = get.parameters.reduce((text, one) => text.replace(`{${one.name}}`, one.example), path);
    for (const { name, schema, example } of get.parameters)
      t.match(example, new RegExp(schema.pattern), `${path}: ${name}`);
    if (path.startsWith('/tile/')) t.ok(parseTilePath(example), example);
  }
  t.end();
});

t.test('the web image has every file that its configuration includes', async (t) => {
  const copied = stage('web')
    .instructions.filter(([word]) => word === 'COPY')
    .flatMap(([, rest]) => rest.split(/\s+/));
  const names = readdirSync(join(root, 'deploy/web'));
  for (const name of names.filter((one) => one !== 'upstreams.compose.conf'))
    t.ok(copied.includes(`deploy/web/${name}`), name);
  const included = names.flatMap((name) =>
    [...read('deploy/web', name).matchAll(/include \/etc\/nginx\/(\S+);/g)].map(([, file]) => file),
  );
  for (const name of included) t.ok(name === 'mime.types' || names.includes(name), name);
});

const nginx = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
const isRequired = (process.env.SENTINEL_TEST_REQUIRE ?? '').split(',').includes('nginx');
const without = nginx.status === 0 || isRequired ? false : 'there is no nginx on this machine';

t.test('nginx sends calls on as they are', { skip: without }, async (t) => {
  const { url, seen } = await front(t);
  for (const { service, method, path } of routes) {
    // A stream does not end; it has a test of its own.
    if (method === 'HEAD' || path.includes('/stream/')) continue;
    const answer = await call(url, method, `${sample(path)}?a=%2Fb`, { headers: SENT[service] });
    t.equal(answer.text, service, `${method} ${path}`);
  }
  const last = seen.at(-1);
  for (const path of ['/tile/', '/tile/0/none', '/tile/0/000/'])
    t.equal((await call(url, 'GET', path)).text, 'anchoring', `${path} is no page of the console`);
  t.match(last.url, /\?a=%2Fb$/, 'the address arrives as it was written');
  t.equal(last.headers.host, new URL(url).host, 'the Host header is the caller’s');

  await call(url, 'GET', '/api/v1/session', {
    headers: {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=1.2.3.4',
    },
  });
  const { headers } = seen.at(-1);
  t.equal(headers['x-forwarded-for'], '203.0.113.7, 127.0.0.1', 'who called is added at the end');
  t.equal(headers['x-forwarded-proto'], 'http');
  t.notOk(headers['x-forwarded-host'] || headers.forwarded, 'what a caller says of hosts is dropped');
  await call(url, 'GET', '/api/v1/session', { headers: { 'x-forwarded-proto': 'https' } });
  t.equal(seen.at(-1).headers['x-forwarded-proto'], 'https', 'an ingress in front says it was TLS');
});

t.test('only a trusted proxy says that a person came by TLS', { skip: without }, async (t) => {
  const headers = { 'x-forwarded-proto': 'https' };
  for (const [trusted, proto] of [
    ['', 'http'],
    ['192.0.2.0/24,::1', 'http'],
    ['192.0.2.0/24,127.0.0.0/8', 'https'],
  ]) {
    const { url, seen } = await front(t, trusted);
    await call(url, 'GET', '/api/v1/session', { headers });
    t.equal(seen.at(-1).headers['x-forwarded-proto'], proto, trusted);
    const page = await call(url, 'GET', '/', { headers });
    t.equal('strict-transport-security' in page.headers, proto === 'https', trusted);
  }
});

t.test('the groups of proxies are the same for the web server as for the services', async (t) => {
  const [problem] = configProblems({ SENTINEL_TRUSTED_PROXIES: 'nobody' }, 'query').filter((text) =>
    text.startsWith('SENTINEL_TRUSTED_PROXIES'),
  );
  const groups = /, or ([a-z, ]+), with commas/.exec(problem)[1].split(', ');
  t.ok(groups.includes('uniquelocal'), 'the groups were found');
  const addresses = [
    ...['127.0.0.1', '127.255.255.255', '128.0.0.0', '::1', '::2'],
    ...['169.254.0.0', '169.254.255.255', '169.255.0.0', 'fe80::1', 'febf::1', 'fec0::1'],
    ...['10.0.0.0', '10.255.255.255', '11.0.0.0', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ...['192.168.0.0', '192.168.255.255', '192.169.0.0', 'fc00::1', 'fdff::1', 'fe00::1'],
  ];
  const folder = t.testdir({ bin: { nginx: '#!/bin/sh\n' } });
  chmodSync(join(folder, 'bin/nginx'), 0o755);
  for (const group of groups) {
    const { status } = spawnSync('sh', [join(root, 'deploy/web/start.sh')], {
      env: {
        PATH: `${folder}/bin:${process.env.PATH}`,
        LISTEN_FOLDER: folder,
        SENTINEL_TRUSTED_PROXIES: group,
      },
    });
    t.equal(status, 0, group);
    const ours = new BlockList();
    const written = readFileSync(join(folder, 'trusted-proxies.conf'), 'utf8');
    for (const [, address, bits] of written.matchAll(/^([^/\n]+)\/(\d+) 1;$/gm))
      ours.addSubnet(address, Number(bits), `ipv${isIP(address)}`);
    const theirs = compile(group);
    for (const address of addresses)
      t.equal(ours.check(address, `ipv${isIP(address)}`), theirs(address, 0), `${group}: ${address}`);
  }
});

t.test('nginx starts with each group of proxies', { skip: without }, async (t) => {
  const headers = { 'x-forwarded-proto': 'https' };
  for (const [trusted, proto] of [
    ['linklocal,uniquelocal', 'http'],
    ['uniquelocal, loopback', 'https'],
  ]) {
    const { url, seen } = await front(t, trusted);
    await call(url, 'GET', '/api/v1/session', { headers });
    t.equal(seen.at(-1).headers['x-forwarded-proto'], proto, trusted);
  }
});

// `auto` makes one for each core of the machine, whatever the container may use.
t.test('the processes of the web server fit its memory on every machine', (t) => {
  const text = read('deploy/web/nginx.conf');
  const processes = Number(/^worker_processes (\S+);$/m.exec(text)[1]);
  const connections = Number(/^ *worker_connections (\d+);$/m.exec(text)[1]);
  const bytes = processes * (connections * CONNECTION_BYTES + PROCESS_BYTES);
  const [{ body }] = manifests(`${K8S}/base`).filter(
    ({ file, body }) => file === 'web.yaml' && body.kind === 'Deployment',
  );
  const limits = [
    podOf(body).containers[0].resources.limits,
    composeFile().services.web.deploy.resources.limits,
  ];
  for (const { memory } of limits) {
    const [, mebibytes] = /^(\d+)Mi?$/.exec(memory);
    t.ok(bytes < (Number(mebibytes) * 1_048_576) / 4, `${bytes} of ${memory}; calls need the rest`);
  }
  t.end();
});

t.test('bodies of 16 MiB pass', { skip: without }, async (t) => {
  const { url, seen } = await front(t);
  const body = Buffer.alloc(16 * 1_048_576, 'a');
  const whole = await call(url, 'POST', '/api/v1/files/bulk/org/device', { body });
  t.match(whole, { status: 200, text: 'ingestion' });
  t.equal(seen.at(-1).bytes, body.length);
});

// A service refuses unknown callers before it reads their bodies; a body on the disk of the web server would cost them nothing.
t.test('no body is held back, or written to a disk', { skip: without }, async (t) => {
  const { url, seen, kept } = await front(t);
  const half = Buffer.alloc(262_144, 'a');
  const withBody = routes.filter(({ method }) => ['POST', 'PUT', 'DELETE'].includes(method));
  t.ok(withBody.length > 30, 'the routes were found');
  for (const { service, method, path } of withBody) {
    const slow = request(new URL(sample(path), url), {
      method,
      headers: { ...SENT[service], 'content-length': String(2 * half.length) },
    });
    const before = seen.length;
    slow.write(half);
    await until(
      `${method} ${path}: the first half arrives before the second is sent`,
      () => seen.length > before && seen.at(-1).bytes === half.length,
    );
    t.strictSame(kept(), [], `${method} ${path}`);
    slow.end(half);
    const [answer] = await once(slow, 'response');
    answer.resume();
    t.equal(answer.statusCode, 200);
    await once(answer, 'end');
  }
});

t.test('frames of a stream pass at once', { skip: without }, async (t) => {
  const { url, send } = await front(t);
  const answer = await fetch(`${url}/api/v1/stream/org`);
  t.equal(answer.headers.get('content-type'), 'text/event-stream');
  const reader = answer.body.getReader();
  for (const frame of ['data: 1\n\n', ':\n\n', 'data: 2\n\n']) {
    send(frame);
    const { value } = await reader.read();
    t.equal(Buffer.from(value).toString(), frame);
  }
  await reader.cancel();
  const text = read('deploy/web/nginx.conf');
  const [, seconds] = /location \^~ \/api\/v1\/stream\/ \{[^}]*proxy_read_timeout (\d+)h;/.exec(text);
  t.ok(Number(seconds) >= 1, 'and it may be quiet for an hour');
});

t.test('nginx listens on IPv6 where the kernel has it, and starts where it has not', (t) => {
  const folder = t.testdir({ bin: { nginx: '#!/bin/sh\necho "$@"\n' }, if_inet6: '' });
  chmodSync(join(folder, 'bin/nginx'), 0o755);
  const start = (addresses) =>
    spawnSync('sh', [join(root, 'deploy/web/start.sh')], {
      encoding: 'utf8',
      env: { PATH: `${folder}/bin:${process.env.PATH}`, LISTEN_FOLDER: folder, IPV6_ADDRESSES: addresses },
    });
  const listens = () => readdirSync(folder).filter((name) => name.startsWith('listen-ipv6'));
  t.match(start(join(folder, 'if_inet6')), { status: 0, stdout: '-e /dev/stderr -g daemon off;\n' });
  t.equal(readFileSync(join(folder, listens()[0]), 'utf8'), 'listen [::]:8080;\n');
  t.equal(start(join(folder, 'none')).status, 0);
  t.strictSame(listens(), []);
  t.match(read('deploy/web/nginx.conf'), /^ *include \/tmp\/listen-ipv6\*\.conf;$/m);
  t.end();
});

t.test('a service that is away is told in the services’ own words', { skip: without }, async (t) => {
  const { url, stop } = await front(t);
  await stop('ingestion');
  const answer = await call(url, 'POST', '/api/v1/files/org/device/file', { body: '{}' });
  t.equal(answer.status, 503);
  t.match(answer.headers, { 'content-type': /^application\/problem\+json/, 'retry-after': '5' });
  t.match(JSON.parse(answer.text), {
    type: 'about:blank',
    title: ERRORS.UNAVAILABLE.title,
    status: 503,
    code: 'UNAVAILABLE',
    requestId: /./,
  });
  t.match(await call(url, 'GET', '/api/v1/session'), { status: 200, text: 'query' }, 'the others go on');
});

t.test('no log holds a token, or what a link is good for', { skip: without }, async (t) => {
  const { url, stop, logged } = await front(t);
  const secret = 'Z3J5cGhvbg';
  const calls = [
    ['GET', `/api/v1/login?access_token=${secret}`],
    ['PUT', `/api/v1/users/confirm/link/${secret}`],
    ['GET', `/api/v1/alerts/link/shared/data/${secret}`],
    ['GET', `/api/v1/alerts/link/shared/proof/${secret}`],
    ['GET', `/share/alert/${secret}`],
    ['GET', `/authentication?access_token=${secret}`],
  ];
  const callAll = async () => {
    for (const [method, path] of calls) await call(url, method, path);
    await call(url, 'GET', '/api/v1/session?the-last');
  };
  await callAll();
  // nginx writes a call that it cannot pass on to the error log, with the address as received.
  await stop('query');
  await callAll();
  // Several processes of nginx write, each after its answer: the last line need not be that of the last call.
  const written = () => logged().match(/^127\.0\.0\.1 /gm)?.length;
  const isWritten = () => written() === 2 * (calls.length + 1) && /\[error\].*the-last/.test(logged());
  await until('the logs are written, that of errors too', isWritten);
  t.match(logged(), /GET \/api\/v1\/login 200/);
  t.match(logged(), 'PUT /api/v1/users/confirm/link/... 503');
  t.notMatch(logged(), secret);
});

t.test('the console is served as query would serve it', { skip: without }, async (t) => {
  const { url } = await front(t);
  for (const [forwarded, publicUrl] of [
    ['http', 'http://localhost'],
    ['https', 'https://a.example'],
  ]) {
    const wanted = await consoleHeaders(publicUrl);
    for (const path of ['/', '/devices', '/share/some-id', '/verify', '/login', '/index.html']) {
      const { status, headers, text } = await call(url, 'GET', path, {
        headers: { 'x-forwarded-proto': forwarded },
      });
      t.equal(status, 200);
      t.equal(text, readFileSync(join(root, 'web/dist/index.html'), 'utf8'), path);
      const all = { ...wanted, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
      matchWhole(t, headers, all, `${forwarded} ${path}`);
      t.equal('strict-transport-security' in headers, forwarded === 'https');
      t.equal(headers['x-robots-tag'], path.startsWith('/share/') ? 'noindex, nofollow' : undefined);
      t.notOk('server' in headers && /\d/.test(headers.server), 'no version is told');
    }
  }
  const [script] = readdirSync(join(root, 'web/dist/assets')).filter((name) => name.endsWith('.js'));
  const asset = await call(url, 'GET', `/assets/${script}`);
  matchWhole(t, asset.headers, {
    ...(await consoleHeaders('http://localhost')),
    'cache-control': 'public, max-age=31536000, immutable',
  });
  t.match(asset.headers['content-type'], /javascript/);
  t.equal((await call(url, 'GET', '/assets/none.js')).status, 404);
  const saved = await call(url, 'GET', '/verify.html');
  t.equal(saved.text, readFileSync(join(root, 'web/dist/verify.html'), 'utf8'), 'the checker in one file');
  matchWhole(t, saved.headers, {
    ...(await consoleHeaders('http://localhost')),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-disposition': 'attachment; filename="sentinel-verify.html"',
  });
  for (const path of ['/readyz', '/metrics'])
    t.equal((await call(url, 'GET', path)).status, 404, `${path} is not for outside`);
  t.match(await call(url, 'GET', '/healthz'), { status: 200, text: 'ok\n' });
});

t.before(() => {
  if (!existsSync(join(root, 'web/dist/index.html')))
    throw new Error('the console is not built: npm run build');
});
