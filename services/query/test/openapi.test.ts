import t, { type Test } from 'tap';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Compile } from 'typebox/compile';
import { OPERATIONS } from '../src/operations.ts';
import { callsOf, documentOf, inlined, nameOf } from './openapi-document.ts';
import { createWorld } from './world.ts';

t.test('the description of the API', async (t) => {
  const world = await createWorld(t);
  const document = await documentOf(world);
  const calls = callsOf(document);

  await t.test('a validator of OpenAPI 3.1 accepts it', async (t) => {
    t.equal(document.openapi, '3.1.0');
    const result = await new Validator().validate(structuredClone(document) as never);
    t.strictSame(result.errors ?? [], []);
    t.ok(result.valid);
  });

  await t.test('every route below /api/v1 is in it, with summary, tags, security and refusals', async (t) => {
    const known = world.routes.filter(({ url }) => /^\/api\/v1\/(?!docs|openapi)/.test(url)).map(nameOf);
    t.strictSame(calls.map(({ name }) => name).sort(), known.sort());
    for (const { name, call } of calls) {
      t.match(call.summary, /^[A-Z].{8,}/, `${name}: summary`);
      t.equal(call.tags?.length, 1, `${name}: tags`);
      t.ok(Array.isArray(call.security), `${name}: security`);
      t.ok(call.responses['429'] && call.responses['500'] && call.responses['503'], `${name}: refusals`);
      const paths = (call.parameters ?? []).filter((parameter) => parameter.in === 'path');
      t.equal(paths.length, (name.match(/:/g) ?? []).length, `${name}: path parameters`);
      for (const parameter of paths) t.type(parameter.example, 'string', `${name}: ${parameter.name}`);
    }
    t.strictSame(
      Object.keys(OPERATIONS).filter((name) => !known.includes(name)),
      [],
      'no call is described that does not exist',
    );
    t.equal(new Set(calls.map(({ call }) => call.operationId)).size, calls.length, 'operation ids differ');
  });

  await t.test('every body and answer has an example that its schema accepts', async (t) => {
    for (const { name, call } of calls) {
      for (const [type, { schema, example }] of Object.entries(call.requestBody?.content ?? {}))
        checkExample(t, `${name}: body as ${type}`, inlined(document, schema), example);
      for (const [status, { content = {} }] of Object.entries(call.responses)) {
        for (const [type, { schema, example, examples }] of Object.entries(content)) {
          const given = examples === undefined ? [example] : Object.values(inlined(document, examples));
          for (const one of given)
            checkExample(t, `${name}: ${status} as ${type}`, inlined(document, schema), valueOf(one));
        }
      }
    }
  });

  // Clients compile patterns with what their language has: Python's re has no \p, Go's regexp no \u and no look-around.
  await t.test('its patterns mean the same in the expressions of other languages', async (t) => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(
      ([, pattern]) => String(JSON.parse(pattern ?? '')),
    );
    t.ok(patterns.length > 10, `${patterns.length} patterns`);
    t.strictSame(
      patterns.filter((pattern) => /\\[pPuckA-CE-RT-VX-Z]|\(\?/.test(pattern)),
      [],
    );
  });

  await t.test('it is at /api/v1/openapi.json for everybody', async (t) => {
    const answer = await world.call('GET', '/openapi.json');
    t.equal(answer.status, 200);
    t.equal(answer.body.info.title, 'Sentinel Node');
    t.match(answer.headers['content-type'], /^application\/json/);
  });
});

const valueOf = (example: unknown): unknown =>
  typeof example === 'object' && example !== null && 'value' in example ? example.value : example;

function checkExample(t: Test, name: string, schema: object, example: unknown): void {
  if (example === undefined) return void t.fail(`${name}: no example`);
  t.strictSame([...Compile(schema as never).Errors(example)], [], name);
}
