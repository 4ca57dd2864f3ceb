// A round of faults whose servers are not here has not passed.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { prepare, root } from '../lib/prepare.mjs';

// The script builds what is out of date, for which the test leaves it no command.
await prepare();

t.test('npm run faults fails where its servers cannot be started', async (t) => {
  const path = join(t.testdir(), 'empty');
  mkdirSync(path);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'scripts/faults.mjs'), 'three-brokers', '2'],
    {
      encoding: 'utf8',
      env: { PATH: path, HOME: path },
    },
  );
  t.equal(status, 1);
  t.match(stdout, /# SKIP/);
  t.match(stdout, /^three-brokers 1 of 2: FAILED: tests were left out/m);
  t.match(stdout, /^0 passed, 2 failed$/m);
});
