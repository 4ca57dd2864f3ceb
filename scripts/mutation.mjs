#!/usr/bin/env node
// npm run mutation [-- [--own-processes] [--reuse] FOLDER …]: mutation scores of the pure parts; names in mutation/folders.mjs.
// --own-processes runs every test file in a process of its own with Stryker's tap-runner: slow, the same result.
// --reuse keeps the last run's results of mutants whose code and tests have not changed; Stryker ignores new tests
// of a mutant that acts while modules load. Reports and results are in .cache/mutation.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FOLDERS } from './mutation/folders.mjs';
import { fail, prepare, root } from './lib/prepare.mjs';

const SCORE_WANTED_PERCENT = 85;
/** Added to the time of the tests without a mutant. */
const TIMEOUT_MS = 30_000;
/** Mutants after which a process ends, so that their modules do not fill its memory. */
const MUTANTS_PER_PROCESS = 400;
const OUT = '.cache/mutation';

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
for (const flag of flags)
  if (!['--own-processes', '--reuse'].includes(flag))
    fail(`${flag} is no option; --own-processes and --reuse are.`);
const known = FOLDERS.map(({ name }) => name);
for (const name of names)
  if (!known.includes(name)) fail(`${name} is not measured. Choose of: ${known.join(', ')}.`);

await prepare({ web: false });
process.chdir(root);
mkdirSync(OUT, { recursive: true });
const { Stryker } = await import('@stryker-mutator/core');
let low = false;
for (const folder of FOLDERS) {
  if (names.length > 0 && !names.includes(folder.name)) continue;
  const doubts = join(root, OUT, `${folder.name}-doubts.txt`);
  rmSync(doubts, { force: true });
  process.env.MUTATION_DOUBTS = doubts;
  const mutants = await new Stryker(optionsOf(folder)).runMutationTest();
  const score = report(folder, mutants);
  const isTrusted = !existsSync(doubts);
  if (!isTrusted)
    process.stdout.write(
      `${folder.name}: the score cannot be trusted, tests fail without a mutant: ${doubts}\n`,
    );
  low ||= score < SCORE_WANTED_PERCENT || !isTrusted;
}
process.exit(low ? 1 : 0);

function optionsOf({ name, workspace, mutate, tests, reads = [], ignoreStatic = false }) {
  const plugin = (file) => fileURLToPath(new URL(`./mutation/${file}`, import.meta.url));
  return {
    testRunner: flags.includes('--own-processes') ? 'tap' : 'warm-tap',
    plugins: ['@stryker-mutator/tap-runner', plugin('warm-tap-runner.mjs'), plugin('text-for-people.mjs')],
    ignorers: ['text-for-people'],
    mutate,
    ignorePatterns: ['**', `!${workspace}/**`, `${workspace}/dist/**`, ...reads.map((file) => `!${file}`)],
    buildCommand: `node ${plugin('transpile.mjs')} ${workspace}`,
    tap: {
      testFiles: tests.map((test) => `${workspace}/dist/test/${test}.test.js`),
      nodeArgs: [],
      forceBail: true,
    },
    coverageAnalysis: 'perTest',
    ignoreStatic,
    concurrency: 1,
    timeoutMS: TIMEOUT_MS,
    maxTestRunnerReuse: MUTANTS_PER_PROCESS,
    symlinkNodeModules: false,
    tempDirName: `${OUT}/copy-${name}`,
    incremental: true,
    force: !flags.includes('--reuse'),
    incrementalFile: `${OUT}/${name}-results.json`,
    reporters: ['html', 'json', 'progress-append-only'],
    htmlReporter: { fileName: `${OUT}/${name}.html` },
    jsonReporter: { fileName: `${OUT}/${name}.json` },
    allowConsoleColors: false,
    logLevel: process.env.MUTATION_LOG ?? 'warn',
    fileLogLevel: 'off',
    warnings: false,
  };
}

/** Prints survivors and the score: killed and timed-out mutants, in percent of all mutants that could run. */
function report({ name }, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  for (const { status, fileName: path, location, mutatorName, replacement } of mutants) {
    if (status !== 'Survived' && status !== 'NoCoverage') continue;
    const text = replacement.replaceAll(/\s+/g, ' ').slice(0, 100);
    process.stdout.write(`${status} ${relative(root, path)}:${location.start.line} ${mutatorName} ${text}\n`);
  }
  const killed = count('Killed');
  const timedOut = count('Timeout');
  const survived = count('Survived');
  const uncovered = count('NoCoverage');
  const left = mutants.length - killed - timedOut - survived - uncovered;
  const score = (100 * (killed + timedOut)) / Math.max(1, killed + timedOut + survived + uncovered);
  const parts = `${killed} killed, ${timedOut} timed out, ${survived} survived, ${uncovered} not covered`;
  process.stdout.write(`${name}: ${score.toFixed(1)} % (${parts}; ${left} left out)\n`);
  return score;
}
