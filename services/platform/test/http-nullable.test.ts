import { createRequire } from 'node:module';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { withNullable } from '../src/http/nullable.ts';

const NULL = { type: 'null' };
const ID = { type: 'string', pattern: '^[a-z]+$' };
const INNER = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { anyOf: [ID, NULL], description: 'an id' },
    count: { anyOf: [NULL, { type: 'integer' }] },
  },
};
const SCHEMA = {
  type: 'object',
  required: ['text', 'list', 'inner'],
  properties: {
    text: { anyOf: [{ type: 'string' }, NULL] },
    kind: { anyOf: [{ enum: ['A', 'B'] }, NULL] },
    list: { anyOf: [{ type: 'array', items: { anyOf: [INNER, NULL] } }, NULL] },
    inner: { anyOf: [INNER, NULL] },
    map: { type: 'object', additionalProperties: { anyOf: [{ type: 'number' }, NULL] } },
    real: { anyOf: [{ type: 'boolean' }, { type: 'string' }, INNER] },
  },
};

const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
const build: (schema: unknown) => (value: unknown) => string = require('fast-json-stringify');

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const inner = fc.record(
  { id: orNull(fc.stringMatching(/^[a-z]{1,9}$/)), count: orNull(fc.integer()) },
  { requiredKeys: ['id'] },
);
const documents = fc.record(
  {
    text: orNull(fc.string()),
    kind: orNull(fc.constantFrom('A', 'B')),
    list: orNull(fc.array(orNull(inner), { maxLength: 4 })),
    inner: orNull(inner),
    map: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), orNull(fc.integer()), { maxKeys: 3 }),
    real: fc.oneof(fc.boolean(), fc.string(), inner),
  },
  { requiredKeys: ['text', 'list', 'inner'] },
);

t.test('an answer is the same text as with a choice of null', async (t) => {
  const [before, after] = [build(SCHEMA), build(withNullable(SCHEMA))];
  fc.assert(
    fc.property(documents, (document) => {
      const text = after(document);
      t.same(JSON.parse(text), JSON.parse(JSON.stringify(document)));
      return text === before(document);
    }),
  );
});

t.test('only a choice between one schema and null is rewritten', async (t) => {
  t.same(withNullable({ anyOf: [ID, NULL], description: 'x' }), { ...ID, description: 'x', nullable: true });
  const texts = { enum: ['a', 'b'] };
  t.same(withNullable({ anyOf: [NULL, texts] }), { ...texts, type: 'string', nullable: true });
  const kept = [
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }, NULL] },
    { anyOf: [NULL, NULL] },
    { enum: ['a', null] },
    { anyOf: [{ enum: ['a', 1] }, NULL] },
    { anyOf: [{}, NULL] },
    { anyOf: [INNER, { type: 'object', properties: { other: { anyOf: [texts, NULL] } } }] },
    { const: null },
    true,
  ];
  for (const schema of kept) t.same(withNullable(schema), schema);
});
