#!/usr/bin/env node
// The sentinel command. The operator's commands (audit, …) are there where the whole system is installed.
import { existsSync } from 'node:fs';
import { bundleFolder } from './bundle.mjs';
import { setAgentFlags } from './flags.mjs';

const compiled = new URL('../dist/src/cli.js', import.meta.url);
const bundle = bundleFolder();
if (bundle === undefined && !existsSync(compiled)) {
  process.stderr.write('sentinel: not built yet; run "npm start" or "npm run build" in the project first\n');
  process.exit(1);
}
const modules =
  bundle === undefined
    ? { own: compiled.href, operators: '@sentinel-node/all-in-one' }
    : { own: new URL('sentinel.js', bundle).href, operators: new URL('commands.js', bundle).href };
// The agent runs on small machines: it does not load the whole system for its commands.
const isAgent = process.argv[2] === 'agent';
if (isAgent) setAgentFlags();
const { cli } = await import(modules.own);
let commands = [];
if (!isAgent) {
  try {
    ({ commands } = await import(modules.operators));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
process.exitCode = await cli(process.argv.slice(2), commands);
