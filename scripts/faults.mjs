#!/usr/bin/env node
// npm run faults -- NAME [ROUNDS]: runs one suite of faults ROUNDS times, each with a seed of its own unless
// SENTINEL_TEST_SEED names one, and prints seeds and times.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './lib/prepare.mjs';

const FOLDER = join(root, 'services/all-in-one/dist/test');
const MOST_ROUNDS = 1_000;

const [name = '', times = '5'] = process.argv.slice(2);
const rounds = Number(times);
await prepare();
const names = readdirSync(FOLDER).flatMap((file) => /^cluster-(.+)\.test\.js$/.exec(file)?.[1] ?? []);
if (!names.includes(name) || !Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS) {
  process.stderr.write(
    `usage: npm run faults -- NAME [ROUNDS]\n  NAME    ${names.join(', ')}\n  ROUNDS  1 to ${MOST_ROUNDS}, 5 when it is not given\n`,
  );
  process.exit(2);
}
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
