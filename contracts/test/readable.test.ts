import fc from '@sentinel-node/test-kit/properties';
import { fitting } from '@sentinel-node/test-kit/schema-arbitrary';
import t from 'tap';
import { Type, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import * as contracts from '../src/index.ts';
import { isReadable, readAnswer } from '../src/readable.ts';
import { closed, nullable } from '../src/schemas/common.ts';
import { oneOf } from '../src/enums.ts';

const RUNS = 40;
/** No answer that the console reads: bundles are saved as they come, and notices go to receivers. */
const OTHERS = new Set(['BundleSchema', 'NoticeEventSchema']);
const isSchema = ([name, value]: [string, unknown]): boolean =>
  name.endsWith('Schema') && typeof value === 'object' && !OTHERS.has(name);
const schemas = Object.entries(contracts).filter(isSchema) as [string, TSchema][];

/** Adds members to objects that the schema closes; which ones, `place` says in turn. */
function grown(schema: TSchema, value: unknown, place: () => boolean): unknown {
  const { anyOf, properties, items, additionalProperties } = schema as {
    anyOf?: TSchema[];
    properties?: Record<string, TSchema>;
    items?: TSchema;
    additionalProperties?: unknown;
  };
  if (anyOf) {
    const branch = anyOf.find((one) => Check(one, value));
    return branch === undefined ? value : grown(branch, value, place);
  }
  if (items && Array.isArray(value)) return value.map((one) => grown(items, one, place));
  if (properties === undefined || !contracts.isRecord(value)) return value;
  const members = Object.entries(value).map(
    ([name, one]) => [name, grown(properties[name] ?? {}, one, place)] as const,
  );
  const isAdded = additionalProperties === false && place();
  const added = [['ofALaterVersion', { deep: [1] }] as const, ['constructor', null] as const];
  return Object.fromEntries(isAdded ? [...added, ...members] : members);
}

t.test('an answer of any schema with members added anywhere reads as the one without them', async (t) => {
  t.ok(schemas.length > 60, 'the schemas are found');
  for (const [name, schema] of schemas) {
    let added = 0;
    let fits = 0;
    const answers = fitting(schema, ['0199f300-0000-7000-8000-000000000001']);
    const places = fc.infiniteStream(fc.boolean());
    const property = fc.property(answers, places, (answer, stream) => {
      if (!Check(schema, answer)) return;
      fits += 1;
      const place = (): boolean => {
        const isHere = stream.next().value === true;
        if (isHere) added += 1;
        return isHere;
      };
      const later = grown(schema, answer, place);
      const before = JSON.stringify(later);
      const read = readAnswer(schema, later);
      const same = JSON.stringify(read) === JSON.stringify(answer) && JSON.stringify(later) === before;
      if (!same) throw new Error(`${before} read as ${JSON.stringify(read)}`);
    });
    const found = fc.check(property, { numRuns: RUNS });
    t.notOk(
      found.failed,
      `${name}: ${added} members added ${found.failed ? fc.defaultReportMessage(found) : ''}`,
    );
    const isClosed = JSON.stringify(schema).includes('"additionalProperties":false');
    t.ok(fits > 0, `${name}: ${fits} of ${RUNS} answers fit`);
    t.equal(added > 0, isClosed, `${name}: members were added where an object is`);
  }
});

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
