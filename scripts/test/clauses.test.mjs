// A clause counts when the title of a test names it, and not when it only stands in a file.
import t from 'tap';
import { clausesInTitles } from '../lib/clauses.mjs';

t.test('clauses are read from titles of tests only', (t) => {
  const text = `
    // [S1.1] is what this file is about
    /** [S1.2] */
    const note = 'as [S1.3] says';
    t.test('[S2.1] [S2.2] a title', async (t) => {
      t.equal(1, 1, '[S1.4] a message');
      await t.test(\`[S2.3] \${note}\`, (t) => t.end());
    });
    consoleTest(
      '[S2.4] a page',
      async () => log('[S1.5]'),
    );
    stage.part('[S2.5] a part of a walk', () => undefined);
    t.test(note, () => '[S1.6]');
    t.test('[S1.7] later', { skip: 'not built' }, async () => undefined);
    t.test('[S1.8] never', { timeout: 5, skip: true }, async () => undefined);
    t.test('[S2.6] soon enough', { timeout: 5, skip: false }, async () => undefined);
  `;
  t.same([...clausesInTitles(text)].sort(), ['S2.1', 'S2.2', 'S2.3', 'S2.4', 'S2.5', 'S2.6']);
  t.end();
});
