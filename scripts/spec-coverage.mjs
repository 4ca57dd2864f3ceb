#!/usr/bin/env node
// Counts the clauses of the specification that tests name in their titles; fails when no test names one of them, when a test names
// a clause that does not exist, or when docs/clauses.tsv and the specification's own list (where it is at hand) name different ids.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clausesInTitles } from './lib/clauses.mjs';
import { root } from './lib/prepare.mjs';

if (process.argv.includes('--help')) {
  process.stdout.write('usage: node scripts/spec-coverage.mjs\n');
  process.exit(0);
}

const table = (path) =>
  new Map(
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')),
  );
const clauses = table(join(root, 'docs', 'clauses.tsv'));
const problems = [];

const original = join(root, '..', 'shared', 'spec', 'clauses.tsv');
if (existsSync(original)) {
  const ids = table(original);
  for (const id of ids.keys()) if (!clauses.has(id)) problems.push(`docs/clauses.tsv lacks ${id}`);
  for (const id of clauses.keys())
    if (!ids.has(id)) problems.push(`docs/clauses.tsv has ${id}, the specification has not`);
}

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.test.ts', '*.test.tsx', '*.test.mjs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const named = new Set();
for (const file of files) {
  for (const id of clausesInTitles(readFileSync(join(root, file), 'utf8'))) {
    named.add(id);
    if (!clauses.has(id)) problems.push(`${file} names ${id}, which does not exist`);
  }
}
const missing = [...clauses].filter(([id]) => !named.has(id));
for (const [id, words] of missing) problems.push(`no test names ${id}: ${words}`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`covered ${clauses.size - missing.length} of ${clauses.size}\n`);
process.exit(problems.length > 0 ? 1 : 0);
