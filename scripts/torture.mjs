#!/usr/bin/env node
// npm run torture -- [--seed N] [--seconds 300] [--files 2000]: changes files at random while agent and server are killed.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from './lib/prepare.mjs';

const TEST = join(root, 'services/all-in-one/dist/test/torture.test.js');
/** Limit that ends only a stuck test, in seconds. */
const STUCK_SECONDS = 3_600;
const RANGES = { seed: [0, 2 ** 31 - 1], seconds: [20, 1_800], files: [40, 4_000] };
const USAGE = `usage: npm run torture -- [OPTION …]
  --seed N      makes the same operations again; default: a new one, which is printed
  --seconds S   how long files are changed, ${RANGES.seconds.join(' to ')}; default 300
  --files N     ${RANGES.files.join(' to ')}; default 2000
  --help        this text
`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const wish = readWish(args);
if (wish === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
await prepare({ web: false });
const began = Date.now();
const test = spawn(process.execPath, [TEST], {
  stdio: 'inherit',
  env: {
    ...process.env,
    SENTINEL_TEST_SEED: String(wish.seed),
    SENTINEL_TORTURE_SECONDS: String(wish.seconds),
    SENTINEL_TORTURE_FILES: String(wish.files),
    TAP_TIMEOUT: String(STUCK_SECONDS),
  },
});
const [code] = await new Promise((resolve) => test.once('close', (...ended) => resolve(ended)));
const words = `--seed ${wish.seed} --seconds ${wish.seconds} --files ${wish.files}`;
const took = ((Date.now() - began) / 1_000).toFixed(0);
process.stdout.write(`torture ${words}: ${code === 0 ? 'passed' : 'FAILED'}, ${took} s\n`);
process.exit(code === 0 ? 0 : 1);

/** Returns undefined for arguments that do not follow USAGE. */
function readWish(args) {
  const text = { type: 'string' };
  try {
    const { values } = parseArgs({ args, options: { seed: text, seconds: text, files: text } });
    const { seed = randomInt(2 ** 31), seconds = 300, files = 2_000 } = values;
    const numbers = { seed: Number(seed), seconds: Number(seconds), files: Number(files) };
    const areGood = Object.entries(RANGES).every(
      ([name, [from, to]]) => Number.isInteger(numbers[name]) && numbers[name] >= from && numbers[name] <= to,
    );
    return areGood ? numbers : undefined;
  } catch {
    return undefined;
  }
}
