import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { ERRORS, ProblemSchema, type ErrorCode } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { Type } from 'typebox';
import {
  ApiError,
  compileChecker,
  ConflictError,
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
} from '../src/index.ts';
import { httpShell } from './http-harness.ts';

const problems = compileChecker(ProblemSchema);

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, unknown>;
  json(): Record<string, unknown>;
}

function isProblem(t: Tap, answer: Answer, code: ErrorCode): void {
  const body = answer.json();
  t.strictSame(problems.errors(body), []);
  t.match(body, { code, status: ERRORS[code].status, title: ERRORS[code].title });
  t.equal(answer.statusCode, ERRORS[code].status);
  t.match(answer.headers['content-type'], /^application\/problem\+json/);
  t.equal(answer.headers['x-content-type-options'], 'nosniff');
}
type Tap = Pick<typeof t, 'strictSame' | 'match' | 'equal'>;

t.test('every code of the catalogue is answered as problem details', async (t) => {
  const { app } = await httpShell(t);
  app.get('/fail/:code', { schema: { params: Type.Object({ code: Type.String() }) } }, (request) => {
    throw new ApiError(request.params.code as ErrorCode, {
      detail: 'why',
      errors: [{ path: '/a', message: 'b' }],
    });
  });
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const answer = await app.inject(`/fail/${code}`);
    isProblem(t, answer, code);
    matchWhole(t, answer.json(), { detail: 'why', errors: [{ path: '/a', message: 'b' }] });
    t.match(answer.json()['requestId'], /^[0-9a-f]{12}-/);
    t.equal('retry-after' in answer.headers, [429, 503].includes(answer.statusCode), `${code}: Retry-After`);
  }
});

t.test('a surprise tells the client nothing and the log everything', async (t) => {
  const { app, lines } = await httpShell(t);
  app.get('/crash', () => {
    throw Object.assign(new Error('secret internals'), { statusCode: 404, code: 'E_INTERNAL_NAME' });
  });
  app.get('/crash-async', () => Promise.reject(new TypeError('secret internals')));
  app.get('/not-an-error', () => Promise.reject('just a text' as unknown));
  for (const url of ['/crash?access_token=abc', '/crash-async', '/not-an-error']) {
    const answer = await app.inject(url);
    isProblem(t, answer, 'INTERNAL');
    t.notMatch(answer.body, /secret|internals|E_INTERNAL|stack|\.js/);
    const [line = ''] = lines.splice(0);
    t.equal(JSON.parse(line).requestId, answer.json()['requestId'], 'found by the id that the person quotes');
    t.notMatch(line, /access_token/);
  }
});

t.test('failures that a port names', async (t) => {
  const { app, lines } = await httpShell(t);
  const failures: Record<string, [Error, ErrorCode]> = {
    overloaded: [new OverloadedError('queue of partition 3'), 'OVERLOADED'],
    full: [new NotDurableError('disk /dev/sda1'), 'NOT_DURABLE'],
    away: [new LogUnavailableError('10.0.0.7:9092'), 'UNAVAILABLE'],
    lost: [new ConflictError('row 7'), 'CONFLICT'],
  };
  app.get('/:which', (request) => {
    throw failures[(request.params as { which: string }).which]?.[0] ?? new ApiError('NOT_FOUND');
  });
  for (const [which, [error, code]] of Object.entries(failures)) {
    const answer = await app.inject(`/${which}`);
    isProblem(t, answer, code);
    t.notOk(answer.body.includes(error.message), 'no internal name');
    t.equal(answer.headers['retry-after'] !== undefined, code !== 'CONFLICT');
  }
  t.equal(lines.length, 0);
});

t.test('what Fastify itself refuses', async (t) => {
  const { app } = await httpShell(t);
  app.post(
    '/things/:id',
    { bodyLimit: 100, schema: { body: Type.Object({ a: Type.String() }) } },
    () => ({}),
  );
  app.post('/things/first', () => ({}));
  const post = (payload: string | undefined, type = 'application/json', url = '/things/1') =>
    app.inject({ method: 'POST', url, headers: { 'content-type': type }, ...(payload ? { payload } : {}) });
  isProblem(t, await post('{"a":'), 'VALIDATION_FAILED');
  matchWhole(t, (await post('{"a":')).json(), { errors: [{ path: '', message: 'the body is not JSON' }] });
  isProblem(t, await post('{"__proto__":{"x":1},"a":"b"}'), 'VALIDATION_FAILED');
  isProblem(t, await post('{"a":1}'), 'VALIDATION_FAILED');
  isProblem(t, await post(undefined), 'VALIDATION_FAILED');
  isProblem(t, await post(`{"a":"${'x'.repeat(200)}"}`), 'PAYLOAD_TOO_LARGE');
  isProblem(t, await post('a=1', 'application/x-www-form-urlencoded'), 'UNSUPPORTED_MEDIA_TYPE');
  isProblem(t, await post('a', 'text/plain'), 'UNSUPPORTED_MEDIA_TYPE');
  isProblem(t, await post('{}', 'application/json', '/nowhere'), 'NOT_FOUND');
  isProblem(t, await app.inject('/things/%zz'), 'NOT_FOUND');
  isProblem(t, await app.inject({ method: 'POST', url: `/things/${'x'.repeat(500)}` }), 'NOT_FOUND');
  const wrongMethod = await app.inject({ method: 'DELETE', url: '/things/1?x=1' });
  isProblem(t, wrongMethod, 'METHOD_NOT_ALLOWED');
  t.equal(wrongMethod.headers['allow'], 'POST');
  const ofTwo = await app.inject({ method: 'DELETE', url: '/things/first' });
  t.equal(ofTwo.headers['allow'], 'POST', 'once, though two routes have the path');
});

