/** Tests the summary of failed tests. */
import t from 'tap';
import { failuresOf } from '../lib/failures.mjs';

t.test('each failure is shown with its diagnosis, and nothing of what passed', (t) => {
  const tap = ['ok 1 - fine', 'not ok 2 - the sum', '  ---', '  wanted: 4', '  ...', 'ok 3 - fine', ''];
  t.equal(failuresOf(tap.join('\n')), ['not ok 2 - the sum', '  ---', '  wanted: 4', '  ...'].join('\n'));
  t.equal(failuresOf('ok 1 - fine\n# not ok is said in a comment'), '');
  t.end();
});

t.test('a body of megabytes in one line leaves room for the others', (t) => {
  const shown = failuresOf(`not ok 1 - a body\n  found: ${'x'.repeat(4_000_000)}\nnot ok 2 - the other`);
  t.ok(shown.length < 2_000, `${shown.length} characters`);
  t.match(shown, /and \d+ characters more\nnot ok 2 - the other$/);
  t.end();
});

t.test('many failures are cut', (t) => {
  const tap = Array.from({ length: 10_000 }, (_, n) => `not ok ${n + 1} - number ${n + 1}`).join('\n');
  t.equal(failuresOf(tap).split('\n').length, 600);
  t.end();
});
