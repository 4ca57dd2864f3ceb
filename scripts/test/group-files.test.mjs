// Test files that share a process keep their order, their limits and their results.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { groupsOf, timesOf, writeGroup } from '../lib/group-files.mjs';
import { root } from '../lib/prepare.mjs';
import { runFiles } from '../lib/run-files.mjs';
import { matchList } from '../../services/test-kit/dist/src/matching/index.js';

const TAP = import.meta.resolve('tap');
/** Time from a file's limit to its kill, in ms. */
const GRACE_MS = 1_000;
/** Limit of a file that has nothing to do, in ms: no machine is so busy that it passes. */
const SHORT_MS = 15_000;

/** Runs files of these texts in one process. @returns its result */
async function runGroup(t, texts) {
  const folder = t.testdir();
  const files = Object.entries(texts).map(([name, text]) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, text.replaceAll('TAP', JSON.stringify(TAP)));
    return relative(root, file);
  });
  const [result] = await runFiles([writeGroup(files, fileURLToPath(TAP))], 1, { graceMs: GRACE_MS });
  return result;
}

t.test('files of a folder are put together, some keep a process of their own', (t) => {
  const files = ['a/1.js', 'b/1.js', 'a/alone.js', 'a/2.js', 'a/3.js', 'b/2.js'];
  const groups = groupsOf(files, (file) => (file.includes('alone') ? 1 : 2));
  t.strictSame(groups, [['a/1.js', 'a/2.js'], ['b/1.js', 'b/2.js'], ['a/alone.js'], ['a/3.js']]);
  t.equal(writeGroup(['a/alone.js'], 'tap.js'), 'a/alone.js', 'one file needs no program');
  t.end();
});

/** Returns a file's path, and the text of a function that adds a word to the file. */
function logOf(t) {
  const log = join(t.testdir(), 'log');
  const say = `import { appendFileSync } from 'node:fs'; const say = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ');`;
  return { log, say };
}

t.test('a file begins when the tests of the file before have ended', async (t) => {
  const { log, say } = logOf(t);
  const result = await runGroup(t, {
    first: `import t from TAP; ${say}
t.test('one', async () => { await new Promise((resolve) => setTimeout(resolve, 50)); say('one'); });
t.test('two', (t) => { say('two'); t.end(); });`,
    second: `import t from TAP; ${say} say('second'); await t.test('three', (t) => { say('three'); t.end(); });`,
  });
  t.match(result, { ok: true, passed: 3, failed: 0 }, result.text);
  t.equal(readFileSync(log, 'utf8'), 'one two second three ');
  const times = timesOf(result);
  matchList(
    t,
    times.map(({ file }) => file),
    [/first\.mjs$/, /second\.mjs$/],
  );
});

t.test('the teardown of a file comes after the last file of its group', async (t) => {
  const { log, say } = logOf(t);
  const result = await runGroup(t, {
    first: `import t from TAP; ${say} t.teardown(async () => say('torn')); t.ok(1);`,
    second: `import t from TAP; ${say} await new Promise((resolve) => setTimeout(resolve, 50)); t.ok(1); say('second');`,
  });
  t.match(result, { ok: true, passed: 2, failed: 0 }, result.text);
  t.equal(readFileSync(log, 'utf8'), 'second torn ');
});

t.test('a failure, a broken file and a file without tests fail their group', async (t) => {
  const good = `import t from TAP; t.ok(1);`;
  const failed = await runGroup(t, { good, bad: `import t from TAP; t.ok(0, 'inner');`, after: good });
  t.match(failed, { ok: false, passed: 2, failed: 1, text: /not ok 2 - inner/ });
  const broken = await runGroup(t, { good, thrown: `throw new Error('at its first line');` });
  t.match(broken, { ok: false, text: /at its first line/ });
  const empty = await runGroup(t, { good, empty: '' });
  t.match(empty, { ok: false, text: /not ok 2 - .*empty\.mjs: no test ran/ });
});

t.test('a limit is of one file', async (t) => {
  const short = `import t from TAP; t.setTimeout(${SHORT_MS}); t.ok(1);`;
  const both = await runGroup(t, {
    short,
    long: `import t from TAP;
t.test('long', async () => { await new Promise((resolve) => setTimeout(resolve, ${SHORT_MS + 2 * GRACE_MS})); });`,
  });
  t.match(both, { ok: true, passed: 2 }, both.text);
  const stuck = await runGroup(t, {
    short,
    stuck: `import t from TAP; t.setTimeout(500); t.ok(1); for (;;);`,
  });
  t.match(stuck, { ok: false, text: /did not end within its limit/ });
});

t.test('a file that is alone has the time of its process', (t) => {
  t.strictSame(timesOf({ file: 'a.js', seconds: 3, text: 'ok 1\n' }), [{ file: 'a.js', seconds: 3 }]);
  t.end();
});
