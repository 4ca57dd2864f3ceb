// A configuration of a linter or of the formatter that checks nothing looks like good code. So each rule has to find a fixture
// that breaks it, and the formatter one of each kind of file.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import {
  ALLOWED,
  ESLINT,
  NEEDLESS_ESLINT,
  NEEDLESS_OXLINT,
  OXLINT,
  REFUSED,
  UNFORMATTED,
} from './lint-fixtures.mjs';

const CONFIGS = [
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'eslint.config.js',
  'tsconfig.base.json',
  'tsconfig.json',
  'package.json',
];
const PACKAGES = [
  'contracts',
  'web',
  ...readdirSync(join(root, 'services')).map((name) => `services/${name}`),
];

/** Makes a project of our configurations, in which every fixture is a file of its own. @returns its folder and their names */
function projectOf(t, fixtures) {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-lint-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of CONFIGS) cpSync(join(root, file), join(folder, file));
  for (const name of PACKAGES)
    for (const file of readdirSync(join(root, name)).filter((file) => /^tsconfig.*\.json$/.test(file)))
      cpSync(join(root, name, file), join(folder, name, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const names = fixtures.map(({ file, code }, index) => {
    const name = file.replace(/(\.\w+)$/, `-${index}$1`);
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), `${code}\n`);
    return name;
  });
  return { folder, names };
}

const outputOf = (folder, args) =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
const add = (found, name, rule) => found.set(name, [...(found.get(name) ?? []), rule]);

/** Returns the rules that oxlint found broken, by file; '' is a syntax error, or a comment that silences nothing. */
async function oxlint(folder) {
  const found = new Map();
  const { stdout, stderr } = await outputOf(folder, ['node_modules/oxlint/bin/oxlint', '--format', 'json']);
  if (!stdout.startsWith('{')) throw new Error(stdout + stderr);
  for (const { filename, code, message } of JSON.parse(stdout).diagnostics)
    add(found, filename.replaceAll('\\', '/'), code ?? message);
  return found;
}

async function eslint(folder) {
  const found = new Map();
  const { stdout, stderr } = await outputOf(folder, ['node_modules/eslint/bin/eslint.js', '-f', 'json', '.']);
  if (!stdout.startsWith('[')) throw new Error(stdout + stderr);
  for (const { filePath, messages } of JSON.parse(stdout))
    for (const { ruleId, message } of messages)
      add(found, relative(folder, filePath).split(sep).join('/'), ruleId ?? message);
  return found;
}

/** Expects that the linter finds in each fixture the rule that it breaks. */
async function expectBroken(t, fixtures, linter) {
  const { folder, names } = projectOf(t, fixtures);
  const found = await linter(folder);
  for (const [index, { rule, code }] of fixtures.entries()) {
    const rules = found.get(names[index]);
    t.ok(rules?.includes(rule), `${rule} in ${names[index]}`, { code, found: rules });
  }
}

t.test('every rule of oxlint finds what breaks it, in every TypeScript project', async (t) => {
  await expectBroken(t, OXLINT, oxlint);
});

t.test('every rule of oxlint that is on has a fixture', async (t) => {
  const { stdout } = await outputOf(root, ['node_modules/oxlint/bin/oxlint', '--print-config']);
  const { rules, overrides } = JSON.parse(stdout);
  const on = [rules, ...overrides.map(({ rules }) => rules ?? {})].flatMap((rules) =>
    Object.keys(rules).filter((rule) => [rules[rule]].flat()[0] !== 'allow'),
  );
  t.ok(on.length > 80, `${on.length} rules`);
  const broken = new Set(OXLINT.map(({ rule }) => /\((.*)\)/.exec(rule)[1]));
  for (const rule of on) t.ok(broken.has(rule.split('/').at(-1)), rule);
});

t.test('what no rule is needed for is refused as no JavaScript', async (t) => {
  const { folder, names } = projectOf(t, REFUSED);
  const found = await oxlint(folder);
  // The name of a rule has brackets; what is no JavaScript breaks none.
  for (const [index, name] of names.entries())
    t.ok(
      found.get(name)?.some((rule) => !rule.includes('(')),
      REFUSED[index].code,
    );
});

t.test('eslint finds what oxlint has no rule for', async (t) => {
  await expectBroken(t, ESLINT, eslint);
});

t.test('what the rules allow passes', async (t) => {
  const { folder } = projectOf(t, ALLOWED);
  t.strictSame([...(await oxlint(folder)), ...(await eslint(folder))], []);
});

t.test('a comment that silences nothing is found', async (t) => {
  const { folder, names } = projectOf(t, [NEEDLESS_OXLINT, NEEDLESS_ESLINT]);
  t.match((await oxlint(folder)).get(names[0])?.join(), /Unused/);
  t.match((await eslint(folder)).get(names[1])?.join(), /Unused/);
});

t.test('the formatter looks at every kind of file, and at no document', async (t) => {
  const { folder } = projectOf(t, UNFORMATTED);
  const { code, stdout } = await outputOf(folder, ['node_modules/oxfmt/bin/oxfmt', '--list-different', '.']);
  t.equal(code, 1);
  t.strictSame(
    stdout.trim().split('\n').sort(),
    UNFORMATTED.flatMap(({ file, isLeft }, index) =>
      isLeft ? [] : [file.replace(/(\.\w+)$/, `-${index}$1`)],
    ).sort(),
  );
});

t.test('tsc is the native compiler', async (t) => {
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules/native-typescript/package.json'), 'utf8'),
  );
  const { stdout } = await outputOf(root, ['node_modules/.bin/tsc', '--version']);
  t.equal(stdout.trim(), `Version ${version}`);
});
