#!/usr/bin/env node
// Writes the table of settings into README.md from the schema that the services check; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/prepare.mjs';

const BEGIN = '<!-- configuration -->';
const END = '<!-- /configuration -->';

/** README.md with the table in its place. */
export async function withTable(text) {
  const { configTable } = await import(pathToFileURL(join(root, 'services/platform/dist/src/index.js')).href);
  const [before, rest] = text.split(BEGIN);
  const [, after] = rest.split(END);
  return `${before}${BEGIN}\n${configTable().trim()}\n${END}${after}`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const file = join(root, 'README.md');
  const text = readFileSync(file, 'utf8');
  const wanted = await withTable(text);
  if (process.argv.includes('--check')) process.exit(wanted === text ? 0 : 1);
  writeFileSync(file, wanted);
}
