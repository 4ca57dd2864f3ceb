/** A row that is edited stays on the shown page, whatever the rows around it do. */
import t from 'tap';
import { rowsOnPage } from '../src/ui/held-row.ts';

const letters = [...'abcdefghij'];
const shownOn = (rows: readonly string[], page: number, pageLength: number): readonly string[] =>
  rows.slice(page * pageLength, (page + 1) * pageLength);

t.test('without a held row nothing is moved', (t) => {
  t.same(rowsOnPage(letters, null, { page: 1, pageLength: 3 }), letters);
  t.same(rowsOnPage(letters, 'e', { page: 1, pageLength: 3 }), letters, 'it is on the page');
  t.same(rowsOnPage(letters, 'z', { page: 1, pageLength: 3 }), letters, 'it is gone');
  t.end();
});

t.test('a row that would leave the page is its first or last one', (t) => {
  const later = rowsOnPage(letters, 'e', { page: 0, pageLength: 4 });
  t.same(shownOn(later, 0, 4), ['a', 'b', 'c', 'e']);
  t.same(later, [...'abcedfghij']);
  const earlier = rowsOnPage(letters, 'b', { page: 1, pageLength: 4 });
  t.same(shownOn(earlier, 1, 4), ['b', 'f', 'g', 'h']);
  t.end();
});

t.test('the page is the last one when there are not so many', (t) => {
  t.same(shownOn(rowsOnPage(letters, 'a', { page: 7, pageLength: 4 }), 2, 4), ['a', 'j']);
  t.same(rowsOnPage(['a'], 'a', { page: 3, pageLength: 10 }), ['a']);
  t.end();
});
