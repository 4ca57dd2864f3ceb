// The runner of the tests counts correctly, and a file that ends badly never counts as a pass.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { idleMachine, runFiles } from '../lib/run-files.mjs';

/** Enough time for the last output of a file that passed its limit. */
const GRACE_MS = 1_000;
/** Longest wait of a file for another one that comes, and for one that does not, in ms. */
const DEADLINE_MS = 120_000;
const NEVER_MS = 2_000;
/** Time between two looks at the processors, in ms. */
const LOOK_MS = 50;
const TAP = import.meta.resolve('tap');

/** Runs files of these texts, two at a time. @returns the results by name */
async function run(t, texts) {
  const folder = t.testdir();
  const files = Object.entries(texts).map(([name, text]) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, text.replace('TAP', JSON.stringify(TAP)));
    return file;
  });
  const results = await runFiles(files, 2, { graceMs: GRACE_MS });
  return Object.fromEntries(results.map((one) => [/([^/\\]+)\.mjs$/.exec(one.file)[1], one]));
}

t.test('what passes, fails and is left out is counted over every depth', async (t) => {
  const { good, bad } = await run(t, {
    good: `import t from TAP; t.ok(1); t.test('in', (t) => { t.ok(1); t.end(); }); t.test('out', { skip: 'why' });`,
    bad: `import t from TAP; t.ok(1); t.test('in', (t) => { t.ok(0, 'inner'); t.end(); });`,
  });
  t.match(good, { ok: true, passed: 2, failed: 0, skipped: 1 });
  t.match(bad, { ok: false, passed: 1, skipped: 0, text: /not ok 1 - inner/ });
  t.ok(bad.failed >= 1);
});

