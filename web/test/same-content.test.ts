/** What a form would save, and what the server has. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { isSameContent, isSaved } from '../src/forms/same-content.ts';

const SEED = 71;

/** The same content in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned).reverse();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, turned(one)]);
  return { ...Object.fromEntries(members.reverse()), absent: undefined };
}

t.test('the order of lists and members makes no difference, and anything else does', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => isSameContent(value, turned(value))),
    { seed: SEED },
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, more) => {
      return (
        !isSameContent([value], [value, more]) &&
        !isSameContent({ a: value }, { a: value, b: more }) &&
        !isSameContent({ a: value }, { b: value })
      );
    }),
    { seed: SEED },
  );
  for (const [one, other] of [
    [
      [1, 1, 2],
      [1, 2, 2],
    ],
    ['a,b', ['a', 'b']],
    [['a,b'], ['a', 'b']],
    [
      ['a', ['b']],
      [['a'], 'b'],
    ],
    [null, undefined],
    ['1', 1],
    [{}, []],
    [{ a: 'x","b":"y' }, { a: 'x', b: 'y' }],
  ])
    t.notOk(isSameContent(one, other), JSON.stringify([one, other]));
  t.end();
});

t.test('a request is saved when the state has its values, and others beside them', (t) => {
  const state = { id: '1', reason: 'Update', scope: { deviceIds: ['b', 'a'] }, weekly: null };
  t.ok(isSaved({ reason: 'Update', scope: { deviceIds: ['a', 'b'] } }, state));
  t.notOk(isSaved({ reason: 'Update', scope: { deviceIds: ['a'] } }, state));
  t.notOk(isSaved({ reason: 'Update', end: '2026' }, state));
  t.end();
});
