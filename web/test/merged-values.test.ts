/** What a person changed in a form, and what others changed meanwhile. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { LABEL_LINES } from '../src/forms/labels.ts';
import { mergedList, mergedValue } from '../src/forms/merged-values.ts';
import { rebased } from '../src/forms/use-form.ts';

const SEED = 70;
const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'));
const three = fc.record({ base: list, mine: list, theirs: list });
const setOf = (those: readonly string[]): string => [...new Set(those)].sort().join();

t.test('a member is there when both kept it, or either added it, and then once', (t) => {
  fc.assert(
    fc.property(three, fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), ({ base, mine, theirs }, one) => {
      const merged = mergedList({ base, mine, theirs });
      const [before, held, fresh] = [base, mine, theirs].map((those) => those.includes(one));
      const isWanted = before ? held && fresh : held || fresh;
      return merged.filter((other) => other === one).length === (isWanted ? 1 : 0);
    }),
    { seed: SEED },
  );
  t.end();
});

t.test(
  'whoever changed nothing takes what the other made; nobody is preferred; a second merge adds nothing',
  (t) => {
    fc.assert(
      fc.property(three, ({ base, mine, theirs }) => {
        const merged = mergedList({ base, mine, theirs });
        const again = mergedList({ base: theirs, mine: merged, theirs });
        return (
          setOf(mergedList({ base, mine: base, theirs })) === setOf(theirs) &&
          setOf(mergedList({ base, mine, theirs: base })) === setOf(mine) &&
          setOf(mergedList({ base, mine: theirs, theirs: mine })) === setOf(merged) &&
          setOf(again) === setOf(merged)
        );
      }),
      { seed: SEED },
    );
    t.end();
  },
);

t.test('a text that holds a list has the members that the list would have', (t) => {
  const { text, of } = LABEL_LINES;
  fc.assert(
    fc.property(three, ({ base, mine, theirs }) => {
      const texts = { base: text(base), mine: text(mine), theirs: text(theirs) };
      const merged = mergedValue(texts, LABEL_LINES);
      return typeof merged === 'string' && setOf(of(merged)) === setOf(mergedList({ base, mine, theirs }));
    }),
    { seed: SEED },
  );
  t.end();
});

t.test('the values of a newer state keep what the person changed, and what others changed elsewhere', (t) => {
  const base = { name: 'a', text: 'a', on: true, ids: ['1', '2'], lines: 'x:1\nx:2', typed: 'x:1' };
  const values = { ...base, name: 'mine', ids: ['1', '2', '3'], lines: 'x:2\nx:3', typed: 'x:1, half' };
  const fresh = { ...base, name: 'theirs', text: 'b', on: false, ids: ['2', '4'], lines: 'x:1\nx:2\nx:4' };
  const lists = { lines: LABEL_LINES, typed: LABEL_LINES };
  t.strictSame(rebased({ values, base }, fresh, lists), {
    name: 'mine',
    text: 'b',
    on: false,
    ids: ['2', '4', '3'],
    lines: 'x:2\nx:4\nx:3',
    typed: 'x:1, half',
  });
  t.equal(
    rebased({ values, base }, { ...fresh, lines: 'x:9' }).lines,
    values.lines,
    'no list: it stays as typed',
  );
  t.end();
});
