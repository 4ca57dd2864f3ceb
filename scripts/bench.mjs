#!/usr/bin/env node
// npm run bench [-- NAME … --quick --json FILE]: measures the load that the system carries, as rates and as ratios to a ceiling.
import { prepare } from './lib/prepare.mjs';
import { HELP, parseArguments } from './bench/arguments.mjs';

const options = parseArguments(process.argv.slice(2));
if (options.problem !== undefined) {
  process.stderr.write(`${options.problem}\n`);
  process.exit(2);
}
if (options.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
await prepare({ web: options.names.includes('console') });
const { runBenchmarks } = await import('./bench/run.mjs');
process.exit(await runBenchmarks(options));
