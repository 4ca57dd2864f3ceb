import t from 'tap';
import { matchList, matchWhole } from '../src/matching/index.ts';

/** Assertions that count failures, as those of tap would. */
function counting() {
  const found = { failures: 0 };
  const count = (passed: boolean): boolean => {
    if (!passed) found.failures += 1;
    return passed;
  };
  const assertions = {
    match: (value: unknown, pattern: unknown) => count(matches(value, pattern)),
    strictSame: (a: unknown, b: unknown) => count(JSON.stringify(a) === JSON.stringify(b)),
  };
  return { found, assertions };
}

/** As tap's: further members and further elements are let through, a part of a text is enough, and null may be absent. */
function matches(value: unknown, pattern: unknown): boolean {
  if (typeof pattern === 'string' && typeof value === 'string') return value.includes(pattern);
  if (pattern === null) return value === null || value === undefined;
  if (typeof pattern !== 'object') return value === pattern;
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern).every(([name, one]) => matches(Reflect.get(value, name), one));
}

function failures(found: unknown, pattern: object): number {
  const { assertions, found: counted } = counting();
  matchWhole(assertions, found, pattern);
  return counted.failures;
}

t.test('a list inside that has further elements fails, at any depth', (t) => {
  t.equal(failures({ codes: [], more: 1 }, { codes: [] }), 0);
  t.equal(failures({ codes: ['A'] }, { codes: [] }), 1);
  t.equal(failures({ a: [{ b: [1, 2] }] }, { a: [{ b: [1] }] }), 1);
  t.equal(failures({ a: [{ b: [1], c: 3 }] }, { a: [{ b: [1] }] }), 0);
  t.end();
});

t.test('a list that lacks elements, and a value of another kind, fail as with match', (t) => {
  t.equal(failures({ codes: ['A'] }, { codes: ['A', 'B'] }), 1);
  t.equal(failures({ codes: 'A' }, { codes: ['A'] }), 1);
  t.equal(failures(null, { codes: [] }), 1);
  t.end();
});

t.test('a text that holds its pattern as a part fails, and so does null for what is absent', (t) => {
  t.equal(failures({ status: 'NON_ACTIVE' }, { status: 'ACTIVE' }), 1);
  t.equal(failures([{ status: 'ACTIVE' }, { status: 'NON_ACTIVE' }], [{}, { status: 'ACTIVE' }]), 1);
  t.equal(failures({ status: 'NON_ACTIVE' }, { status: /ACTIVE/ }), 0);
  t.equal(failures({}, { alert: null }), 1);
  t.equal(failures({ alert: null }, { alert: null }), 0);
  const { assertions, found } = counting();
  matchList(assertions, ['NON_ACTIVE'], ['ACTIVE']);
  t.equal(found.failures, 1);
  t.end();
});

t.test('a list as a whole fails with further elements too', (t) => {
  const { assertions, found } = counting();
  matchList(assertions, [{ a: 1, b: 2 }], [{ a: 1 }]);
  t.equal(found.failures, 0);
  matchList(assertions, [1, 2], [1]);
  t.equal(found.failures, 1);
  t.end();
});
