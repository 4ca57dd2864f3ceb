#!/usr/bin/env node
// npm run faults -- NAME [ROUNDS]: runs one suite of faults ROUNDS times, each with a seed of its own unless
// SENTINEL_TEST_SEED names one, and prints seeds and times. A round that leaves a test out has not passed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './lib/prepare.mjs';
import { runFiles } from './lib/run-files.mjs';

const TESTS = join(root, 'services/all-in-one');
const FOLDER = join(TESTS, 'dist/test');
const MOST_ROUNDS = 1_000;

const names = readdirSync(join(TESTS, 'test')).flatMap(
  (file) => /^cluster-(.+)\.test\.ts$/.exec(file)?.[1] ?? [],
);
const USAGE = `usage: npm run faults -- NAME [ROUNDS]
  NAME    ${names.join(', ')}
  ROUNDS  1 to ${MOST_ROUNDS}, 5 when it is not given
  --help  this text
`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const [name = '', times = '5', ...more] = args;
const rounds = Number(times);
const areGood = Number.isInteger(rounds) && rounds >= 1 && rounds <= MOST_ROUNDS && more.length === 0;
if (!names.includes(name) || !areGood) {
  process.stderr.write(USAGE);
  process.exit(2);
}
await prepare();
process.env.SENTINEL_TEST_SEED ??= 'random';
const file = join(FOLDER, `cluster-${name}.test.js`);
if (!existsSync(file)) throw new Error(`${file} is not built`);
let failed = 0;
for (let round = 1; round <= rounds; round += 1) {
  const [{ ok, skipped, seconds, text }] = await runFiles([file], 1);
  const seed = /SENTINEL_TEST_SEED=\d+/.exec(text)?.[0] ?? 'no seed';
  const hasPassed = ok && skipped === 0;
  if (!hasPassed) {
    failed += 1;
    process.stdout.write(text);
  }
  const outcome = hasPassed ? 'passed' : ok ? 'FAILED: tests were left out' : 'FAILED';
  process.stdout.write(`${name} ${round} of ${rounds}: ${outcome}, ${seed}, ${seconds.toFixed(0)} s\n`);
}
process.stdout.write(`${rounds - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
