// Contents of the agent's packages. `npm run try-package` installs and runs a real package.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { AGENT_FLAGS } from '../../services/agent/bin/flags.mjs';
import { root } from '../lib/prepare.mjs';
import { executable } from '../package/executable.mjs';
import { deb, hasTool, tarball } from '../package/formats.mjs';
import { unknownFields } from './deploy-types.mjs';

const AGENT = join(root, 'deploy/agent');
const UNIT = join(AGENT, 'sentinel-agent.service');
const MOST_EXPOSED = 3;
const require = createRequire(import.meta.url);
const read = (name) => readFileSync(join(AGENT, name), 'utf8');
const without = (tool) => (hasTool(tool) ? false : `there is no ${tool}`);

t.test('the unit is hardened', { skip: without('systemd-analyze') }, async (t) => {
  const said = execFileSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' });
  const level = Number(/Overall exposure level .*: ([\d.]+)/.exec(said)?.[1]);
  t.ok(level <= MOST_EXPOSED, `exposure level ${level}`);
});

t.test('the unit may read what it monitors, and write its state alone', async (t) => {
  const unit = read('sentinel-agent.service');
  t.match(unit, /^AmbientCapabilities=CAP_DAC_READ_SEARCH$/m);
  t.match(unit, /^ProtectHome=read-only$/m);
  t.match(unit, /^ProtectSystem=strict$/m);
  const [, folder] = /^StateDirectory=(.+)$/m.exec(unit);
  t.match(unit, `--state /var/lib/${folder}`);
  t.notMatch(unit, /^(ReadWritePaths|InaccessiblePaths)=/m);
});

t.test('a reload in the first moment of the process does not end the agent for good', async (t) => {
  const unit = read('sentinel-agent.service');
  t.match(unit, /^ExecReload=kill -HUP \$MAINPID$/m);
  t.match(unit, /^RestartForceExitStatus=SIGHUP$/m);
});

t.test('the runtime knows the flags that an agent sets', async (t) => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of AGENT_FLAGS) t.match(known, `${flag.split('=')[0]} `);
});

t.test(
  'no executable is made of a program that calls import(): the call fails beside a code cache',
  async (t) => {
    const work = t.testdir({ 'main.cjs': `const load = () => import('node:tls');\n` });
    const file = join(work, 'program');
    await t.rejects(executable({ main: join(work, 'main.cjs'), work, file }), /calls import\(\)/);
    t.notOk(existsSync(file));
  },
);

