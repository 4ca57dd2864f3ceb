#!/usr/bin/env node
// npm run check: types first, then linter and formatter side by side. The linter works on one core and takes longest, so
// the packages are shared between two of them, each of which builds the types of its packages only.
import { spawn } from 'node:child_process';
import { COMPILE, root } from './lib/prepare.mjs';

/** Packages of the first linter, about half of the work. */
const FIRST = ['services/query', 'services/all-in-one', 'web'];

const eslint = 'node_modules/eslint/bin/eslint.js';
const LOOKS = [
  ['eslint, first half', [eslint, ...FIRST]],
  ['eslint, second half', [eslint, '.', ...FIRST.flatMap((folder) => ['--ignore-pattern', `${folder}/**`])]],
  ['prettier', ['node_modules/prettier/bin/prettier.cjs', '--check', '.']],
];

/** Runs a program and prints its output together when it ends. @returns whether it succeeded */
function look([name, args]) {
  return new Promise((resolve) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (data) => (output += data));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`${name}, ${seconds} s: ${code === 0 ? 'good' : `failed\n${output}`}\n`);
      resolve(code === 0);
    });
  });
}

const compiled = await look(['types', COMPILE]);
const results = compiled ? await Promise.all(LOOKS.map(look)) : [false];
process.exitCode = results.every(Boolean) ? 0 : 1;
