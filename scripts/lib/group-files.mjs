// Groups small test files, so that one process runs several one after the other. It loads tap, the product and its browser
// once instead of once per file (docs/decisions/069-bundled-tests.md).
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';

/**
 * Puts files of the same folder together.
 * @param files paths from the root
 * @param mostTogether returns how many files may be in a group with a file; 1: it keeps a process of its own
 * @returns lists of files, in the order of their first files
 */
export function groupsOf(files, mostTogether) {
  const groups = [];
  const open = new Map();
  for (const file of files) {
    const most = mostTogether(file);
    const group = most > 1 ? open.get(dirname(file)) : undefined;
    if (group !== undefined && group.length < most) {
      group.push(file);
      continue;
    }
    groups.push([file]);
    if (most > 1) open.set(dirname(file), groups.at(-1));
  }
  return groups;
}

/**
 * Writes a program that runs the files of a group, beside them. Each file has its own limit, and begins when the tests of
 * the file before have ended. A file without tests fails.
 * @param tap path of the tap that the files import
 * @returns the path of the program from the root; of a single file its own path
 */
export function writeGroup(files, tap) {
  if (files.length === 1) return files[0];
  const program = join(dirname(files[0]), `group-of-${basename(files[0])}`);
  writeFileSync(
    join(root, program),
    `import t from ${JSON.stringify(pathToFileURL(tap).href)};
const limit = t.options.timeout;
// With a teardown of its own, tap would end in the pause between two files.
const teardowns = [];
t.teardown = (run) => void teardowns.unshift(run);
for (const file of ${JSON.stringify(files)}) {
  const began = performance.now();
  const { count } = t;
  t.setTimeout(limit);
  await import(new URL(file.split('/').at(-1), import.meta.url).href);
  while (!t.idle) await new Promise((resolve) => t.once('idle', resolve));
  if (t.count === count) t.fail(file + ': no test ran');
  t.comment(file + ' took ' + ((performance.now() - began) / 1000).toFixed(1) + ' s');
}
for (const run of teardowns) await run();
t.end();
`,
  );
  return program;
}

/** Returns the times of the files in a result; a group says them itself. */
export function timesOf({ file, seconds, text }) {
  const said = [...text.matchAll(/^# (\S+\.m?js) took ([\d.]+) s$/gm)];
  if (said.length === 0) return [{ file, seconds }];
  return said.map(([, inner, took]) => ({ file: inner, seconds: Number(took) }));
}
