#!/usr/bin/env node
// npm run faults -- NAME [ROUNDS]: runs one suite of faults ROUNDS times, each with a seed of its own unless
// SENTINEL_TEST_SEED names one, and prints seeds and times.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './lib/prepare.mjs';

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
let failed = 0;
for (let round = 1; round <= rounds; round += 1) {
  const began = Date.now();
  const file = join(FOLDER, `cluster-${name}.test.js`);
  if (!existsSync(file)) throw new Error(`${file} is not built`);
  const { status, stdout } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    env: { SENTINEL_TEST_SEED: 'random', ...process.env },
    maxBuffer: 2 ** 28,
  });
  const seed = /SENTINEL_TEST_SEED=\d+/.exec(stdout)?.[0] ?? 'no seed';
  const ok = status === 0;
  if (!ok) {
    failed += 1;
    process.stdout.write(stdout);
  }
  process.stdout.write(
    `${name} ${round} of ${rounds}: ${ok ? 'passed' : 'FAILED'}, ${seed}, ${((Date.now() - began) / 1_000).toFixed(0)} s\n`,
  );
}
process.stdout.write(`${rounds - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