/** Makes a small tree for a package, which takes little time. */
function smallTree(t) {
  const tree = join(t.testdir(), 'tree');
  mkdirSync(join(tree, 'usr/lib/sentinel-agent'), { recursive: true });
  mkdirSync(join(tree, 'usr/share/doc'), { recursive: true });
  writeFileSync(join(tree, 'usr/lib/sentinel-agent/sentinel'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(tree, 'usr/share/doc/sentinel-agent.md'), '# Agent\n');
  return tree;
}

/** Makes a tree whose folders and files only their owner may enter and read, as under a umask of 077. */
function closedTree(t) {
  const umask = process.umask(0o077);
  t.teardown(() => process.umask(umask));
  return smallTree(t);
}

/** Returns mode, owner and name of each entry of a listing by `tar -tv`. */
const entriesOf = (listed) =>
  listed
    .trim()
    .split('\n')
    .map((line) => line.replace(/^(\S+) (\S+) .*? (?:\.\/)?(\S*)$/, '$1 $2 $3').replace('root/root', '0/0'));

t.test('the .tar.gz has files and own folders alone, and changes no folder of the system', async (t) => {
  const file = tarball({ tree: closedTree(t), out: t.testdirName, version: '1.2.3' });
  t.strictSame(entriesOf(execFileSync('tar', ['-tvzf', file], { encoding: 'utf8' })), [
    'drwxr-xr-x 0/0 usr/lib/sentinel-agent/',
    '-rwxr-xr-x 0/0 usr/lib/sentinel-agent/sentinel',
    '-rw-r--r-- 0/0 usr/share/doc/sentinel-agent.md',
  ]);
});

t.test('everybody may enter the folders of the .deb', { skip: without('dpkg-deb') }, async (t) => {
  const file = deb({ tree: closedTree(t), out: t.testdirName, version: '1.2.3' });
  const entries = entriesOf(execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' }));
  t.strictSame(entries, [
    'drwxr-xr-x 0/0 ',
    'drwxr-xr-x 0/0 usr/',
    'drwxr-xr-x 0/0 usr/lib/',
    'drwxr-xr-x 0/0 usr/lib/sentinel-agent/',
    '-rwxr-xr-x 0/0 usr/lib/sentinel-agent/sentinel',
    'drwxr-xr-x 0/0 usr/share/',
    'drwxr-xr-x 0/0 usr/share/doc/',
    '-rw-r--r-- 0/0 usr/share/doc/sentinel-agent.md',
  ]);
});

t.test(
  'the .deb is installed, upgraded, removed and purged in a folder',
  { skip: without('dpkg-deb') },
  async (t) => {
    const tree = smallTree(t);
    const machine = join(t.testdirName, 'machine');
    for (const name of ['updates', 'info'])
      mkdirSync(join(machine, 'var/lib/dpkg', name), { recursive: true });
    writeFileSync(join(machine, 'var/lib/dpkg/status'), '');
    const dpkg = (...args) => {
      const options = [
        '--force-script-chrootless',
        '--force-depends',
        '--force-not-root',
        '--force-bad-path',
      ];
      const { status, stderr } = spawnSync(
        'dpkg',
        [`--root=${machine}`, ...options, `--log=${t.testdirName}/dpkg.log`, ...args],
        { encoding: 'utf8' },
      );
      t.equal(status, 0, stderr);
    };
    const here = (path) => spawnSync('ls', [join(machine, path)]).status === 0;
    const made = (version) => deb({ tree, out: t.testdirName, version });
    dpkg('--install', made('1.0.0'));
    const config = 'etc/sentinel-agent/agents.d/device.json';
    writeFileSync(join(machine, config), '{}');
    mkdirSync(join(machine, 'var/lib/sentinel-agent'), { recursive: true });
    const link = 'etc/systemd/system/multi-user.target.wants/sentinel-agent.service';
    mkdirSync(join(machine, link, '..'), { recursive: true });
    symlinkSync('/usr/lib/systemd/system/sentinel-agent.service', join(machine, link));
    chmodSync(join(machine, 'etc/sentinel-agent'), 0o770);
    dpkg('--install', made('1.0.1'));
    t.equal(statSync(join(machine, 'etc/sentinel-agent')).mode & 0o777, 0o770, 'as the administrator has it');
    t.ok(here('usr/lib/sentinel-agent/sentinel') && here(config) && here('var/lib/sentinel-agent'));
    dpkg('--remove', 'sentinel-agent');
    t.notOk(here('usr/lib/sentinel-agent'));
    t.ok(here(config) && here('var/lib/sentinel-agent'), 'configuration and state stay');
    t.ok(lstatSync(join(machine, link)).isSymbolicLink(), 'and that it starts with the machine');
    dpkg('--purge', 'sentinel-agent');
    const left = ['etc/sentinel-agent', 'var/lib/sentinel-agent', join(link, '..', 'sentinel-agent.service')];
    t.strictSame(
      left.filter((path) => lstatSync(join(machine, path), { throwIfNoEntry: false }) !== undefined),
      [],
      'nothing stays',
    );
    rmSync(machine, { recursive: true });
  },
);

/** Returns what the scripts of the .deb ask systemd for, where it runs. @param active whether the agent runs */
function asked(t, name, args, { active = true, fails = false } = {}) {
  const folder = t.testdir();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const said = join(folder, 'said');
  writeFileSync(said, '');
  const end = (tool) => (tool === 'systemctl' ? `[ "$2" != is-active ] || exit ${active ? 0 : 3}` : ':');
  for (const tool of ['systemctl', 'deb-systemd-invoke'])
    writeFileSync(
      join(bin, tool),
      `#!/bin/sh\necho "${tool} $*" >> ${said}\n${end(tool)}\nexit ${fails ? 1 : 0}\n`,
      { mode: 0o755 },
    );
  const own = read(`debian/${name}`)
    .replaceAll('/run/systemd/system', folder)
    .replaceAll('$DPKG_ROOT/', `${folder}/`);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', ['-c', own, name, ...args], { env, encoding: 'utf8' });
  t.equal(status, 0, `${name} ${args.join(' ')}: ${stderr}`);
  return readFileSync(said, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('daemon-reload') && !line.includes('is-active'));
}

t.test('an upgrade restarts an agent that runs, as far as policy-rc.d allows', async (t) => {
  const restart = ['deb-systemd-invoke restart sentinel-agent.service'];
  t.strictSame(asked(t, 'postinst', ['configure', '1.0.0']), restart);
  t.strictSame(asked(t, 'postinst', ['configure', '1.0.0'], { active: false }), [], 'somebody stopped it');
  t.strictSame(asked(t, 'postinst', ['configure', '']), [], 'the first installation');
  t.strictSame(asked(t, 'prerm', ['upgrade', '1.0.1']), []);
  t.strictSame(asked(t, 'prerm', ['remove']), ['deb-systemd-invoke stop sentinel-agent.service']);
  t.strictSame(asked(t, 'postrm', ['remove']), []);
});

t.test('what systemd refuses leaves no package half installed', async (t) => {
  asked(t, 'postinst', ['configure', '1.0.0'], { fails: true });
  asked(t, 'prerm', ['remove'], { fails: true });
  asked(t, 'postrm', ['purge'], { fails: true });
});

t.test('its scripts are of a plain shell', async (t) => {
  for (const name of readdirSync(join(AGENT, 'debian')))
    t.equal(spawnSync('sh', ['-n', join(AGENT, 'debian', name)]).status, 0, name);
});

t.test('the image takes one package, and says so where there are none or two', async (t) => {
  const [, run] = /^RUN --mount=type=bind,target=\/packages (.*(?:\n {2}.*)*)$/m.exec(read('Dockerfile'));
  const folder = t.testdir({ packages: {}, root: {} });
  const packages = join(folder, 'packages');
  const ran = () => {
    const own = run
      .replaceAll('\\\n', ' ')
      .replaceAll('/packages/', `${packages}/`)
      .replace('--directory /', `--directory ${join(folder, 'root')}`);
    return spawnSync('sh', ['-c', own], { encoding: 'utf8' });
  };
  const none = ran();
  t.match(none, { status: 1, stderr: /has to hold one/ });
  for (const arch of ['x64', 'arm64']) {
    writeFileSync(join(folder, arch), arch);
    execFileSync('tar', [
      '-czf',
      join(packages, `sentinel-agent-1.0.0-linux-${arch}.tar.gz`),
      '-C',
      folder,
      arch,
    ]);
    if (arch === 'x64') t.match(ran(), { status: 0 });
  }
  t.strictSame(readdirSync(join(folder, 'root')), ['x64']);
  t.match(ran(), { status: 1, stderr: /x64.*arm64|arm64.*x64/ });
  t.strictSame(readdirSync(join(folder, 'root')), ['x64']);
});

t.test('the DaemonSet fits the published schema, and may only read', async (t) => {
  const bodies = parseAllDocuments(read('daemonset.yaml')).map((document) => document.toJS());
  for (const body of bodies) {
    const { [body.kind]: Model } = require(`kubernetes-models/${body.apiVersion}`);
    t.doesNotThrow(() => new Model(body).validate(), body.kind);
  }
  t.strictSame(unknownFields(bodies), []);
  const { containers, volumes } = bodies.find(({ kind }) => kind === 'DaemonSet').spec.template.spec;
  const [{ securityContext, volumeMounts, args, image }] = containers;
  t.strictSame(securityContext.capabilities, { drop: ['ALL'], add: ['DAC_READ_SEARCH'] });
  t.equal(volumeMounts.find(({ name }) => name === 'host').readOnly, true);
  t.strictSame(volumes.map(({ name }) => name).sort(), volumeMounts.map(({ name }) => name).sort());
  t.strictSame(args.slice(0, 2), ['agent', 'enrol']);
  // Where the device is there already the token is not read: a node that restarts must not wait for a Secret that is gone.
  t.equal(volumes.find(({ name }) => name === 'enrolment').secret.optional, true);
  const { version } = JSON.parse(readFileSync(join(root, 'services/agent/package.json'), 'utf8'));
  t.equal(image, `sentinel-node/agent:${version}`);
  t.match(read('Dockerfile'), `--tag ${image} `);
  // As the first process the agent could not end itself by SIGKILL.
  t.match(read('Dockerfile'), /^ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/usr\/bin\/sentinel"\]$/m);
  t.match(read('Dockerfile'), / install .* tini /);
});

t.test(
  'the commands of the documentation look where the unit keeps its state, and alarms name every fault',
  (t) => {
    const documentation = readFileSync(join(root, 'docs/agent.md'), 'utf8');
    const [, config, state] = /^ExecStart=.* --config (\S+) --state (\S+)$/m.exec(
      read('sentinel-agent.service'),
    );
    const [, packaged] = /^\*\*With the package\*\*([^]*?)^$/m.exec(documentation);
    for (const command of ['status', '--check', '--dry-run']) t.match(packaged, command);
    t.match(packaged, `--state ${state}`);
    t.match(packaged, `--config ${config}`);
    const [row] = /^\| have Prometheus see it \|.*$/m.exec(documentation);
    for (const fault of [
      'files_unchecked',
      'files_archives_unread',
      'problem',
      'promises_broken',
      'receipt_problem',
      'log_problem',
    ])
      t.match(row, `sentinel_agent_${fault}`);
    t.end();
  },
);
