// Tries the packaged agent in a folder that stands for `/`: installs it by dpkg, enrols it with a token at a running
// server, raises an alert, upgrades it with its state, removes and purges it. Prints each step; ends at the first failure.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { founder } from '../services/all-in-one/dist/test/support/client.js';
import { freePort } from './lib/free-port.mjs';
import { root } from './lib/prepare.mjs';
import { deb, hasTool } from './package/formats.mjs';
import { makeTree } from './package/tree.mjs';

const DEADLINE_MS = 60_000;
const [FIRST, SECOND] = ['0.1.0', '0.1.1'];
if (!hasTool('dpkg') || !hasTool('dpkg-deb')) {
  process.stdout.write('there is no dpkg on this machine: nothing was tried\n');
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), 'sentinel-try-package-'));
const machine = join(work, 'machine');
const files = join(work, 'watched');
const children = new Set();
const started = performance.now();

try {
  await tryPackage();
  step('all of it was seen');
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}

async function tryPackage() {
  const tree = await makeTree(join(work, 'tree'), FIRST);
  const [first, second] = [FIRST, SECOND].map((version) => deb({ tree, out: work, version, level: 1 }));
  step(`packaged as ${FIRST} and ${SECOND}, ${Math.round(statSync(first).size / 1_048_576)} MiB each`);

  const server = await startServer();
  const admin = await founder(server);
  const token = await makeToken(admin);
  step(`a server runs at ${server.url}, and an administrator has made a token`);

  mkdirSync(join(machine, 'var/lib/dpkg/updates'), { recursive: true });
  mkdirSync(join(machine, 'var/lib/dpkg/info'));
  writeFileSync(join(machine, 'var/lib/dpkg/status'), '');
  dpkg('--install', first);
  expect(installed(FIRST), `version ${FIRST} is installed`);
  const said = sentinel(['--version']);
  step(`installed; its executable says ${said.trim()}`);

  const config = join(machine, 'etc/sentinel-agent/agents.d/device.json');
  const enrol = [
    'agent',
    'enrol',
    '--server',
    server.url,
    '--token',
    token,
    '--config',
    config,
    '--no-start',
  ];
  sentinel(enrol);
  expect((statSync(config).mode & 0o777) === 0o600, 'the configuration is for its owner only');
  sentinel(enrol);
  const { devices } = await admin.done('GET', `/devices/${admin.orgId}`);
  expect(devices.length === 1, 'one device was made');
  step(`enrolled twice, and it is one device: ${devices[0].name}`);

  let agent = startAgent();
  await alertsReach(admin, 0, 'the agent is heard of');
  appendFileSync(join(files, 'settings'), 'changed\n');
  await alertsReach(admin, 1, 'an alert');
  await agent.stop();
  step('the file was changed, and the alert is there');

  const before = stateOf();
  dpkg('--install', second);
  expect(installed(SECOND), `version ${SECOND} is installed`);
  expect(stateOf() === before && existsSync(config), 'state and configuration were kept');
  rmSync(join(files, 'settings'));
  agent = startAgent();
  await alertsReach(admin, 2, 'an alert about what happened between the two versions');
  await agent.stop();
  step('upgraded with its state; what happened meanwhile raised an alert');

  dpkg('--remove', 'sentinel-agent');
  expect(!existsSync(join(machine, 'usr/lib/sentinel-agent')), 'its programs are gone');
  expect(existsSync(config), 'its configuration is kept');
  dpkg('--purge', 'sentinel-agent');
  const left = ['etc/sentinel-agent', 'var/lib/sentinel-agent'].filter((path) =>
    existsSync(join(machine, path)),
  );
  expect(left.length === 0, `purging leaves nothing: ${left.join(', ')}`);
  step('removed, then purged: nothing is left');
}

/** Runs dpkg. Maintainer scripts run on this machine with DPKG_ROOT, so they leave systemd alone. */
function dpkg(...args) {
  const options = [
    '--force-script-chrootless',
    '--force-depends',
    '--force-not-root',
    `--log=${work}/dpkg.log`,
  ];
  execFileSync('dpkg', [`--root=${machine}`, ...options, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function installed(version) {
  const args = [
    `--admindir=${join(machine, 'var/lib/dpkg')}`,
    '--show',
    '--showformat=${Version} ${Status}',
    'sentinel-agent',
  ];
  return execFileSync('dpkg-query', args, { encoding: 'utf8' }) === `${version} install ok installed`;
}

function sentinel(args) {
  return execFileSync(join(machine, 'usr/bin/sentinel'), args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts the agent as its unit does. */
function startAgent() {
  const paths = [
    '--config',
    join(machine, 'etc/sentinel-agent/agents.d'),
    '--state',
    join(machine, 'var/lib/sentinel-agent'),
  ];
  const child = spawn(join(machine, 'usr/lib/sentinel-agent/sentinel'), ['agent', ...paths], {
    stdio: 'inherit',
  });
  children.add(child);
  return {
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect((await ended)[0] === 0, 'the agent ends well');
      children.delete(child);
    },
  };
}

function stateOf() {
  return readdirSync(join(machine, 'var/lib/sentinel-agent'), { recursive: true }).sort().join();
}

async function startServer() {
  const port = await freePort();
  const env = {
    ...process.env,
    SENTINEL_PORT: String(port),
    SENTINEL_DATA_DIR: join(work, 'data'),
    SENTINEL_DEMO: 'off',
    SENTINEL_LOG_LEVEL: 'fatal',
  };
  const command = [join(root, 'scripts/package/serve.mjs')];
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  children.add(child);
  const url = `http://localhost:${port}`;
  await until('the server', async () => (await fetch(`${url}/readyz`)).ok);
  return { url };
}

async function makeToken(admin) {
  mkdirSync(files);
  writeFileSync(join(files, 'settings'), 'as it should be\n');
  const settings = { name: 'Settings', path: 'settings', type: 'TEXT', monitoringFrequency: 'FOLLOW' };
  const template = {
    path: files,
    healthInterval: 10,
    category: 'STANDARD',
    files: [{ ...settings, rolled: false, modifiable: false, enabled: true }],
  };
  return (await admin.done('POST', `/enrolments/${admin.orgId}`, { name: 'Machines', template })).token;
}

/** Waits for alerts. @param count of alerts; 0 waits only for the first check of the file */
async function alertsReach(admin, count, what) {
  await until(what, async () => {
    const { alerts } = await admin.done('GET', `/alerts/${admin.orgId}`);
    if (count > 0) return alerts.length >= count;
    const { devices } = await admin.done('GET', `/devices/${admin.orgId}`);
    const { files: looked } = await admin.done('GET', `/devices/${admin.orgId}/${devices[0].id}`);
    return looked.every(({ contact }) => contact === 'OK');
  });
}

async function until(what, holds) {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`);
}

function step(line) {
  process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
}
