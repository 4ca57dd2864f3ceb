// Continuous integration installs what the tests cannot use, also when its command is there.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

const says = (text) => `#!/bin/sh\n${text}\n`;
/** A machine that has everything: its commands, as shell scripts, and its files. */
const WHOLE = {
  'bin/chromium-headless-shell': says(''),
  'bin/python3': says(''),
  'bin/go': says('echo "$0-root"'),
  'sources/golang.org/x/mod/sumdb/tlog/tlog.go': '',
  'bin/java': says(`echo 'openjdk version "17.0.17" 2025-10-21' >&2`),
  ...Object.fromEntries(
    ['mvn', 'nginx', 'xz', 'zstd', 'bzip2', 'faketime'].map((name) => [`bin/${name}`, says('')]),
  ),
};

/** @returns what is missing on a machine with these files; null takes one away */
function missingOn(t, changes, env = {}) {
  const folder = mkdtempSync(join(t.testdir(), 'machine-'));
  for (const [name, text] of Object.entries({ ...WHOLE, ...changes })) {
    if (text === null) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const bin = join(folder, 'bin');
  // The script's own tools, and no other command of this machine.
  writeFileSync(join(bin, 'sed'), says('exec /usr/bin/env -i PATH=/usr/bin:/bin sed "$@"'), { mode: 0o755 });
  const { stdout, stderr } = spawnSync(
    '/bin/bash',
    ['--norc', '-c', '. "$0" && missing_tools', join(root, 'scripts/lib/missing-tools.sh')],
    {
      encoding: 'utf8',
      env: { PATH: bin, CHROMIUM_FOLDER: bin, GO_SOURCES: join(folder, 'sources'), ...env },
    },
  );
  t.equal(stderr, '');
  return stdout.trim();
}

t.test('nothing is missing on a machine that has everything', async (t) => {
  t.equal(missingOn(t, {}), '');
  t.equal(missingOn(t, { 'bin/chromium-headless-shell': null }, { SENTINEL_TEST_CHROMIUM: '/bin/sh' }), '');
});

t.test('a tool that is not there, or not usable, is missing', async (t) => {
  const python = 'python3 python3-venv';
  const go = 'golang-go golang-golang-x-mod-dev';
  const java = 'default-jre-headless';
  const version = (text) => says(`echo 'openjdk version "${text}"' >&2`);
  for (const [changes, wanted] of [
    [{ 'bin/chromium-headless-shell': null }, 'browser'],
    [{ 'bin/python3': null }, python],
    [{ 'bin/python3': says('exit 1') }, python],
    [{ 'bin/go': null }, go],
    [{ 'sources/golang.org/x/mod/sumdb/tlog/tlog.go': null }, go],
    [{ 'bin/java': null }, java],
    [{ 'bin/java': version('11.0.25') }, java],
    [{ 'bin/java': version('1.8.0_432') }, java],
    [{ 'bin/java': version('21') }, ''],
    [{ 'bin/xz': null, 'bin/zstd': null }, 'xz-utils zstd'],
    [{ 'bin/faketime': null }, 'faketime'],
  ])
    t.equal(missingOn(t, changes), wanted, JSON.stringify(changes));
});
