#!/usr/bin/env node
// npm run seed [-- --devices N --files N --alerts N …]: a large organisation to try the console with.
import { prepare } from './lib/prepare.mjs';
import { HELP, parseArguments } from './seed/arguments.mjs';

const WRONG_USAGE = 2;

const options = parseArguments(process.argv.slice(2));
if (options.problem !== undefined) {
  process.stderr.write(`${options.problem}\n`);
  process.exit(WRONG_USAGE);
}
if (options.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
await prepare({ web: false });
const { seed } = await import('./seed/run.mjs');
process.exit(await seed(options));