t.test('pages of the console come where no route is', async (t) => {
  const { app, lines, setFallback } = await httpShell(t);
  app.get('/api/v1/test', () => 'OK');
  setFallback(async (request, reply) =>
    request.url.startsWith('/api/') ? undefined : reply.type('text/html').send('<page>'),
  );
  t.equal((await app.inject('/devices/7')).body, '<page>');
  t.notMatch(lines.join(''), '"level":50', 'and are no error');
  isProblem(t, await app.inject('/api/v1/nothing'), 'NOT_FOUND');
  isProblem(t, await app.inject({ method: 'POST', url: '/devices/7' }), 'NOT_FOUND');
  isProblem(t, await app.inject({ method: 'POST', url: '/api/v1/test' }), 'METHOD_NOT_ALLOWED');
});

t.test('only hosts that are served', async (t) => {
  const local = await httpShell(t, { SENTINEL_PUBLIC_URL: 'https://sentinel.example' });
  const open = await httpShell(t, {
    SENTINEL_HOST: '0.0.0.0',
    SENTINEL_DEV_EXPOSED: 'yes',
    SENTINEL_PUBLIC_URL: 'https://sentinel.example',
  });
  for (const { app } of [local, open]) app.get('/x', () => 'OK');
  const code = async ({ app }: typeof local, host: string, url = '/x') =>
    (await app.inject({ url, headers: { host } })).statusCode;
  for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1:8443', '[::1]:8443', 'sentinel.example']) {
    t.equal(await code(local, host), 200, host);
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    'x@localhost',
    '127.0.0.1.nip.io:8443',
    '::1',
  ]) {
    t.equal(await code(local, host), 421, host);
  }
  t.equal(await code(open, 'localhost'), 421, 'not on this machine only');
  t.equal(await code(open, 'sentinel.example:443'), 200);
  t.equal(await code(open, '10.1.2.3', '/healthz'), 200, 'orchestrators ask by address');
  isProblem(
    t,
    await local.app.inject({ url: '/none', headers: { host: 'evil.example' } }),
    'HOST_NOT_ALLOWED',
  );
});

t.test('ids of requests are made here, the forwarded address counts from trusted proxies only', async (t) => {
  const trusting = await httpShell(t, { SENTINEL_TRUSTED_PROXIES: '127.0.0.1' });
  const strict = await httpShell(t);
  for (const { app } of [trusting, strict])
    app.get('/who', (request) => ({ ip: request.ip, id: request.id }));
  const headers = { 'x-forwarded-for': '203.0.113.9', 'request-id': 'forged', 'x-request-id': 'forged' };
  const ask = async ({ app }: typeof strict) => (await app.inject({ url: '/who', headers })).json();
  t.equal((await ask(trusting)).ip, '203.0.113.9');
  t.equal((await ask(strict)).ip, '127.0.0.1');
  const ids = [await ask(strict), await ask(strict), await ask(trusting)].map(({ id }) => id as string);
  t.equal(new Set(ids).size, 3);
  t.notOk(ids.includes('forged'));
});

t.test('what Node does not read is refused as problem details, and its connection is closed', async (t) => {
  const { app, listen } = await httpShell(t);
  app.get('/x', () => 'OK');
  const port = Number(new URL(await listen()).port);
  const ask = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.on('data', (chunk) => (text += chunk.toString())).on('error', reject);
      socket.on('end', () => resolve(text));
    });
  const long = 'x'.repeat(20_000);
  for (const [request, code] of [
    ['NOT HTTP AT ALL\r\n\r\n', 'MALFORMED_REQUEST'],
    [`GET /x?${long} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 'HEADERS_TOO_LARGE'],
    [`GET /x HTTP/1.1\r\nHost: localhost\r\nCookie: a=${long}\r\n\r\n`, 'HEADERS_TOO_LARGE'],
  ] as const) {
    const [top = '', body = ''] = (await ask(request)).split('\r\n\r\n');
    const [line = '', ...headers] = top.split('\r\n');
    t.match(line, new RegExp(`^HTTP/1\\.1 ${ERRORS[code].status} [A-Z]`), code);
    isProblem(
      t,
      {
        statusCode: Number(line.split(' ')[1]),
        headers: Object.fromEntries(headers.map((one) => one.split(': '))),
        json: () => JSON.parse(body) as Record<string, unknown>,
      },
      code,
    );
    t.ok(headers.includes('connection: close'), code);
    t.notMatch(body, /FST|HPE|xxx/, 'nothing of the framework, nor of what was sent');
  }
  t.ok(app.server.listening);
});

t.test('a real server answers with the real port', async (t) => {
  const { app, listen } = await httpShell(t);
  app.get('/x', () => ({ a: 1 }));
  const url = new URL('/x', await listen());
  t.not(url.port, '0');
  const status = await new Promise((resolve, reject) =>
    httpRequest(url, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end(),
  );
  t.equal(status, 200);
});
