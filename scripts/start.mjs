#!/usr/bin/env node
// npm start: installs missing packages, builds stale output, then runs everything in this process.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode, prepare, root } from './lib/prepare.mjs';

const main = join(root, 'services/all-in-one/dist/bundle/main.js');

const HELP = `Sentinel Node: proves that files were not changed behind your back.

  npm start                 install and build what is missing, then run everything on this machine
  npm start -- --help       this text
  npm test                  the tests
  npx sentinel --help       the agent and the operator's commands

The console is on http://localhost:8443 unless SENTINEL_PORT says otherwise. Data is kept in ./data
(SENTINEL_DATA_DIR). A fresh data folder gets a live demonstration; SENTINEL_DEMO=off leaves it out.
`;

checkNode();
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(HELP);
  const table = join(root, 'services/platform/dist/src/index.js');
  const settings = existsSync(table)
    ? (await import(pathToFileURL(table).href)).configHelp()
    : 'The settings are listed here when the project is built: npm install && npm run build. README.md lists them, too.';
  process.stdout.write(`\n${settings}\n`);
  process.exit(0);
}
if (args.length > 0) {
  process.stderr.write(`npm start takes no argument "${args[0]}"; see npm start -- --help\n`);
  process.exit(2);
}
await prepare();
const { main: start } = await import(pathToFileURL(main).href);
await start();
