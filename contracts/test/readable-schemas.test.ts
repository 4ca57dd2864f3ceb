/** Tests the reading of answers of a later version over all schemas. */
import fc from '@sentinel-node/test-kit/properties';
import { fitting } from '@sentinel-node/test-kit/schema-arbitrary';
import t from 'tap';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import * as contracts from '../src/index.ts';
import { readAnswer } from '../src/readable.ts';

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
