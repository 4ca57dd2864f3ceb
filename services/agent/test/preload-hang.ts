/**
 * Makes the stat of the file that SENTINEL_TEST_HANG names hang in the system, as on a network file system that is gone:
 * a thread waits for somebody to write into the FIFO of SENTINEL_TEST_FIFO. A file `….hangs` beside the FIFO tells that it does.
 */
import { writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const hanging = process.env['SENTINEL_TEST_HANG'] ?? '';
const fifo = process.env['SENTINEL_TEST_FIFO'] ?? '';
const { open, stat } = promises;

Object.assign(promises, {
  stat: (path: string, ...more: []) => {
    if (path !== hanging) return stat(path, ...more);
    writeFileSync(`${fifo}.hangs`, '');
    return open(fifo);
  },
});
syncBuiltinESMExports();
