#!/usr/bin/env node
// npm run screenshots [-- --only NAME,… --width N,… --theme light|dark --to FOLDER]: pictures of every screen of the console, by default into
// .cache/screenshots. It builds first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const steps = [
  ['npx', ['tsc', '-b']],
  ['npm', ['run', 'build', '--workspace', 'web']],
  [process.execPath, ['web/dist-test/test/screenshots.js', ...process.argv.slice(2)]],
];
for (const [command, args] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
