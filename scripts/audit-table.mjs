#!/usr/bin/env node
// Writes the table of docs/audit.md from the code; --check only compares.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { betweenMarks, keepPage } from './lib/between-marks.mjs';
import { root } from './lib/prepare.mjs';

/** Returns docs/audit.md with the table in its place. */
export async function withAuditTable(text) {
  const module = join(root, 'services/all-in-one/dist/src/audit/coverage.js');
  const { coverageTable } = await import(pathToFileURL(module).href);
  return betweenMarks('coverage', text, coverageTable());
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  await keepPage(join(root, 'docs/audit.md'), withAuditTable);
