#!/usr/bin/env node
// The sentinel command. The operator's commands (audit, …) are there where the whole system is installed.
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const own = new URL('../dist/src/index.js', import.meta.url);
if (!existsSync(own)) {
  process.stderr.write('sentinel: not built yet; run "npm start" or "npm run build" in the project first\n');
  process.exit(1);
}
// The agent runs for months on small machines: its heap grows by 15 % before it is cleaned, not to twice its size, and it does
// not load the whole system for its commands.
const isAgent = process.argv[2] === 'agent';
if (isAgent) setFlagsFromString('--heap-growing-percent=15');
const { cli } = await import(own.href);
let commands = [];
if (!isAgent) {
  try {
    ({ commands } = await import('@sentinel-node/all-in-one'));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
process.exitCode = await cli(process.argv.slice(2), commands);
