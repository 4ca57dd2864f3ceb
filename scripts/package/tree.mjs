// Lays out the files of the packages as on a machine.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../lib/prepare.mjs';
import { bundle, nativeFile } from './bundle.mjs';
import { executable } from './executable.mjs';

/** Makes the tree. @param folder emptied first @returns the folder, which stands for `/` */
export async function makeTree(folder, version) {
  rmSync(folder, { recursive: true, force: true });
  const put = (from, to, mode = 0o644) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
    chmodSync(join(folder, to), mode);
  };
  const work = mkdtempSync(join(tmpdir(), 'sentinel-package-'));
  try {
    const { main, proxy, worker } = await bundle({ version, folder: work });
    await executable({ main, work, file: join(work, 'sentinel') });
    put(join(work, 'sentinel'), 'usr/lib/sentinel-agent/sentinel', 0o755);
    put(worker, 'usr/lib/sentinel-agent/hash-worker.js');
    put(proxy, 'usr/lib/sentinel-agent/undici.js');
  } finally {
    rmSync(work, { recursive: true });
  }
  put(nativeFile(), 'usr/lib/sentinel-agent/libsql.node');
  put(join(root, 'deploy/agent/sentinel-agent.service'), 'usr/lib/systemd/system/sentinel-agent.service');
  put(join(root, 'docs/agent.md'), 'usr/share/doc/sentinel-agent/agent.md');
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/sentinel-agent/sentinel', join(folder, 'usr/bin/sentinel'));
  return folder;
}
