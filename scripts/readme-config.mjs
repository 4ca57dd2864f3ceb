#!/usr/bin/env node
// Writes the table of settings into README.md from the schema that the services check; --check only compares.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { betweenMarks, keepPage } from './lib/between-marks.mjs';
import { root } from './lib/prepare.mjs';

/** Returns README.md with the table in its place. */
export async function withTable(text) {
  const { configTable } = await import(pathToFileURL(join(root, 'services/platform/dist/src/index.js')).href);
  return betweenMarks('configuration', text, configTable().trim());
}

if (process.argv[1] === new URL(import.meta.url).pathname) await keepPage(join(root, 'README.md'), withTable);
