// Packs the same files as .tar.gz, .deb and .rpm.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../lib/prepare.mjs';

const NAME = 'sentinel-agent';
const SUMMARY = 'Sentinel Node agent: reports versions of files to a server that keeps their history';
/** Licence, which rpm requires; npm's word for a missing licence otherwise. */
const LICENCE = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).license ?? 'UNLICENSED';
const DEBIAN_ARCH = { x64: 'amd64', arm64: 'arm64' };
const RPM_ARCH = { x64: 'x86_64', arm64: 'aarch64' };

export const hasTool = (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Lets everybody enter the folders and read the files, whatever the umask under which they were made. */
function openToAll(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/**
 * Makes an archive for machines without a package manager, to be unpacked at `/`. Of folders it has the agent's own
 * alone: `tar` would give the modes of others, such as `/` and `/usr`, to those that are there.
 */
export function tarball({ tree, out, version }) {
  openToAll(tree);
  const file = join(out, `${NAME}-${version}-${process.platform}-${process.arch}.tar.gz`);
  const entries = readdirSync(tree, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory() || entry.name === NAME)
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .sort();
  execFileSync('tar', ['-czf', file, '--owner=0', '--group=0', '--no-recursion', '-C', tree, ...entries]);
  return file;
}

/** Makes a Debian package. @param level of compression, 1 (fast) to 9 */
export function deb({ tree, out, version, level = 6 }) {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-deb-'));
  try {
    cpSync(tree, folder, { recursive: true, verbatimSymlinks: true });
    const control = join(folder, 'DEBIAN');
    mkdirSync(control);
    const scripts = join(root, 'deploy/agent/debian');
    for (const name of readdirSync(scripts)) {
      cpSync(join(scripts, name), join(control, name));
      chmodSync(join(control, name), 0o755);
    }
    writeFileSync(join(control, 'control'), controlText(version));
    openToAll(folder);
    const architecture = DEBIAN_ARCH[process.arch] ?? process.arch;
    const file = join(out, `${NAME}_${version}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', `-z${level}`, '--build', folder, file], {
      stdio: 'pipe',
    });
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const controlText = (version) => `Package: ${NAME}
Version: ${version}
Architecture: ${DEBIAN_ARCH[process.arch] ?? process.arch}
Maintainer: Sentinel Node <agent@sentinel-node.invalid>
Section: admin
Priority: optional
Depends: libc6 (>= 2.28), libstdc++6
Recommends: xz-utils, zstd, bzip2
Description: ${SUMMARY}
`;

export function rpm({ tree, out, version }) {
  openToAll(tree);
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-rpm-'));
  try {
    const spec = join(folder, `${NAME}.spec`);
    writeFileSync(spec, specText(tree, version));
    const define = [`_topdir ${folder}`, `_rpmdir ${out}`, '_build_id_links none'];
    const args = define.flatMap((one) => ['--define', one]);
    execFileSync('rpmbuild', ['-bb', ...args, spec], { stdio: 'pipe' });
    return join(out, RPM_ARCH[process.arch] ?? process.arch);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the spec. Stripping is off, because it would remove the agent from its executable. */
const specText = (tree, version) => `Name: ${NAME}
Version: ${version}
Release: 1
Summary: ${SUMMARY}
License: ${LICENCE}
AutoReqProv: no
Requires: glibc >= 2.28, libstdc++
%global __os_install_post %{nil}
%global debug_package %{nil}
%description
${SUMMARY}
%install
cp -a ${tree}/. %{buildroot}/
mkdir -p %{buildroot}/etc/sentinel-agent/agents.d
%files
/usr/bin/sentinel
/usr/lib/sentinel-agent
/usr/lib/systemd/system/sentinel-agent.service
/usr/share/doc/sentinel-agent
%dir %attr(0750,root,root) /etc/sentinel-agent
%dir %attr(0750,root,root) /etc/sentinel-agent/agents.d
%post
[ ! -d /run/systemd/system ] || systemctl daemon-reload
%preun
[ "$1" -gt 0 ] || [ ! -d /run/systemd/system ] || systemctl disable --now sentinel-agent.service
%postun
[ "$1" -eq 0 ] || [ ! -d /run/systemd/system ] || systemctl try-restart sentinel-agent.service
`;
