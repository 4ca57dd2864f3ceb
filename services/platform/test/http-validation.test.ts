import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { Type } from 'typebox';
import { CreateDeviceSchema, NameSchema, PathSchema, UpdateDeviceSchema } from '@sentinel-node/contracts';
import { compileChecker, requestSchema } from '../src/index.ts';
import { httpShell } from './http-harness.ts';

const closed = { additionalProperties: false };

t.test('each member that does not fit is named with its pointer', async (t) => {
  const { app } = await httpShell(t);
  app.post('/devices', { schema: { body: CreateDeviceSchema } }, () => ({}));
  const answer = await app.inject({
    method: 'POST',
    url: '/devices',
    payload: { name: ' ', path: '/x', healthInterval: 5, monitoring: 'true', unknown: 1 },
  });
  t.equal(answer.statusCode, 422);
  t.match(answer.json(), { code: 'VALIDATION_FAILED', detail: 'the body is not valid' });
  const paths = answer.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path);
  for (const path of ['/category', '/name', '/healthInterval', '/monitoring', '/unknown']) {
    t.ok(paths.includes(path), path);
  }
  t.equal(new Set(paths).size, paths.length, 'once each');
});

t.test('of a member that may be null, the errors say what is wrong with its value', (t) => {
  const hours = Type.Object({ from: Type.String({ pattern: '^\\d' }) }, closed);
  const { errors } = compileChecker(
    Type.Object({ hours: Type.Union([hours, Type.Null()]), none: Type.Null() }),
  );
  const told = (value: unknown) => errors({ hours: value, none: null }).map(({ path }) => path);
  t.strictSame(told(null), []);
  t.strictSame(told({ from: 'x' }), ['/hours/from']);
  t.strictSame(told(5), ['/hours']);
  t.strictSame(told({ from: '1', to: '2' }), ['/hours/to']);
  t.strictSame(errors({ hours: null, none: 5 }), [{ path: '/none', message: 'must be null' }]);
  t.end();
});

t.test('a name without a sign that is seen is refused as a blank one', (t) => {
  const { errors } = compileChecker(Type.Object({ name: NameSchema }));
  for (const name of [' ', '\u200b', '\u2060\ufeff', '\u00ad', '\u2800'])
    t.strictSame(errors({ name }), [{ path: '/name', message: 'must not be blank' }], JSON.stringify(name));
  t.end();
});

t.test('a path with the character NUL is refused in words', (t) => {
  const { errors } = compileChecker(Type.Object({ path: PathSchema }));
  for (const path of ['a\0', ' '])
    t.strictSame(errors({ path }), [
      { path: '/path', message: 'must not be blank or hold the character NUL' },
    ]);
  t.end();
});

t.test('bodies are not coerced', async (t) => {
  const { app } = await httpShell(t);
  app.put('/x', { schema: { body: Type.Object({ n: Type.Integer() }) } }, ({ body }) => body);
  const put = (n: unknown) => app.inject({ method: 'PUT', url: '/x', payload: { n } });
  t.strictSame((await put(5)).json(), { n: 5 });
  for (const wrong of ['5', true, null, 5.5, [5]]) t.equal((await put(wrong)).statusCode, 422, String(wrong));
});

t.test('a text is stored as it was sent, or refused', async (t) => {
  const { app } = await httpShell(t);
  app.put('/x', { schema: { body: Type.Object({ name: Type.String() }) } }, ({ body }) => body);
  const put = (payload: string | Buffer) =>
    app.inject({ method: 'PUT', url: '/x', payload, headers: { 'content-type': 'application/json' } });
  for (const name of ['ü', '\u{1f600}', 'a\\ud800', '\u{1f600}\u{1f600}']) {
    const answer = await put(JSON.stringify({ name }));
    t.strictSame(answer.json(), { name });
  }
  t.strictSame((await put('{"name":"\\ud83d\\uDE00 \\\\ud800"}')).json(), { name: '\u{1f600} \\ud800' });
  const halves = ['\\ud83d', '\\ude00', '\\ude00\\ud83d', '\\ud83d\\ud83d\\ude00', '\\ud83d\\n\\ude00'];
  for (const half of halves) {
    const answer = await put(`{"name":"${half}"}`);
    t.equal(answer.statusCode, 422, half);
    matchWhole(t, answer.json(), { errors: [{ path: '', message: 'must not hold a lone surrogate' }] });
  }
  const latin1 = await put(Buffer.from('{"name":"\u00fc"}', 'latin1'));
  t.equal(latin1.statusCode, 422);
  matchWhole(t, latin1.json(), {
    code: 'VALIDATION_FAILED',
    errors: [{ path: '', message: 'must be UTF-8' }],
  });
});

