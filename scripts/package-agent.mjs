// Packages the agent for machines without Node: a single executable in a .tar.gz, a .deb and an .rpm, as far as the tools are installed.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, root } from './lib/prepare.mjs';
import { deb, hasTool, rpm, tarball } from './package/formats.mjs';
import { makeTree } from './package/tree.mjs';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist-packages' }, version: { type: 'string' } },
});
if (process.platform !== 'linux')
  fail('packages of the agent are made on Linux: they hold the Node that makes them');
const packageJson = JSON.parse(readFileSync(join(root, 'services/agent/package.json'), 'utf8'));
const version = values.version ?? packageJson.version;
const out = resolve(root, values.out);
mkdirSync(out, { recursive: true });
const tree = await makeTree(join(out, 'tree'), version);
const say = (line) => process.stdout.write(`${line}\n`);
say(`made ${tarball({ tree, out, version })}`);
if (hasTool('dpkg-deb')) say(`made ${deb({ tree, out, version })}`);
else say('left out: .deb (there is no dpkg-deb)');
if (hasTool('rpmbuild')) say(`made ${rpm({ tree, out, version })}`);
else say('left out: .rpm (there is no rpmbuild)');
rmSync(tree, { recursive: true });
