// Makes a copy of the running Node with the agent in it (Node's single-executable applications).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';

/** Names under which Node looks for the application: https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Writes the executable. @param main CommonJS @param work a folder for temporary files */
export async function executable({ main, work, file }) {
  const blob = join(work, 'sea.blob');
  const config = join(work, 'sea.json');
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  await inject(file, RESOURCE, readFileSync(blob), { sentinelFuse: FUSE });
}