t.test('queries and paths are coerced', async (t) => {
  const { app } = await httpShell(t);
  const query = Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      toExport: Type.Optional(Type.Boolean()),
      search: Type.Optional(Type.String()),
    },
    closed,
  );
  const params = Type.Object({ number: Type.Integer() });
  app.get('/y/:number', { schema: { querystring: query, params } }, (request) => ({
    ...request.query,
    ...request.params,
  }));
  t.strictSame((await app.inject('/y/7?limit=50&toExport=true&search=12')).json(), {
    limit: 50,
    toExport: true,
    search: '12',
    number: 7,
  });
  for (const wrong of [
    'limit=',
    'limit=x',
    'limit=1.5',
    'limit=501',
    'limit=1&limit=2',
    'toExport=1',
    'foo=1',
  ]) {
    const answer = await app.inject(`/y/7?${wrong}`);
    t.equal(answer.statusCode, 422, wrong);
    matchWhole(t, answer.json(), {
      detail: 'the query is not valid',
      errors: [{ path: `/${wrong.split('=')[0]}` }],
    });
  }
  t.match((await app.inject('/y/seven')).json(), { detail: 'the path is not valid' });
});

t.test('a body of which nothing is required may be absent', async (t) => {
  const { app } = await httpShell(t);
  const body = Type.Object({ now: Type.Optional(Type.Boolean()) }, closed);
  app.post('/optional', { schema: { body } }, (request) => ({ got: request.body }));
  app.put('/none', () => 'OK');
  const headers = { 'content-type': 'application/json' };
  t.strictSame((await app.inject({ method: 'POST', url: '/optional' })).json(), { got: {} });
  t.strictSame((await app.inject({ method: 'POST', url: '/optional', headers })).json(), { got: {} });
  t.equal((await app.inject({ method: 'PUT', url: '/none', headers })).statusCode, 200);
});

t.test('a request drops what only the read knows and refuses what neither knows', async (t) => {
  const { app } = await httpShell(t);
  const file = { name: Type.String(), path: Type.String() };
  const read = Type.Object({
    id: Type.String(),
    status: Type.String(),
    name: Type.String(),
    files: Type.Array(Type.Object({ ...file, lastContact: Type.String() })),
  });
  const takes = Type.Object(
    { name: Type.String(), files: Type.Optional(Type.Array(Type.Object(file, closed))) },
    closed,
  );
  app.put('/deep', { schema: { body: requestSchema(takes, read) } }, ({ body }) => body);
  app.put('/flat', { schema: { body: requestSchema(takes, ['id', 'status']) } }, ({ body }) => body);
  const put = (url: string, payload: object) => app.inject({ method: 'PUT', url, payload });
  const entity = {
    id: '1',
    status: 'ACTIVE',
    name: 'n',
    files: [{ name: 'f', path: 'p', lastContact: 'x' }],
  };

  t.strictSame((await put('/deep', entity)).json(), { name: 'n', files: [{ name: 'f', path: 'p' }] });
  matchWhole(t, (await put('/deep', { ...entity, made: 'up' })).json(), {
    errors: [{ path: '/made', message: 'is not known' }],
  });
  matchWhole(
    t,
    (await put('/deep', { name: 'n', files: [{ name: 'f', path: 'p', id: 1, made: 1 }] })).json(),
    {
      errors: [{ path: '/files/0/id' }, { path: '/files/0/made' }],
    },
  );
  t.strictSame((await put('/flat', { id: '1', name: 'n' })).json(), { name: 'n' });
  matchWhole(t, (await put('/flat', entity)).json(), { errors: [{ path: '/files/0/lastContact' }] });
  const headers = { 'content-type': 'application/json' };
  for (const payload of ['[]', '"x"', '1', 'null', '[{"id":1}]']) {
    t.equal((await app.inject({ method: 'PUT', url: '/deep', headers, payload })).statusCode, 422, payload);
  }
  t.equal(compileChecker(takes).check(entity), false, 'the schema itself is as before');
});

t.test('what a read gives can be sent back', async (t) => {
  const read = Type.Object({
    id: Type.String(),
    ...UpdateDeviceSchema.properties,
    lastContact: Type.String(),
  });
  const { app } = await httpShell(t);
  app.put('/device', { schema: { body: requestSchema(UpdateDeviceSchema, read) } }, ({ body }) => body);
  const taken = { name: 'n', path: '/', healthInterval: 60, enabled: true, category: 'STANDARD' };
  const payload = { id: 'd', ...taken, lastContact: 'x' };
  t.strictSame((await app.inject({ method: 'PUT', url: '/device', payload })).json(), taken);
});

t.test('answers follow their schema', async (t) => {
  const { app } = await httpShell(t);
  const answer = Type.Object(
    { a: Type.Union([Type.String(), Type.Null()]), b: Type.Optional(Type.Integer()) },
    closed,
  );
  app.get('/x', { schema: { response: { 200: answer } } }, () => ({ a: null, b: 1, internal: 'x' }) as never);
  t.strictSame((await app.inject('/x')).json(), { a: null, b: 1 });
});