t.test('a file that ends badly, or tests nothing, is a failure that says why', async (t) => {
  const { empty, thrown, left, late, open, stuck } = await run(t, {
    empty: '',
    thrown: `throw new Error('broken at its first line');`,
    left: `import t from TAP; t.ok(1); t.test('in', () => new Promise(() => process.exit(0)));`,
    late: `import t from TAP; t.ok(1); t.end(); process.on('exit', () => process.exit(3));`,
    open: `import t from TAP; t.setTimeout(500); t.ok(1); t.end(); setInterval(() => undefined, 1000);`,
    stuck: `import t from TAP; t.setTimeout(500); t.ok(1); for (;;);`,
  });
  t.match(empty, { ok: false, failed: 1, text: /not ok - .*no test ran/ });
  t.match(thrown, { ok: false, failed: 1, text: /ended with 1\n# .*\n# throw new Error/ });
  t.match(left, { ok: false, passed: 1, text: /not ok .*in/ });
  t.match(late, { ok: false, failed: 1, text: /ended with 3/ });
  t.match(open, { ok: false, failed: 1, text: /did not end within its limit/ });
  t.match(stuck, { ok: false, failed: 1, text: /did not end within its limit/ });
});

t.test('an assertion whose line tap cannot read does not pass', async (t) => {
  const { unread, empty } = await run(t, {
    unread: `import t from TAP; t.ok(1); t.test('in', async (t) => { t.equal(1, 2, 'before' + String.fromCharCode(0x2028) + 'after'); });`,
    empty: `import t from TAP; t.ok(1); t.test('in', async () => {});`,
  });
  t.match(unread, { ok: false, failed: 1, text: /not ok - .*cannot read/ });
  t.match(empty, { ok: true, failed: 0 }, 'a test without assertions throws when it fails');
});

t.test('files start in the order given, no more at a time than told', async (t) => {
  const folder = t.testdir();
  const log = join(folder, 'log');
  const text = (name) => `import { appendFileSync } from 'node:fs'; import t from ${JSON.stringify(TAP)};
const say = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ${name}\\n');
say('begin'); t.ok(1); process.on('exit', () => say('end'));`;
  const files = ['c', 'a', 'b'].map((name) => join(folder, `${name}.mjs`));
  for (const file of files) writeFileSync(file, text(/(.)\.mjs$/.exec(file)[1]));
  const seen = [];
  await runFiles(files, 1, { onEnd: ({ file, ok }) => seen.push([file, ok]) });
  t.strictSame(
    seen,
    files.map((file) => [file, true]),
  );
  t.equal(readFileSync(log, 'utf8'), 'begin c\nend c\nbegin a\nend a\nbegin b\nend b\n');
});

/** Runs files, one at a time and one more; each passes when the file that it names begins. @returns how many passed */
async function runPartners(t, partners, canStartMore, deadlineMs = DEADLINE_MS) {
  const folder = t.testdir();
  const at = (name) => join(folder, name);
  const text = (
    name,
    other,
  ) => `import { existsSync, writeFileSync } from 'node:fs'; import t from ${JSON.stringify(TAP)};
writeFileSync(${JSON.stringify(at(name))}, '');
const [begun, end] = [() => existsSync(${JSON.stringify(at(other))}), Date.now() + ${deadlineMs}];
while (!begun() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
t.ok(begun());`;
  for (const [name, other] of Object.entries(partners)) writeFileSync(at(`${name}.mjs`), text(name, other));
  const files = Object.keys(partners).map((name) => at(`${name}.mjs`));
  const results = await runFiles(files, 1, { more: 1, lookMs: LOOK_MS, canStartMore });
  return results.filter(({ ok }) => ok).length;
}

t.test('one more file starts while the processors are idle', async (t) => {
  const partners = { a: 'b', b: 'c', c: 'c' };
  t.equal(await runPartners(t, partners, () => true), 3, 'b begins beside a, and c when a has ended');
  t.equal(
    await runPartners(t, { a: 'b', b: 'b' }, () => false, NEVER_MS),
    1,
    'nothing begins beside a on a busy machine',
  );
});

t.test('no more files run than the jobs and the ones more', async (t) => {
  const folder = t.testdir();
  const log = join(folder, 'log');
  // Each says that it begins before it loads anything, waits until two have run beside each other, and stays for a while, in
  // which one too many would begin.
  const text = `import { appendFileSync, readFileSync } from 'node:fs';
const log = ${JSON.stringify(log)};
appendFileSync(log, '+');
process.on('exit', () => appendFileSync(log, '-'));
const { default: t } = await import(${JSON.stringify(TAP)});
while (!readFileSync(log, 'utf8').includes('++')) await new Promise((resolve) => setTimeout(resolve, 10));
t.ok(1);
setTimeout(() => undefined, 200);`;
  const files = Array.from({ length: 6 }, (_, n) => join(folder, `${n}.mjs`));
  for (const file of files) writeFileSync(file, text);
  await runFiles(files, 1, { more: 1, lookMs: LOOK_MS, canStartMore: () => true });
  let now = 0;
  const most = [...readFileSync(log, 'utf8')].map((mark) => (now += mark === '+' ? 1 : -1));
  t.equal(most.length, 2 * files.length);
  t.equal(Math.max(...most), 2);
});

t.test('of the files that are heavy one runs at a time, and others beside it', async (t) => {
  const folder = t.testdir();
  const log = join(folder, 'log');
  // Every heavy file stays for a while, in which another one would begin.
  const text = (name) => `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, '+${name} ');
process.on('exit', () => appendFileSync(${JSON.stringify(log)}, '-${name} '));
const { default: t } = await import(${JSON.stringify(TAP)});
t.ok(1);
setTimeout(() => undefined, 200);`;
  const names = ['heavy1', 'heavy2', 'heavy3', 'light1', 'light2'];
  const files = names.map((name) => join(folder, `${name}.mjs`));
  for (const [n, file] of files.entries()) writeFileSync(file, text(names[n]));
  const isHeavy = (file) => /heavy\d\.mjs$/.test(file);
  const results = await runFiles(files, 2, { isHeavy });
  t.equal(results.filter(({ ok }) => ok).length, files.length, 'all run');
  const marks = readFileSync(log, 'utf8').trim().split(' ');
  const order = marks.filter((mark) => mark.includes('heavy'));
  t.strictSame(
    order,
    ['heavy1', 'heavy2', 'heavy3'].flatMap((name) => [`+${name}`, `-${name}`]),
  );
  t.ok(marks.indexOf('+light1') < marks.indexOf('-heavy3'), 'a light one is not kept waiting');
});

t.test('processors are idle when few of ours were busy since the last look, and memory is free', (t) => {
  const cores = [0, 0, 0, 0].map(() => ({ user: 1_000, sys: 0, idle: 1_000 }));
  const machine = { times: () => cores.map((one) => ({ ...one })), ours: 2, freeBytes: () => free };
  let free = 8 * 2 ** 30;
  const isIdle = idleMachine(machine);
  /** Lets 100 ms pass in which so many processors work. */
  const pass = (busy) => cores.forEach((one, at) => (one[at < busy ? 'user' : 'idle'] += 100));
  const seen = [0, 1, 2, 1].map((busy) => {
    pass(busy);
    return isIdle();
  });
  t.strictSame(seen, [true, true, false, true], 'two of four busy ones are as many as we have');
  cores.push({ user: 500, sys: 0, idle: 0 });
  pass(1);
  t.equal(isIdle(), true, 'a processor that was added has no share yet');
  pass(5);
  t.equal(isIdle(), false, 'and one from then on');
  free = 2 ** 30;
  pass(0);
  t.equal(isIdle(), false);
  t.end();
});
