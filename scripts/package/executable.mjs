// Makes a copy of the running Node with the agent in it (Node's single-executable applications).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';

/** Names under which Node looks for the application: https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Writes the executable, with compiled code of `main` in it: a start then takes a quarter less of processor time. Node compiles
 * the text where the code does not fit, as with other flags of V8.
 * @param main CommonJS without `import()`, which does not work beside a code cache @param work a folder for temporary files
 */
export async function executable({ main, work, file }) {
  if (/\bimport\(/.test(readFileSync(main, 'utf8')))
    throw new Error(`${main} calls import(), which an executable with a code cache does not have`);
  const blob = join(work, 'sea.blob');
  const config = join(work, 'sea.json');
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, output: blob, ...options }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  await inject(file, RESOURCE, readFileSync(blob), { sentinelFuse: FUSE });
}
