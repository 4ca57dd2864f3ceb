/** Files that an agent watches in a benchmark, and the configurations that name them. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The largest number of files of one device. */
const FILES_PER_DEVICE = 2_000;
/** Number of files in one folder of a tree. */
const FILES_PER_FOLDER = 500;
const ORG = '01900000-0000-7000-8000-000000000001';
const id = (kind, n) => `01900000-0000-7000-8${kind}00-${n.toString(16).padStart(12, '0')}`;

/** Returns bytes that differ from file to file and are the same in each run. */
function content(n, bytes) {
  const seed = createHash('sha512').update(`file ${n}`).digest();
  return Buffer.alloc(bytes, seed);
}

/** Makes `count` files in folders of 500. @returns their paths */
export function makeTree(folder, count, bytes) {
  const paths = [];
  for (let n = 0; n < count; n += 1) {
    const own = join(folder, `d${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(own, { recursive: true });
    paths.push(join(own, `f${n}.log`));
    writeFileSync(paths.at(-1), content(n, bytes));
  }
  return paths;
}

/** Makes `count` logs with `archives` gzip archives each, all in one folder. @returns the logs' paths */
export function makeRolled(folder, count, archives) {
  mkdirSync(folder, { recursive: true });
  const paths = [];
  for (let n = 0; n < count; n += 1) {
    paths.push(join(folder, `app${n}.log`));
    writeFileSync(paths.at(-1), content(n, 4_096));
    for (let age = archives; age >= 1; age -= 1)
      writeFileSync(`${paths.at(-1)}.${age}.gz`, gzipSync(content(n * 100 + age, 4_096)));
  }
  return paths;
}

/** Writes configurations of as many devices as the files need, one file each in `folder`. */
export function writeConfigurations(folder, paths, server, { type, rolled = false }) {
  mkdirSync(folder, { recursive: true });
  for (let first = 0; first < paths.length; first += FILES_PER_DEVICE) {
    const devId = id(1, first);
    const files = paths.slice(first, first + FILES_PER_DEVICE).map((path, index) => ({
      id: id(2, first + index),
      path,
      type,
      ...(type === 'PROBE' ? { interval: 3_600 } : {}),
      rolled,
      ...(rolled
        ? { rolledfilenameregexp: `${path.split('/').at(-1).replace('.', '\\.')}\\.[0-9]+(\\.gz)?` }
        : {}),
      modifiable: true,
      data: 'text',
    }));
    const configuration = {
      orgId: ORG,
      devId,
      apiKey: 'sk1.bench',
      healthInterval: 60,
      workingDirectory: folder,
      sentinelAddress: server,
      clearOrphanedProcesses: true,
      files,
    };
    writeFileSync(join(folder, `${devId}.json`), JSON.stringify(configuration));
  }
}
