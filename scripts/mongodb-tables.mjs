#!/usr/bin/env node
// Writes the tables of docs/mongodb.md from the code; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/prepare.mjs';

const between = (name, text, table) => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = text.split(begin);
  const [, after] = rest.split(end);
  return `${before}${begin}\n${table.trim()}\n${end}${after}`;
};

/** docs/mongodb.md with the tables in their places. */
export async function withMongodbTables(text) {
  const module = join(root, 'services/platform/dist/src/mongodb/index.js');
  const { commandsTable, errorCodesTable } = await import(pathToFileURL(module).href);
  return between('error codes', between('commands', text, commandsTable()), errorCodesTable());
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const file = join(root, 'docs/mongodb.md');
  const text = readFileSync(file, 'utf8');
  const wanted = await withMongodbTables(text);
  if (process.argv.includes('--check')) process.exit(wanted === text ? 0 : 1);
  writeFileSync(file, wanted);
}
