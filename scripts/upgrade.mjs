#!/usr/bin/env node
// npm run upgrade -- --from REVISION [--keep]: another version leaves data behind, and this one must take it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from './lib/prepare.mjs';

const TESTS = 'services/all-in-one/dist/test';
const KEPT = 'services/all-in-one/test/recorded-versions';
const BUILD = `import { prepare } from './scripts/lib/prepare.mjs'; await prepare({ web: false });`;

const USAGE = `usage: npm run upgrade -- --from REVISION [--keep]

Builds the version of a git revision in a folder of its own, lets it make a history, a backup, and a data folder that is killed
under load, and runs this version on them: the answers stay, proofs byte by byte, chains go on, the audit finds nothing.

  --from REVISION   a commit, a tag or a branch
  --keep            keeps the recording in ${KEPT}, where npm test reads it
  --help            this text
`;

function end(code, text) {
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exit(code);
}

let values;
try {
  ({ values } = parseArgs({
    options: { from: { type: 'string' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
  }));
} catch (error) {
  end(2, `upgrade: ${error.message}\n${USAGE}`);
}
if (values.help) end(0, USAGE);
if (values.from === undefined) end(2, USAGE);
const found = spawnSync('git', ['rev-parse', '--short=8', '--verify', `${values.from}^{commit}`], {
  cwd: root,
  encoding: 'utf8',
});
if (found.status !== 0) end(2, `upgrade: git knows no revision ${values.from}\n`);
const version = found.stdout.trim();

await prepare({ web: false });
const folder = mkdtempSync(join(tmpdir(), 'sentinel-upgrade-'));
const programs = join(folder, 'programs');
const recordings = join(folder, 'recordings');
// Ctrl-C ends the command that runs; this script goes on and removes what it made.
process.on('SIGINT', () => undefined);

/** Runs a command to its end and shows its output. @returns whether it succeeded */
function run(command, args, { cwd = root, env = {} } = {}) {
  return spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

function upgrade() {
  if (!run('git', ['worktree', 'add', '--quiet', '--detach', programs, version]))
    return 'git made no work tree';
  if (!run(process.execPath, ['--input-type=module', '-e', BUILD], { cwd: programs }))
    return `${version} was not built`;
  const recorded = run(process.execPath, [join(TESTS, 'upgrade/record.js')], {
    env: {
      SENTINEL_RECORD_PROGRAMS: programs,
      SENTINEL_RECORD_VERSION: version,
      SENTINEL_RECORD_TO: join(recordings, version),
    },
  });
  if (!recorded) return `${version} was not recorded`;
  const env = { SENTINEL_TEST_RECORDINGS: recordings };
  if (!run(process.execPath, [join(TESTS, 'upgrade.test.js')], { env })) return 'a difference was found';
  if (values.keep) cpSync(recordings, join(root, KEPT), { recursive: true });
  return undefined;
}

const problem = upgrade();
if (existsSync(programs)) run('git', ['worktree', 'remove', '--force', programs]);
rmSync(folder, { recursive: true, force: true });
end(problem === undefined ? 0 : 1, `upgrade from ${version}: ${problem ?? 'passed'}\n`);
