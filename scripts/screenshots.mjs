#!/usr/bin/env node
// npm run screenshots [-- OPTION …]: pictures of every screen of the console. It builds first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { COMPILE } from './lib/prepare.mjs';

const USAGE = `usage: npm run screenshots -- [OPTION …]

Takes pictures of every screen and state of the console, and makes a page that shows them.

  --only NAME,…        screens of these names only (web/test/screens.ts)
  --width N,…          widths in pixels; default: four, from a telephone to a wide screen
  --theme light|dark   one theme only
  --to FOLDER          default: .cache/screenshots
  --help               this text
`;

/** Returns undefined for arguments that do not follow USAGE. */
function optionsOf(args) {
  const text = { type: 'string' };
  try {
    const options = { only: text, width: text, theme: text, to: text, help: { type: 'boolean' } };
    const { values } = parseArgs({ args, options });
    const { theme = 'light', width = '1' } = values;
    return /^(light|dark)$/.test(theme) && /^[1-9]\d*(,[1-9]\d*)*$/.test(width) ? values : undefined;
  } catch {
    return undefined;
  }
}

const args = process.argv.slice(2);
const options = optionsOf(args);
if (options === undefined || options.help) {
  (options === undefined ? process.stderr : process.stdout).write(USAGE);
  process.exit(options === undefined ? 2 : 0);
}
const root = fileURLToPath(new URL('..', import.meta.url));
const steps = [
  [process.execPath, COMPILE],
  ['npm', ['run', 'build', '--workspace', 'web']],
  [process.execPath, ['web/dist-test/test/screenshots.js', ...args]],
];
for (const [command, given] of steps) {
  const { status } = spawnSync(command, given, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
