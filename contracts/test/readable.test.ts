/** Tests the reading of answers of a later version, case by case; `readable-schemas.test.ts` goes over all schemas. */
import t from 'tap';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { isReadable, readAnswer } from '../src/readable.ts';
import { closed, NameSchema, nullable } from '../src/schemas/common.ts';
import { oneOf } from '../src/enums.ts';

/** Made for each test: what was opened of a schema is kept with it. */
const thingSchema = () =>
  closed({
    kind: oneOf(['OLD', 'OLDER']),
    part: nullable(closed({ count: Type.Integer() })),
    list: Type.Array(oneOf(['OLD', 'OLDER']), { maxItems: 2 }),
    free: Type.Unknown(),
  });
const thing = { kind: 'OLD', part: { count: 1 }, list: ['OLD'], free: { any: 1 } };

t.test('an answer of this version is given as it is', async (t) => {
  const ThingSchema = thingSchema();
  t.equal(readAnswer(ThingSchema, thing), thing);
});

t.test('unknown words and longer lists are taken as they are', async (t) => {
  const ThingSchema = thingSchema();
  const later = { ...thing, kind: 'NEW', list: ['OLD', 'NEW', 'NEWER'] };
  t.strictSame(readAnswer(ThingSchema, later), later);
});

t.test('what no schema describes stays whole', async (t) => {
  const ThingSchema = thingSchema();
  const later = { ...thing, more: 1, free: { any: 1, additional: { deep: true } } };
  t.strictSame(readAnswer(ThingSchema, later), { ...thing, free: later.free });
});

t.test('unknown members are left out at every depth', async (t) => {
  const schema = closed({
    ...thingSchema().properties,
    parts: Type.Array(closed({ count: Type.Integer() })),
  });
  const part = { count: 1, more: 1 };
  t.strictSame(readAnswer(schema, { ...thing, kind: 'NEW', part, parts: [part, { count: 2 }], more: 1 }), {
    ...thing,
    kind: 'NEW',
    part: { count: 1 },
    parts: [{ count: 1 }, { count: 2 }],
  });
  t.strictSame(readAnswer(schema, { ...thing, part: null, parts: [], more: 1 }), {
    ...thing,
    part: null,
    parts: [],
  });
});

t.test('an open schema keeps its further members, of the type that it says', async (t) => {
  const counts = () =>
    Type.Object(
      { kind: oneOf(['OLD']) },
      { additionalProperties: Type.Union([Type.Integer(), oneOf(['NONE'])]) },
    );
  t.strictSame(readAnswer(counts(), { kind: 'NEW', a: 1, b: 'NONE' }), { kind: 'NEW', a: 1, b: 'NONE' });
  t.equal(readAnswer(counts(), { kind: 'NEW', a: 1.5 }), undefined);
  const open = Type.Object({ kind: oneOf(['OLD']) });
  t.strictSame(readAnswer(open, { kind: 'NEW', more: 1 }), { kind: 'NEW', more: 1 });
});

t.test('a form is asked for, but for that of names, which earlier versions had not', async (t) => {
  const schema = closed({
    kind: oneOf(['OLD']),
    code: Type.String({ pattern: '^[A-Z]+$' }),
    name: NameSchema,
  });
  const later = { kind: 'NEW', code: 'ABC', name: '\u200b' };
  t.strictSame(readAnswer(schema, later), later);
  t.equal(readAnswer(schema, { ...later, code: 'abc' }), undefined);
  t.equal(readAnswer(schema, { ...later, name: '' }), undefined);
});

t.test('numbers of an enumeration are no words: another number is an error', async (t) => {
  const schema = closed({ days: Type.Enum([1, 7, 30]), mixed: Type.Enum([1, 'ALL']), kind: oneOf(['OLD']) });
  const later = { days: 7, mixed: 'ALL', kind: 'NEW' };
  t.strictSame(readAnswer(schema, later), later);
  t.equal(readAnswer(schema, { ...later, days: 8 }), undefined);
  t.equal(readAnswer(schema, { ...later, mixed: 'NEW' }), undefined);
});

t.test('a member that is missing, or of another type, is an error', async (t) => {
  const ThingSchema = thingSchema();
  const { kind: _, ...missing } = thing;
  const bad: unknown[] = [
    missing,
    { ...thing, kind: 1 },
    { ...thing, kind: null },
    { ...thing, kind: '' },
    { ...thing, part: { count: '1', more: 1 } },
    { ...thing, part: { more: 1 } },
    { ...thing, part: 'NEW' },
    { ...thing, list: 'NEW' },
    { ...thing, list: [1] },
    { ...thing, list: { 0: 'OLD' } },
    [thing],
    null,
    undefined,
  ];
  for (const one of bad) {
    t.equal(readAnswer(ThingSchema, one), undefined, JSON.stringify(one));
    t.notOk(isReadable(ThingSchema, one));
  }
});

t.test('the schema itself stays closed', async (t) => {
  const ThingSchema = thingSchema();
  t.ok(isReadable(ThingSchema, { ...thing, more: 1 }));
  t.notOk(Check(ThingSchema, { ...thing, more: 1 }));
  t.notOk(Check(ThingSchema, { ...thing, kind: 'NEW' }));
});
