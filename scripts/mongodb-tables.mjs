#!/usr/bin/env node
// Writes the tables of docs/mongodb.md from the code; --check only compares.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { betweenMarks, keepPage } from './lib/between-marks.mjs';
import { root } from './lib/prepare.mjs';

/** Returns docs/mongodb.md with the tables in their places. */
export async function withMongodbTables(text) {
  const module = join(root, 'services/platform/dist/src/mongodb/index.js');
  const { commandsTable, errorCodesTable } = await import(pathToFileURL(module).href);
  const withCommands = betweenMarks('commands', text, commandsTable().trim());
  return betweenMarks('error codes', withCommands, errorCodesTable().trim());
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  await keepPage(join(root, 'docs/mongodb.md'), withMongodbTables);
