// Scripts that build first say how they are used without building: a build takes a minute.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

/** Runs a script where no command is found, so that a build fails. */
function run(name, ...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts', `${name}.mjs`), ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: join(root, 'no-such-folder') },
    },
  );
  return { status, stdout, stderr };
}

const USES = {
  faults: {
    says: /three-brokers.*\n.*ROUNDS/,
    wrong: [['nothing'], [], ['three-brokers', '0'], ['three-brokers', '1', '2']],
  },
  torture: { says: /--seconds S/, wrong: [['--seconds', '1'], ['more']] },
  screenshots: { says: /--only NAME/, wrong: [['--theme', 'blue'], ['--width', 'wide'], ['--what']] },
};

for (const [name, { says, wrong }] of Object.entries(USES))
  t.test(`npm run ${name} says how it is used, and refuses another use, before it builds`, async (t) => {
    const help = run(name, '--help');
    t.match(help, { status: 0, stdout: says, stderr: '' });
    t.match(help.stdout, new RegExp(`^usage: npm run ${name} -- `));
    for (const args of wrong)
      t.match(run(name, ...args), { status: 2, stdout: '', stderr: /usage: npm run/ }, args.join(' '));
  });

t.test('npm start -- --help lists the settings, and says in a fresh clone where they are', async (t) => {
  t.match(run('start', '--help'), { status: 0, stdout: /^ {2}SENTINEL_PORT /m });
  const clone = t.testdir();
  for (const part of ['start.mjs', 'lib'])
    cpSync(join(root, 'scripts', part), join(clone, 'scripts', part), { recursive: true });
  const fresh = spawnSync(process.execPath, [join(clone, 'scripts/start.mjs'), '--help'], {
    encoding: 'utf8',
  });
  const where = /^The settings are listed here when the project is built: .* README\.md lists them, too\.$/m;
  t.match(fresh, { status: 0, stdout: where });
});
