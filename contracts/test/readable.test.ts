/** Tests the reading of answers of a later version, case by case; `readable-schemas.test.ts` goes over all schemas. */
import t from 'tap';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { isReadable, readAnswer } from '../src/readable.ts';
import { closed, nullable } from '../src/schemas/common.ts';
import { oneOf } from '../src/enums.ts';

const ThingSchema = closed({
  kind: oneOf(['OLD', 'OLDER']),
  part: nullable(closed({ count: Type.Integer() })),
  list: Type.Array(oneOf(['OLD', 'OLDER']), { maxItems: 2 }),
  free: Type.Unknown(),
});
const thing = { kind: 'OLD', part: { count: 1 }, list: ['OLD'], free: { any: 1 } };

t.test('an answer of this version is given as it is', async (t) => {
  t.equal(readAnswer(ThingSchema, thing), thing);
});

t.test('unknown words and longer lists are taken as they are', async (t) => {
  const later = { ...thing, kind: 'NEW', list: ['OLD', 'NEW', 'NEWER'] };
  t.strictSame(readAnswer(ThingSchema, later), later);
});

t.test('what no schema describes stays whole', async (t) => {
  const later = { ...thing, more: 1, free: { any: 1, additional: { deep: true } } };
  t.strictSame(readAnswer(ThingSchema, later), { ...thing, free: later.free });
});

t.test('a member that is missing, or of another type, is an error', async (t) => {
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
  t.ok(isReadable(ThingSchema, { ...thing, more: 1 }));
  t.notOk(Check(ThingSchema, { ...thing, more: 1 }));
  t.notOk(Check(ThingSchema, { ...thing, kind: 'NEW' }));
});
