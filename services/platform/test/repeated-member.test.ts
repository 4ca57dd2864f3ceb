import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { Type } from 'typebox';
import { repeatedMember } from '../src/index.ts';
import { httpShell } from './http-harness.ts';

t.test('a member that stands twice in its object is named', async (t) => {
  const cases: Record<string, string> = {
    '{"a":1,"a":1}': '/a',
    '{"a":1,"\\u0061":2}': '/a',
    '{"a" \n:1,"b":{"x":1},"a"\t: null}': '/a',
    '{"a":{"b":[0,{"c":1},{"c":[],"d":"","c":{}}]}}': '/a/b/2/c',
    '[[],[1,2],{"":1,"":2}]': '/2/',
    '{"a/b~":1,"a/b~":2}': '/a~1b~0',
    '{"\\"":1,"\\"":2}': '/"',
    '{"\\\\":1,"\\\\":2}': '/\\',
    '{"__proto__":1,"__proto__":2}': '/__proto__',
  };
  for (const [json, path] of Object.entries(cases)) t.equal(repeatedMember(json), path, json);
  const long = 'x'.repeat(1_000);
  t.equal(repeatedMember(`{"${long}":1,"${long}":2}`)!.length, 200);
});

t.test('the same name in other objects, and what only looks like one, is no repetition', async (t) => {
  const cases = [
    '{}',
    '[]',
    '"a"',
    '1',
    '{"a":{"a":{"a":[{"a":1},{"a":1}]}}}',
    '{"a":"a","b":"\\"a\\":1,\\"a\\":2","c":"{\\"x\\":1"}',
    '{"a":"b:","b":"c\\\\","c":"d"}',
    '{"a":"A","A":"a","á":"á"}',
  ];
  for (const json of cases) t.equal(repeatedMember(json), undefined, json);
});

t.test('a body that says something twice is refused before anybody reads it', async (t) => {
  const { app } = await httpShell(t);
  let read = 0;
  app.post('/x', { schema: { body: Type.Object({ role: Type.String() }) } }, ({ body }) => {
    read += 1;
    return body;
  });
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/x', payload, headers: { 'content-type': 'application/json' } });
  const answer = await post('{"role":"REGULAR","role":"ADMIN"}');
  t.equal(answer.statusCode, 422);
  matchWhole(t, answer.json(), {
    code: 'VALIDATION_FAILED',
    errors: [{ path: '/role', message: 'must not be given twice' }],
  });
  t.equal(read, 0);
  t.equal((await post('{"role":"ADMIN"}')).statusCode, 200);
});
