#!/usr/bin/env node
// npm run check: types first, then the two linters and the formatter side by side. Oxlint has nearly all rules and reads types
// natively; eslint has the rest (eslint.config.js) and looks at no file that they cannot concern.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { COMPILE, root } from './lib/prepare.mjs';

/** Where a call of `match` is looked at; the console's own folder is linted whole, because of React. */
const WITH_MATCH = ['contracts/test', 'services', 'scripts/test'];

const LOOKS = [
  ['oxlint', ['node_modules/oxlint/bin/oxlint']],
  ['eslint', ['node_modules/eslint/bin/eslint.js', 'web', ...filesForSelectors()]],
  ['oxfmt', ['node_modules/oxfmt/bin/oxfmt', '--check', '.']],
];

/** Returns the files that name `match` or that silence eslint. No selector concerns another one. */
function filesForSelectors() {
  const files = [];
  for (const folder of WITH_MATCH)
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
      const file = relative(root, join(entry.parentPath, entry.name));
      if (!entry.isFile() || !/\.(ts|mjs)$/.test(file) || /[/\\](dist|node_modules)[/\\]/.test(file))
        continue;
      if (/\bmatch\b|eslint-disable/.test(readFileSync(join(root, file), 'utf8'))) files.push(file);
    }
  return files;
}

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
