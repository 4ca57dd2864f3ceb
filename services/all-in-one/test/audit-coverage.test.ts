/** Tests that of every collection somebody says whether the audit compares it. */
import t from 'tap';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import { COVERAGE, NOT_COMPARED, notComparedWords } from '../src/audit/coverage.ts';
import { NOT_VIEWS } from '../src/not-views.ts';

t.test('every collection is compared, or named as one that is not', async (t) => {
  const all = [...VIEW_COLLECTIONS.map(({ name }) => name), ...NOT_VIEWS.map(({ spec }) => spec.name)];
  t.strictSame([...COVERAGE.keys()].sort(), [...all].sort());
});

t.test('no view is left out of the comparison', async (t) => {
  for (const { name } of VIEW_COLLECTIONS) t.match(COVERAGE.get(name)?.by, /^(log|part)$/, name);
});

t.test('what is not compared is named, and nothing else', async (t) => {
  const text = notComparedWords([]).join('\n');
  for (const [name, { by }] of COVERAGE) {
    const isNone = by === 'store' || by === 'passes';
    t.equal(NOT_COMPARED.includes(name), isNone, name);
    t.equal(new RegExp(`\\b${name}\\b`).test(text), isNone, `${name} in the words`);
  }
});
